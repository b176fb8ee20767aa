// The editor's state: the open project and the selection, without what shows them.

import { History } from "./script/history.js";
import { Script } from "./script/script.js";
import { Transport } from "./sound/transport.js";

export class State {
  /** Nothing is open yet. @param {import("./server.js").Server} server */
  constructor(server) {
    this.server = server;
    this.script = new Script();
    this.history = new History();
    this.transport = new Transport(server);
    /** @type {string|null} */
    this.project = null;
    /** The most changes, and characters of one, that the server takes. @type {{changes: number, characters: number}} */
    this.limits = { changes: Infinity, characters: Infinity };
    /** @type {{sample_rate: number, channels: number, samples: number, seconds: number}|null} */
    this.sound = null;
    /** @type {import("./sound/timeline.js").Timeline|null} what is shown; of both sides what is played */
    this.timeline = this.editedLine = this.originalLine = null;
    this.side = "edited";
    /** @type {import("./script/script.js").Edit|null} the change that is selected, played again and again, or played once it is made */
    this.active = this.looped = this.wanted = null;
    /** @type {Set<string>} the keys of edits of which takes are being made */
    this.making = new Set();
    /** @type {Set<string>} those of which another take was asked for here: it is chosen when it comes */
    this.wants = new Set();
    /** @type {number[]|null} a stretch of the axis that is selected */
    this.sweep = null;
    /** Whether the speakers are being told apart. */
    this.telling = false;
    /** @type {number|null} where what is missing was asked for */
    this.looked = null;
    /** @type {{project: string, words: import("./start/live_words.js").Word[]}|null} what was heard while it was recorded */
    this.spoken = null;
    /** @type {any} how far it has been listened to */
    this.listening = null;
  }
}
