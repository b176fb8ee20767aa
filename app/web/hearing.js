// What is selected, and what is heard of it.

import { History } from "./script/history.js";
import { Script } from "./script/script.js";
import { TEXTS } from "./texts.js";
import { Transport } from "./sound/transport.js";

const CONTEXT = 1.2; // seconds that are heard on each side of a change

export class Hearing {
  /** @param {HTMLElement} host @param {import("./server.js").Server} server */
  constructor(host, server) {
    this.host = host;
    this.server = server;
    this.script = new Script();
    this.history = new History();
    this.transport = new Transport(server);
    /** @type {string|null} */
    this.project = null;
    /** What the server takes: changes, and characters of one. @type {{changes: number, characters: number}} */
    this.limits = { changes: Infinity, characters: Infinity };
    /** @type {{sample_rate: number, channels: number, samples: number, seconds: number}|null} */
    this.sound = null;
    /** @type {import("./sound/timeline.js").Timeline|null} what is shown; of both sides what is played */
    this.timeline = null;
    this.editedLine = this.originalLine = this.timeline;
    this.side = "edited";
    /** @type {import("./script/script.js").Edit|null} the change that is selected */
    this.active = null;
    /** @type {import("./script/script.js").Edit|null} */
    this.looped = null;
    /** @type {Set<string>} the keys of edits of which takes are being made */
    this.making = new Set();
    /** @type {Set<string>} those of which another take was asked for here: it is chosen when it comes */
    this.wants = new Set();
    /** @type {number[]|null} a stretch of the axis that is selected */
    this.sweep = null;
    /** @type {[string, number[]][]|null} who said what before the speakers are told apart, meanwhile */
    this.telling = null;
    /** @type {number|null} where what is missing was asked for */
    this.looked = null;
    /** @type {any} what shows it all; made by the App */
    this.parts = this.view = this.changes = this.audio = this.saver = this.dialogs = this.film = null;
  }

  /** Shows everything, or where the playhead is, or the list; the App's. */
  render() {}
  /** @param {boolean} open */
  showChanges(open) { void open; }
  tick() {}
  /** @param {string} sentence */
  complain(sentence) { void sentence; }

  /** Asks the server for something of the project; says so if it is refused, once that is `undone`. */
  asked(name, data, undone = () => {}) {
    return this.server.ask(`/projects/${this.project}/${name}`, data).catch((error) => { undone(); this.complain(error.message || TEXTS.lost); });
  }

  /** Where the playhead is, in samples of the original. */
  heardSource() {
    if (!this.transport.timeline) return 0;
    return this.transport.timeline.sourceOf(this.transport.place);
  }

  heardToken() {
    return this.sound ? this.script.tokenAt(this.heardSource() / this.sound.sample_rate) : -1;
  }

  /** Where the playhead is on the axis of the audio view. */
  headAt() {
    if (!this.timeline) return 0;
    return this.side === "edited" ? this.timeline.convert("out", "at", this.transport.place) : this.timeline.convert("source", "at", this.transport.place);
  }

  selected(first, last, edit) {
    this.sweep = null;
    this.active = edit;
    this.changes.render();
    this.audio.draw();
    if (last > first && this.sound && !this.transport.playing) {
      this.audio.reveal(this.timeline.convert("source", "at", this.script.tokens[first].start * this.sound.sample_rate), this.timeline.convert("source", "at", this.script.tokens[last - 1].end * this.sound.sample_rate));
    }
  }

  /** A stretch of the axis is selected: so are the words whose middles it holds. */
  selectSound(first, last) {
    const rate = this.sound.sample_rate;
    const [a, b] = [first, last].map((at) => this.timeline.convert("at", "source", at) / rate);
    const inside = this.script.tokens.flatMap((token, k) => ((token.start + token.end) / 2 >= a && (token.start + token.end) / 2 <= b ? [k] : []));
    if (inside.length) this.view.select(inside[0], inside[inside.length - 1], false);
    this.sweep = [first, last];
    this.audio.draw();
  }

