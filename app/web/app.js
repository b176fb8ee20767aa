// The editor: what is open, what is selected, what is heard; everything else is told by it.

import { AudioView } from "./audio_view.js";
import { ChangesView } from "./changes_view.js";
import { Dialogs } from "./dialogs.js";
import { History } from "./history.js";
import { build } from "./layout.js";
import { Saver } from "./saver.js";
import { Script } from "./script.js";
import { ScriptView } from "./script_view.js";
import { StartView } from "./start_view.js";
import { TEXTS, clock, tell } from "./texts.js";
import { Timeline, edited } from "./timeline.js";
import { Transport } from "./transport.js";
import { listenToKeys } from "./shortcuts.js";

const CONTEXT = 1.2; // seconds that are heard on each side of a change

export class App {
  /** @param {HTMLElement} host @param {import("./server.js").Server} server @param {(file: File) => Promise<{path: string}>} upload */
  constructor(host, server, upload) {
    this.host = host;
    this.server = server;
    this.upload = upload;
    this.script = new Script();
    this.history = new History();
    this.transport = new Transport(server);
    this.saver = new Saver(this);
    this.project = null;
    this.sound = null;
    this.mode = "edit";
    this.side = "edited";
    this.active = null; // the change that is selected
    this.looped = null;
    this.making = new Map(); // key -> what is being done
    this.sweep = null; // a stretch of sound that is selected
    this.parts = build(host, this);
    this.view = new ScriptView(this.parts.script, this);
    this.changes = new ChangesView(this.parts.changes, this);
    this.audio = new AudioView(this.parts.audio, this);
    this.dialogs = new Dialogs(host, this);
    this.start = new StartView(this.parts.start, this);
    this.history.changed = () => this.parts.refresh();
    this.transport.changed = () => { this.parts.refresh(); this.tick(); };
    this.transport.failed = () => this.complain(TEXTS.lost);
    listenToKeys(this);
    addEventListener("hashchange", () => this.#route());
    addEventListener("beforeunload", (event) => { if (this.saver.dirty) event.preventDefault(); });
    this.#route();
  }

  // ---- projects ---------------------------------------------------------------------------------

  #route() {
    const found = /project=([0-9a-f]{24})/.exec(location.hash);
    if (found && found[1] !== this.project) this.open(found[1]);
    else if (!found) this.leave();
  }

  /** A new project of an upload, or the example. */
  async create(data) {
    try {
      this.start.busy(`${TEXTS.opening}…`);
      const { id } = await this.server.ask("/projects", data);
      await this.open(id);
    } catch (error) {
      this.complain(error.message || TEXTS.lost);
    } finally {
      this.start.busy("");
    }
  }

  /** Back to the start; the project is kept. */
  async leave() {
    await this.saver.settled();
    this.#close();
    this.host.dataset.screen = "start";
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    await this.start.render();
    this.host.dataset.ready = "yes";
  }

