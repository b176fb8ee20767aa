// What is open, and what is selected in it: the editor's state, without what shows it.

import { History } from "./script/history.js";
import { Script } from "./script/script.js";
import { Transport } from "./sound/transport.js";

/** Nothing is open yet. @param {import("./server.js").Server} server */
export function emptyState(server) {
  return {
    server,
    script: new Script(),
    history: new History(),
    transport: new Transport(server),
    /** @type {string|null} */
    project: null,
    /** What the server takes: changes, and characters of one. @type {{changes: number, characters: number}} */
    limits: { changes: Infinity, characters: Infinity },
    /** @type {{sample_rate: number, channels: number, samples: number, seconds: number}|null} */
    sound: null,
    /** @type {import("./sound/timeline.js").Timeline|null} what is shown; of both sides what is played */
    timeline: null,
    editedLine: null, originalLine: null,
    side: "edited",
    /** @type {import("./script/script.js").Edit|null} the change that is selected */
    active: null,
    /** @type {import("./script/script.js").Edit|null} */
    looped: null,
    /** @type {Set<string>} the keys of edits of which takes are being made */
    making: new Set(),
    /** @type {Set<string>} those of which another take was asked for here: it is chosen when it comes */
    wants: new Set(),
    /** @type {number[]|null} a stretch of the axis that is selected */
    sweep: null,
    /** @type {[string, number[]][]|null} who said what before the speakers are told apart, meanwhile */
    telling: null,
    /** @type {number|null} where what is missing was asked for */
    looked: null,
    /** @type {import("./script/script.js").Edit|null} the change that is played as soon as it is made */
    wanted: null,
    /** @type {{project: string, words: import("./start/live_words.js").Word[]}|null} what was heard while it was recorded */
    spoken: null,
    /** @type {any} how far it has been listened to */
    listening: null,
  };
}
