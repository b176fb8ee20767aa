// The editor: the open project, the selection, playback. Everything else follows it.

import { kept } from "./browser_storage.js";
import { AudioView } from "./sound/audio_view.js";
import { ChangesView } from "./panels/changes_view.js";
import { CleaningView } from "./panels/cleaning_view.js";
import { Dialogs } from "./panels/dialogs.js";
import { Editing } from "./editing.js";
import { Exporting } from "./exporting.js";
import { Film } from "./sound/film.js";
import { Hearing } from "./hearing.js";
import { build } from "./panels/layout.js";
import { RecordingsView } from "./panels/recordings_view.js";
import { Saver } from "./saver.js";
import { Settings } from "./panels/settings.js";
import { Saying } from "./panels/saying.js";
import { ScriptView } from "./script/script_view.js";
import { StartView } from "./start/start_view.js";
import { State } from "./state.js";
import { TEXTS, clock, tell } from "./texts.js";
import { Timeline, edited } from "./sound/timeline.js";
import { listenToKeys } from "./panels/shortcuts.js";

export class App extends State {
  /** @param {HTMLElement} host @param {import("./server.js").Server} server */
  constructor(host, server) {
    super(server);
    this.host = host;
    this.saver = new Saver(this);
    /** @type {{id: string}|null} the project that was asked for last */
    this.opening = null;
    this.hearing = new Hearing(this);
    this.editing = new Editing(this);
    this.exporting = new Exporting(this);
    this.ticking = 0;
    this.parts = build(host, this);
    this.cleaning = new CleaningView(this.parts.cleaning, this);
    this.recordings = new RecordingsView(this.parts.recordings, this);
    this.view = new ScriptView(this.parts.script, this);
    this.changes = new ChangesView(this.parts.changes, this);
    this.audio = new AudioView(this.parts.audio, this);
    this.dialogs = new Dialogs(host, this);
    if (!kept.isKept) this.dialogs.say(TEXTS.keeps_nothing);
    this.settings = new Settings(host, this);
    this.saying = new Saying(host, this);
    this.film = new Film(this.parts.film, this);
    this.start = new StartView(this.parts.start, this);
    this.history.changed = () => this.parts.refresh();
    this.transport.changed = () => { this.view.text.setFollows(this.view.text.follows || !this.transport.playing); this.parts.refresh(); this.tick(); };
    this.transport.failed = () => this.complain(TEXTS.lost);
    listenToKeys(this);
    addEventListener("hashchange", () => this.#route());
    addEventListener("beforeunload", (event) => { if (this.saver.pending || this.start.recording) event.preventDefault(); });
    this.start.allow().then(() => this.#route());
  }

  /** Asks the server for something of the project; says so if it is refused, once that is `undone`. */
  asked(name, data, undone = () => {}) {
    return this.server.ask(`/projects/${this.project}/${name}`, data).catch((error) => { undone(); this.complain(error.message || TEXTS.lost); });
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
      const { id } = await this.server.ask("/projects", data);
      await this.open(id);
    } catch (error) {
      const there = error.told && error.told.exists;
      if (!there) throw error;
      const again = (onto) => () => this.start.begin("", () => this.create({ ...data, onto }));
      this.dialogs.ask(tell(TEXTS.exists, there.name, TEXTS.edits(there.edits)), [[TEXTS.keep_both, again("both")], [TEXTS.replace_project, again("replace"), true]]);
    }
  }

  /** Back to the start; the project is kept. */
  async leave() {
    this.opening = null;
    this.view.field.finish(true);
    this.#close();
    this.host.dataset.screen = "start";
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    this.#tellFrame("");
    await this.start.render();
    this.host.dataset.ready = "yes";
  }

  /** The page around this one, if there is one, shows the project in its address. @param {string} project */
  #tellFrame(project) { if (parent !== window) parent.postMessage({ project }, location.origin); }

  #close() {
    if (this.unfollow) this.unfollow();
    this.transport.close();
    this.film.open(null);
    this.saver.leave();
    this.exporting.wanted = null;
    this.project = null;
    this.sound = null;
    this.timeline = null;
  }

  /** Takes the choices and options that the server offers. @param {any} limits */
  offer(limits) {
    this.settings.offer(limits);
    this.cleaning.offer(limits.cleaning);
  }