  /** What is selected, as stretches of the axis. */
  selectedSpans() {
    if (this.sweep) return [this.sweep];
    const range = this.view.range, rate = this.sound.sample_rate;
    if (!range || range[1] > this.script.tokens.length) return [];
    return [[this.timeline.convert("source", "at", this.script.tokens[range[0]].start * rate), this.timeline.convert("source", "at", this.script.tokens[range[1] - 1].end * rate)]];
  }

  /** A change becomes the selected one, in the script, the list and the audio view. */
  activate(edit, seen) {
    this.active = edit;
    this.showChanges(true);
    this.view.selection = null;
    this.view.render();
    this.changes.render();
    const span = this.sound && this.timeline.spanOf(edit);
    if (span) {
      const [first, last] = span.map((out) => this.timeline.convert("out", "at", out));
      this.audio.reveal(first, last);
      if (!this.transport.playing && this.side === "edited") this.transport.seek(Math.max(0, span[0] - CONTEXT * this.sound.sample_rate));
    }
    if (seen) {
      const element = this.view.body.querySelector(".change.active");
      if (element) this.view.follow(element);
      this.parts.changes.querySelector(".card.active")?.scrollIntoView({ block: "nearest" });
    }
    this.audio.draw();
  }

  #outOf(source) {
    return this.transport.timeline.outOf(source);
  }

  /** What lies around this second of the recording is listened to next, if it hasn't been. */
  look(seconds, seek = false) {
    if (seek && this.sound) this.transport.seek(this.#outOf(seconds * this.sound.sample_rate));
    const missing = this.script.missing.find(([start, end]) => start <= seconds && seconds < end);
    if (!missing || this.looked === missing[0]) return;
    this.looked = missing[0];
    this.server.ask(`/projects/${this.project}/look`, { seconds }).catch(() => { this.looked = null; });
  }

  seekAxis(at) {
    if (!this.timeline) return;
    this.sweep = null;
    this.transport.seek(this.timeline.convert("at", this.side === "edited" ? "out" : "source", at));
    this.audio.draw();
  }

  playToken(k) {
    if (this.transport.playing && !this.transport.run.until) return this.transport.seek(this.#outOf(Math.ceil(this.script.tokens[k].start * this.sound.sample_rate)));
    const place = this.script.placeAt(k);
    if (place && this.side === "edited" && this.timeline.spanOf(place.edit)) return this.playEdit(place.edit);
    return this.playTokens(k, k + 1);
  }

  playTokens(first, last) {
    if (!this.sound) return;
    const rate = this.sound.sample_rate, { tokens } = this.script;
    this.transport.play(this.#outOf(Math.ceil(tokens[first].start * rate)), this.#outOf((tokens[last - 1].end + 0.02) * rate));
  }

  /** A stretch of the recording, in seconds, with what is around it. */
  playStretch(start, end) {
    if (!this.sound) return;
    const rate = this.sound.sample_rate;
    this.transport.play(this.#outOf(Math.max(0, start - CONTEXT / 2) * rate), this.#outOf(Math.min(end + CONTEXT / 2, this.sound.seconds) * rate));
  }

  /** A change with what is around it. */
  playEdit(edit, loop = this.looped === edit) {
    if (!this.sound) return;
    const span = this.timeline.spanOf(edit);
    if (!span) { this.wanted = edit; return; }
    const around = CONTEXT * this.sound.sample_rate;
    let [first, last] = [Math.max(0, span[0] - around), Math.min(this.timeline.length, span[1] + around)];
    if (this.side === "original") [first, last] = [this.timeline.sourceOf(first), this.timeline.sourceOf(last)];
    this.transport.play(first, last, loop);
  }

  toggleLoop(edit) {
    this.looped = this.looped === edit ? null : edit;
    if (this.looped) this.playEdit(edit, true);
    else this.transport.stop();
    this.changes.render();
  }

  setSide(side) {
    this.side = side;
    this.transport.setTimeline(side === "edited" ? this.editedLine : this.originalLine);
    this.parts.refresh();
    this.changes.render();
    this.tick();
  }
}