  #close() {
    if (this.unfollow) this.unfollow();
    this.transport.close();
    this.project = null;
    this.sound = null;
    this.timeline = null;
  }

  async open(id) {
    let state;
    try {
      state = await this.server.ask(`/projects/${id}`);
    } catch (error) {
      this.complain(error.message || TEXTS.lost);
      return this.leave();
    }
    const again = this.project === id;
    if (!again) {
      this.#close();
      this.history.done = [];
      this.history.undone = [];
      this.active = null;
      this.view.selection = null;
      this.side = "edited";
    }
    this.project = id;
    this.name = state.name;
    this.host.dataset.screen = "edit";
    this.offered = state.offered;
    this.listening = state.listening;
    this.script.setTokens(state.tokens);
    this.script.takes = new Map(Object.entries(state.takes));
    this.script.failures = new Map(Object.entries(state.failures));
    this.script.edits = state.edits;
    this.making = new Map(state.making.map((key) => [key, ""]));
    this.active = this.active && state.edits.find((edit) => edit.key === this.active.key) || null;
    this.saver.opened(state.revision);
    if (`#project=${id}` !== location.hash) history.pushState(null, "", `#project=${id}`);
    if (state.sound && (!this.sound || !again)) {
      this.sound = state.sound;
      this.transport.open(id, state.sound);
      this.transport.timeline = null;
      this.#retime();
      this.audio.reset();
    }
    if (this.unfollow) this.unfollow();
    this.unfollow = this.server.follow(id, state.version, (event) => this.#happened(event), (reached) => this.saver.reached(reached));
    this.render();
    if (state.draft && !again) this.#redraft(state.draft);
    this.host.dataset.ready = "yes";
  }

  #redraft({ first, last, text }) {
    const a = this.script.index.get(first), b = this.script.index.get(last);
    if (a === undefined || b === undefined) return;
    this.view.select(a, b, false);
    this.view.write(text);
  }

  /** Something has happened on the server. */
  #happened(event) {
    switch (event.kind) {
      case "reload": return this.open(this.project);
      case "part":
        this.script.setPart(event.part, event.tokens);
        if (event.corrected) this.view.selection = null;
        return this.render();
      case "listening": this.listening = event; return this.parts.refresh();
      case "making": this.making.set(event.key, event.step); return this.changes.render();
      case "takes": {
        this.making.delete(event.key);
        const before = this.script.takes.get(event.key)?.length || 0;
        this.script.takes.set(event.key, event.takes);
        this.script.failures.delete(event.key);
        const edit = this.script.edits.find((each) => each.key === event.key);
        if (edit && before && event.takes.length > before) this.choose(edit, event.takes[event.takes.length - 1].number, false);
        this.render();
        if (edit && this.wanted === edit) { this.wanted = null; this.playEdit(edit); }
        if (edit) this.view.said.textContent = tell(TEXTS.ready, edit.text || TEXTS.deleted);
        return;
      }
      case "failed":
        this.making.delete(event.key);
        this.script.failures.set(event.key, event.sentence);
        return this.render();
      case "refused": this.making.delete(event.key); this.exporting = false; this.changes.render(); this.parts.refresh(); return this.complain(event.sentence);
      case "exported": return this.#fetch();
      case "saved": return this.saver.heard(event.revision);
    }
  }

  // ---- showing ----------------------------------------------------------------------------------

  render() {
    this.#retime();
    this.view.render();
    this.changes.render();
    this.parts.refresh();
    this.audio.draw();
  }

  #retime() {
    if (!this.sound) return;
    this.editedLine = edited(this.script, this.sound.samples);
    this.originalLine = new Timeline(this.sound.samples);
    this.replaced = new Set(this.script.places().flatMap(({ first, last }) => Array.from({ length: last - first }, (_, k) => first + k)));
    this.timeline = this.editedLine;
    this.transport.setTimeline(this.side === "edited" ? this.editedLine : this.originalLine);
  }

  /** The edits have the names under which their takes are known. */
  keyed() {
    this.render();
  }

  isReplaced(k) { return this.replaced ? this.replaced.has(k) : false; }

  stepOf(edit) {
    return this.making.get(edit.key) && !this.script.takesOf(edit).length ? `${TEXTS.state.making}` : "";
  }

  isMaking(edit) { return this.making.has(edit.key); }

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

  tick() {
    if (!this.sound) return;
    const { place, playing } = this.transport;
    this.parts.clock.firstChild.textContent = clock(place / this.sound.sample_rate, true);
    this.parts.clock.lastChild.textContent = ` / ${clock((this.transport.timeline?.length || 0) / this.sound.sample_rate, true)}`;
    this.view.light(playing || place > 0 ? this.heardToken() : -1);
    if (playing) {
      this.audio.follow();
      if (!this.ticking) this.ticking = requestAnimationFrame(() => { this.ticking = 0; this.tick(); });
    } else this.audio.draw();
  }

  complain(sentence) { this.dialogs.say(sentence, true); }
  ask(question, yes, done) { this.dialogs.ask(question, yes, done); }

  // ---- selecting and hearing --------------------------------------------------------------------

  setMode(mode) {
    this.view.finish(true);
    this.mode = mode;
    this.view.clear();
    this.parts.refresh();
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

  seekAxis(at) {
    if (!this.timeline) return;
    this.sweep = null;
    this.transport.seek(this.timeline.convert("at", this.side === "edited" ? "out" : "source", at));
    this.audio.draw();
  }

  playToken(k) {
    if (this.transport.playing && !this.transport.run.until) return this.transport.seek(this.#outOf(this.script.tokens[k].start * this.sound.sample_rate));
    const place = this.script.placeAt(k);
    if (place && this.side === "edited" && this.timeline.spanOf(place.edit)) return this.playEdit(place.edit);
    return this.playTokens(k, k + 1);
  }

  playTokens(first, last) {
    if (!this.sound) return;
    const rate = this.sound.sample_rate, { tokens } = this.script;
    this.transport.play(this.#outOf(Math.max(0, tokens[first].start - 0.02) * rate), this.#outOf((tokens[last - 1].end + 0.02) * rate));
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

  // ---- changing ---------------------------------------------------------------------------------

  /** The list of edits becomes another one, as a step that can be taken back. */
  change(edits, label, active = this.active) {
    const before = this.script.edits, was = this.active;
    const set = (list, selected) => {
      this.script.edits = list;
      this.active = list.includes(selected) ? selected : null;
      this.saver.save();
      this.render();
    };
    this.history.add({ label, undo: () => set(before, was), redo: () => set(edits, active) });
    set(edits, active);
  }

  /** Tokens [first, last) become a text: a change, or in the other mode a correction. */
  write(first, last, text, play = false) {
    this.saver.draft(null);
    text = text.trim().replace(/\s+/g, " ");
    if (this.mode === "correct") return this.#correct(first, last, text);
    const places = this.script.places();
    if (first === last && !text && !places.some((place) => place.first === first && place.last === last)) return null;
    if (text === this.script.textOf(first, last) && first !== last) {
      if (play && this.active) this.playEdit(this.active);
      return null;
    }
    const { edits, edit } = this.script.replaced(first, last, text);
    this.view.selection = null;
    this.change(edits, text || TEXTS.deleted, edit);
    if (edit && play) this.wanted = edit;
    return edit;
  }

  /** Several at once, as one step: [first, last, text] of each. */
  writeAll(wanted) {
    if (this.mode === "correct" || !wanted.length) return;
    const before = this.script.edits;
    for (const [first, last, text] of wanted) this.script.edits = this.script.replaced(first, last, text).edits;
    const after = this.script.edits;
    this.script.edits = before;
    this.change(after, TEXTS.replace_all, null);
  }

  /** What was misheard is something else: nothing is made, and the sound stays as it is. */
  async #correct(first, last, text) {
    const { tokens } = this.script;
    const was = this.script.tokens.slice(first, last).map((token) => token.text).join(" ");
    if (first === last || text === was) return;
    const left = first ? tokens[first - 1].id : -1, right = last < tokens.length ? tokens[last].id : null;
    const put = async (words) => {
      const from = left === -1 ? 0 : this.script.index.get(left) + 1;
      const until = right === null ? this.script.tokens.length : this.script.index.get(right);
      const ids = this.script.tokens.slice(from, until).map((token) => token.id);
      await this.server.ask(`/projects/${this.project}/correct`, { after: left, tokens: ids, text: words }).catch((error) => this.complain(error.message || TEXTS.lost));
    };
    await this.saver.settled();
    this.history.add({ label: text, undo: () => put(was), redo: () => put(text) });
    await put(text);
  }

  #with(edit, more) {
    const other = { ...edit, ...more };
    return [this.script.edits.map((each) => (each === edit ? other : each)), other];
  }

  choose(edit, take, step = true) {
    const [edits, other] = this.#with(edit, { take });
    if (this.looped === edit) this.looped = other;
    if (step) this.change(edits, tell(TEXTS.take, take + 1), other);
    else {
      this.script.edits = edits;
      if (this.active === edit) this.active = other;
      this.saver.save();
    }
    if (!this.transport.playing && step) this.playEdit(other);
  }

  accept(edit, accepted) {
    const [edits, other] = this.#with(edit, { accepted });
    this.change(edits, TEXTS.accept, other);
  }

  acceptAll() {
    const edits = this.script.edits.map((edit) => (this.script.stateOf(edit) === "made" ? { ...edit, accepted: true } : edit));
    this.change(edits, TEXTS.accept_all, null);
  }

  revert(edit) {
    this.change(this.script.edits.filter((each) => each !== edit), TEXTS.revert, null);
    this.view.body.focus({ preventScroll: true });
  }

  rewrite(edit) {
    this.activate(edit, true);
    this.view.write();
  }

  async again(edit, how) {
    await this.saver.settled();
    const current = this.script.edits.find((each) => each.key === edit.key) || edit;
    this.making.set(current.key, "");
    this.script.failures.delete(current.key);
    this.changes.render();
    await this.server.ask(`/projects/${this.project}/takes`, { key: current.key, ...how }).catch((error) => {
      this.making.delete(current.key);
      this.complain(error.message || TEXTS.lost);
      this.changes.render();
    });
  }

  /** A word's edge was dragged. */
  async moveWord(token, was) {
    const now = { start: token.start, end: token.end };
    const put = (times) => this.server.ask(`/projects/${this.project}/times`, { id: token.id, ...times }).catch((error) => {
      Object.assign(token, was);
      this.audio.draw();
      this.complain(error.message || TEXTS.lost);
    });
    this.history.add({ label: token.text, undo: () => put(was), redo: () => put(now) });
    await put(now);
  }

  undo() { this.view.finish(true); this.history.undo(); }
  redo() { this.view.finish(true); this.history.redo(); }

  // ---- taking home ------------------------------------------------------------------------------

  async download() {
    this.view.finish(true);
    await this.saver.settled();
    this.exporting = true;
    this.parts.refresh();
    try {
      await this.server.ask(`/projects/${this.project}/export`, { kind: (window.a3tSettings || {}).kind || "" });
    } catch (error) {
      this.exporting = false;
      this.parts.refresh();
      this.complain(error.message || TEXTS.lost);
    }
  }

  #fetch() {
    if (!this.exporting) return;
    this.exporting = false;
    this.parts.refresh();
    const link = document.createElement("a");
    link.href = `${this.server.root}/projects/${this.project}/download`;
    link.download = "";
    this.host.append(link);
    link.click();
    link.remove();
  }
}