  /** Shows a project, unless the user has left or opened another before it has come. */
  async open(id) {
    const opening = this.opening = { id };
    let state;
    try {
      if (this.project !== id) await this.saver.flush(id);
      state = await this.server.ask(`/projects/${id}`);
      if (this.opening !== opening) return;
    } catch (error) {
      if (this.opening !== opening) return;
      await this.leave();
      return this.start.refuse(error.message || TEXTS.lost);
    }
    const again = this.project === id;
    if (!again) this.start.stop();
    if (!again) {
      this.#close();
      this.beside();
      this.active = null;
      this.view.selected.selection = null;
      this.side = "edited";
    }
    this.project = id;
    this.name = state.name;
    this.host.dataset.screen = "edit";
    this.offered = state.offered;
    this.limits = state.limits;
    this.script.doubtfulBelow = state.limits.doubtful_below;
    this.pronunciations = state.pronunciations;
    this.names = state.names;
    this.marks = state.marks;
    this.recordings.update(state.recordings);
    this.listening = state.listening;
    this.script.missing = state.listening.missing;
    this.script.setTokens(state.listening.other_text === null ? state.tokens : []);
    if (!again) this.script.edits = [];
    this.#edits(state);
    if (!again) this.history.open(state.done, state.undone);
    if (`#project=${id}` !== location.hash) history.pushState(null, "", `#project=${id}`);
    this.#tellFrame(id);
    if (state.sound && (!this.sound || !again)) {
      this.sound = state.sound;
      this.transport.open(id, state.sound);
      this.transport.timeline = null;
      this.#retime();
      this.audio.axis.reset();
      this.film.open(state.film === null ? null : `${this.server.root}/projects/${id}/film`, state.film);
    }
    if (this.unfollow) this.unfollow();
    this.unfollow = this.server.follow(id, state.version, (event) => this.#happened(event), (reached) => this.saver.reached(reached), () => this.#reopen(id));
    this.render();
    if (state.draft && !again) this.#redraft(state.draft);
    else if (!again) this.view.focus();
    this.host.dataset.ready = "yes";
  }

  /** Its events have ended: a proxy has refused them, or there is no such project any more. */
  #reopen(id) {
    setTimeout(async () => {
      if (this.project !== id) return;
      const status = await this.server.ask(`/projects/${id}/script`).then(() => 200, (error) => error.status);
      if (status === 200 || status === 404) this.open(id);
      else this.#reopen(id);
    }, 500);
  }

