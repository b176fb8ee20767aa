// The open project and the selection, without what shows them.

import { Requests } from "./requests.js";
import { History } from "./script/history.js";
import { Script } from "./script/script.js";
import { Timeline } from "./sound/timeline.js";
import { Transport } from "./sound/transport.js";
import { messageOf } from "./server.js";

/** @import { Edit, LiveWord, Progress, Settings, Sound, SpeakerTrack, VoiceOffer } from "./records" */

export class State {
  /** Nothing is open yet. @param {import("./server.js").Server} server */
  constructor(server) {
    this.server = server;
    this.requests = new Requests(server, (sentence) => this.complain(sentence));
    this.script = new Script();
    this.history = new History();
    this.transport = new Transport(server);
    /** @type {string|null} */
    this.project = null;
    this.name = "";
    /** The most changes, and characters of one, that the server takes. */
    this.limits = { changes: Infinity, characters: Infinity };
    /** @type {Settings} of new words and of what is exported */
    this.settings = {};
    /** @type {Sound|null} */
    this.sound = null;
    /** @type {SpeakerTrack[]} of which it consists, if of several */
    this.tracks = [];
    /** @type {Set<number>} those that are not heard */
    this.muted = new Set();
    /** @type {number|null} the only one that is */
    this.solo = null;
    /** The recording with its changes, and without. */
    this.timeline = this.originalLine = new Timeline(0);
    /** @type {Set<number>} tokens in whose place something else is said */
    this.replaced = new Set();
    /** @type {"edited"|"original"} which of both is played */
    this.side = "edited";
    /** @type {{anchor: number, focus: number}|null} tokens that are selected, both included */
    this.selection = null;
    /** @type {Edit|null} the change that is selected */
    this.active = null;
    /** @type {Edit|null} the one that is played again and again */
    this.looped = null;
    /** @type {Edit|null} the one that is played once it is made */
    this.wanted = null;
    /** @type {Set<string|null>} the keys of edits of which takes are being made */
    this.making = new Set();
    /** @type {Map<string, {upload?: string}>} of those of which another take was asked for here, how: it is chosen when it comes */
    this.wants = new Map();
    /** @type {[number, number]|null} a stretch of the axis that is selected */
    this.sweep = null;
    this.tellsSpeakers = false; // whether the server can tell them apart
    /** @type {{count: number, label: string}|null} how the speakers are being told apart */
    this.telling = null;
    /** @type {number|null} the second of what is missing that was asked for last */
    this.looked = null;
    /** @type {{project: string, words: LiveWord[]}|null} what was heard while it was recorded */
    this.spoken = null;
    /** @type {Progress|null} how far it has been listened to */
    this.listening = null;
    this.firstId = 0; // of the words: those of another transcript have others
    /** @type {boolean|null} whether punctuation is added; null if none can be */
    this.marks = null;
    /** @type {VoiceOffer} what may be done about the speaker's voice */
    this.voice = { state: "none", name: "", share: 0, left_s: null, problem: "" };
    /** Names to listen for, as they were typed. */
    this.names = "";
    /** @type {Record<string, string>} words that are said otherwise */
    this.pronunciations = {};
    /** @type {string|null} a new text that is offered */
    this.offered = null;
  }

  /** The selected tokens [first, last), or null. @returns {[number, number]|null} */
  get range() {
    if (!this.selection) return null;
    const { anchor, focus } = this.selection;
    return [Math.min(anchor, focus), Math.max(anchor, focus) + 1];
  }

  /** Whether each track is heard. */
  get heard() { return this.tracks.map((_, track) => (this.solo === null ? !this.muted.has(track) : this.solo === track)); }

  /** The speakers, in the order of their colours: those of the tracks first, whatever they are called by now. */
  get voices() {
    const named = [...new Set(this.script.tokens.map(({ speaker }) => speaker))].filter(Boolean);
    const voices = this.tracks.map(({ name }) => (named.includes(name) ? name : ""));
    for (const name of named.filter((each) => !voices.includes(each))) {
      const free = voices.indexOf("");
      voices[free < 0 ? voices.length : free] = name;
    }
    return voices.map((name, track) => name || this.tracks[track].name);
  }

  /** Samples a second of what is open. */
  get rate() { return this.sound ? this.sound.sample_rate : 1; }

  /** @param {Edit} edit */
  isMaking(edit) { return this.making.has(this.script.madeOf(edit)); }

  /** Ask the server to change something of the project; say so if it is refused, once that is `undone`. @param {string} name @param {object} data */
  ask(name, data, undone = () => {}) {
    return this.requests.send({ project: this.project || "", name, data }).catch((error) => { undone(); this.complain(messageOf(error)); });
  }

  // ---- what shows it, where there is a page -------------------------------------------------------

  /** Show all of it anew. */
  render() {}
  /** Show its header and transport anew. */
  refresh() {}
  /** Show the list of changes anew. */
  renderChanges() {}
  /** Draw the sound anew. */
  redraw() {}
  /** Show what is heard now. */
  tick() {}
  /** Bring a stretch of the axis into the view. @param {number} first @param {number} last */
  reveal(first, last) { void [first, last]; }
  /** Show the change that is selected now, and go there if it is to be `seen`. @param {boolean} seen */
  activated(seen) { void seen; }
  /** Say what went wrong. @param {string} sentence */
  complain(sentence) { void sentence; }
  /** The keys go to the transcript. */
  focus() {}
  /** What is being written becomes a change. */
  finish() {}
  /** Show a panel beside the script. @param {"changes"|"cleaning"|"recordings"} [panel] */
  beside(panel) { void panel; }
  /** Fetch the changes again, which another window has changed. */
  async reload() {}
}