  /** The changes and their takes, as the server has them, with what it has not been told. */
  #edits(told) {
    this.script.takes = new Map(Object.entries(told.takes));
    this.script.failures = new Map(Object.entries(told.failures));
    this.making = new Set(told.making);
    if (told.revision >= this.saver.revision) this.editing.adopt(this.saver.opened(told));
  }

  /** Another window has changed them. */
  async refresh() {
    const { project } = this;
    const told = await this.server.ask(`/projects/${project}/script`).catch(() => null);
    if (!told || this.project !== project) return;
    this.#edits(told);
    this.render();
  }

  /** What stood in the field stands there again. */
  #redraft({ first, last, text, mode }) {
    const a = this.script.index.get(first), b = this.script.index.get(last);
    if (a === undefined || b === undefined) return;
    this.view.selected.select(a, b, false);
    this.view.field.write(null, mode, text);
    this.saver.drafted = { first, last, text, mode };
  }

  /** On a phone the changes come from below. @param {boolean} open */
  showChanges(open) { this.host.dataset.sheet = open ? "open" : ""; }

  /** What stands beside the script: the changes, or a panel in their place. @param {"changes"|"cleaning"|"recordings"} panel */
  beside(panel = "changes") {
    for (const each of ["changes", "cleaning", "recordings"]) this.parts[each].hidden = each !== panel;
    this.cleaning.toggle(panel === "cleaning");
    this.showChanges(panel !== "changes"); // on a phone it stands in the same sheet
  }

  /** Something has happened on the server. */
  #happened(event) {
    switch (event.kind) {
      case "reload": return this.open(this.project);
      case "name": this.name = event.name; return this.parts.refresh();
      case "gone": {
        const { project } = this;
        const back = () => this.start.begin("", () => this.server.ask(`/projects/${project}/restore`, {}).then(() => this.open(project)));
        return this.leave().then(() => this.start.refuse(event.sentence, event.binned && [TEXTS.restore, back]));
      }
      case "part":
        this.view.following(() => {
          this.script.setPart(event.ids, event.tokens);
          this.script.correct(this.saver.corrections);
        });
        this.cleaning.look();
        return this.render();
      case "corrections":
        this.saver.correcting = event.corrections;
        this.editing.adopt(this.script.edits);
        return this.render();
      case "listening":
        this.listening = event;
        this.script.missing = event.missing;
        this.looked = null;
        if (event.other_text !== null) this.script.setTokens([]);
        this.render();
        return this.exporting.exportNext();
      case "making": this.making.add(event.key); return this.changes.render();
      case "takes": {
        const before = this.script.takes.get(event.key)?.length || 0;
        this.script.takes.set(event.key, event.takes);
        this.script.failures.delete(event.key);
        const edit = this.script.edits.find((each) => this.script.madeOf(each) === event.key);
        const made = event.takes[event.takes.length - 1], isAsked = !before || typeof made.recorded !== "number";
        if (isAsked) this.making.delete(event.key);
        if (isAsked && edit && event.takes.length > before && (before || made.punch_in) && this.wants.delete(event.key)) this.editing.choose(edit, made.number, this.active);
        this.render();
        if (edit && this.wanted && this.script.madeWith(edit).includes(this.wanted)) { this.wanted = null; this.hearing.playEdit(edit); }
        if (edit) this.view.text.said.textContent = tell(TEXTS.ready, edit.text || TEXTS.deleted);
        return this.exporting.exportNext();
      }
      case "recordings": return this.recordings.fetch();
      case "speakers": return this.editing.speakersTold(event.step);
      case "marks": this.marks = event.marks; return this.parts.refresh();
      case "names": this.names = event.names; return;
      case "pronounced": this.pronunciations = event.pronunciations; return this.changes.render();
      case "failed":
        this.making.delete(event.key);
        this.script.failures.set(event.key, event.sentence);
        this.render();
        return this.exporting.exportNext();
      case "refused": this.making.delete(event.key); this.telling = false; this.exporting.stopExport(); this.changes.render(); return this.complain(event.sentence);
      case "exported": return this.exporting.fetchExport();
      case "saved": return this.saver.heard(event.revision);
    }
  }

  // ---- showing ----------------------------------------------------------------------------------

  render() {
    this.#retime();
    this.cleaning.sort();
    this.view.text.render();
    this.changes.render();
    this.cleaning.render();
    this.film.render();
    this.parts.refresh();
    this.audio.axis.draw();
  }

  #retime() {
    if (!this.sound) return;
    this.editedLine = edited(this.script, this.sound.samples);
    this.originalLine = new Timeline(this.sound.samples);
    this.replaced = new Set(this.script.places().flatMap(({ first, last }) => Array.from({ length: last - first }, (_, k) => first + k)));
    this.timeline = this.editedLine;
    this.transport.setTimeline(this.side === "edited" ? this.editedLine : this.originalLine);
  }

  isReplaced(k) { return this.replaced ? this.replaced.has(k) : false; }

  isMaking(edit) { return this.making.has(this.script.madeOf(edit)); }

  tick() {
    if (!this.sound) return;
    const { place, playing } = this.transport;
    this.showClock();
    this.film.follow();
    this.view.text.light(playing || place > 0 ? this.hearing.heardToken() : -1);
    this.hearing.look(this.hearing.heardSource() / this.sound.sample_rate);
    if (playing) {
      if (this.view.text.follows) this.audio.axis.follow();
      else this.audio.axis.draw();
      if (!this.ticking) this.ticking = requestAnimationFrame(() => { this.ticking = 0; this.tick(); });
    } else this.audio.axis.draw();
  }

  showClock() {
    if (!this.sound) return;
    const { place, timeline } = this.transport, rate = this.sound.sample_rate;
    this.parts.clock.firstChild.textContent = clock(place / rate, true);
    this.parts.clock.lastChild.textContent = ` / ${clock((timeline?.length || 0) / rate, true)}`;
  }

  complain(sentence) { this.dialogs.say(sentence, true); }
}
