// The editor: its parts, and the project that is open in them. What is done in one of them shows in all.

/** @import { Draft, ProjectEvent, ShownProject, ShownScript } from "./records" */

import { kept } from "./browser_storage.js";
import { AudioView } from "./sound/audio_view.js";
import { ChangesView } from "./panels/changes_view.js";
import { CleaningView } from "./panels/cleaning_view.js";
import { Dialogs } from "./panels/dialogs.js";
import { Editing } from "./editing.js";
import { make } from "./elements.js";
import { ExportSheet } from "./panels/export_sheet.js";
import { Exporting } from "./exporting.js";
import { Film } from "./sound/film.js";
import { Finder } from "./panels/finder.js";
import { Header } from "./panels/header.js";
import { Hearing } from "./hearing.js";
import { build } from "./panels/layout.js";
import { LearningView } from "./panels/learning_view.js";
import { RecordingsView } from "./panels/recordings_view.js";
import { textOf } from "./script/recorded.js";
import { Saver } from "./saver.js";
import { Settings } from "./panels/settings.js";
import { Saying } from "./panels/saying.js";
import { ScriptView } from "./script/script_view.js";
import { Refusal, messageOf } from "./server.js";
import { StartView } from "./start/start_view.js";
import { State } from "./state.js";
import { TEXTS, named, tell } from "./texts.js";
import { Timeline, edited } from "./sound/timeline.js";
import { TransportBar } from "./panels/transport_bar.js";
import { listenToKeys } from "./panels/shortcuts.js";

const PANELS = /** @type {const} */ (["changes", "cleaning", "recordings"]);

export class App extends State {
  /** @param {HTMLElement} host @param {import("./server.js").Server} server */
  constructor(host, server) {
    super(server);
    this.host = host;
    /** @type {{id: string}|null} the project that was asked for last */
    this.opening = null;
    /** @type {(() => void)|null} ends the project's events */
    this.unfollow = null;
    this.ticking = 0;
    const hosts = this.hosts = build(host, () => this.focus());
    this.saver = new Saver(this, (edits) => this.editing.adopt(edits));
    this.hearing = new Hearing(this);
    this.dialogs = new Dialogs(host, this);
    if (!kept.isKept) this.dialogs.say(TEXTS.keeps_nothing);
    this.editing = new Editing(this, this.saver, this.hearing, this.dialogs);
    const settings = this.settingsDialog = new Settings(host, this, this.saver);
    this.saying = new Saying(host, this, this.editing);
    this.film = new Film(hosts.film, this);
    this.exporting = new Exporting(this, this.saver, this.film);
    this.cleaning = new CleaningView(hosts.cleaning, this, this.editing, this.hearing);
    this.view = new ScriptView(hosts.script, this, this.saver, this.hearing, this.editing, this.cleaning, this.saying);
    this.recordings = new RecordingsView(hosts.recordings, this, (words) => this.view.paste(textOf(words), words));
    this.changes = new ChangesView(hosts.changes, this, this.editing, this.hearing, this.saying, (edit) => this.view.rewrite(edit));
    this.learning = new LearningView(hosts.changes, this, settings, this.dialogs);
    this.audio = new AudioView(hosts.audio, this, this.editing, this.hearing, this.view);
    this.finder = new Finder(hosts.script, this, this.editing, this.hearing, this.view);
    this.header = new Header(hosts.header, hosts.problem, this, this.saver, this.editing, this.exporting, new ExportSheet(this, settings, this.exporting), this.dialogs, {
      leave: () => this.leave(), find: () => this.finder.open(), clean: () => this.beside("cleaning"),
      settings: () => settings.open(), sheet: () => this.showChanges(host.dataset.sheet !== "open"),
    });
    const tab = (/** @type {typeof PANELS[number]} */ panel) => make("button", { type: "button", class: "quiet", role: "tab", "data-name": `tab ${panel}`, onclick: () => { this.beside(panel); this.showChanges(true); } });
    this.tabs = { changes: tab("changes"), cleaning: tab("cleaning"), recordings: tab("recordings") };
    hosts.tabs.append(...Object.values(this.tabs));
    this.bar = new TransportBar(hosts.transport, hosts.picture, this, this.hearing, this.audio.axis);
    this.start = new StartView(hosts.start, this, this.dialogs, () => settings.open(), {
      create: (data) => this.create(data), open: (id) => this.open(id), offer: (limits) => { settings.offer(limits); this.cleaning.offer(limits.cleaning); },
    });
    this.history.changed = () => this.refresh();
    this.transport.changed = () => { this.view.text.setFollows(this.view.text.follows || !this.transport.playing); this.refresh(); this.tick(); };
    this.transport.failed = () => this.complain(TEXTS.lost);
    listenToKeys(host, { state: this, editing: this.editing, hearing: this.hearing, exporting: this.exporting, axis: this.audio.axis, dialogs: this.dialogs, finder: this.finder });
    for (const how of /** @type {const} */ (["dragover", "drop"])) host.addEventListener(how, (event) => {
      if (!this.project || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault(); // or the browser leaves the page
      const files = [...event.dataTransfer.files];
      if (how === "drop" && files.length) this.dialogs.ask(TEXTS.dropped, [[TEXTS.add_recordings, () => { this.beside("recordings"); this.recordings.add(files, "source"); }], [TEXTS.open_new, () => this.leave().then(() => this.start.take(files))]]);
    });
    addEventListener("hashchange", () => this.#route());
    addEventListener("beforeunload", (event) => { if (this.saver.pending || this.start.recording) event.preventDefault(); });
    this.start.allow().then(() => this.#route());
  }

  // ---- projects ---------------------------------------------------------------------------------

  #route() {
    const found = /project=([0-9a-f]{24})/.exec(location.hash);
    if (found && found[1] !== this.project) this.open(found[1]);
    else if (!found) this.leave();
  }

  /** A new project of an upload, or the example. @param {{upload?: string, tracks?: string[], text?: string, example?: boolean, onto?: "both"|"replace"}} data @returns {Promise<void>} */
  async create(data) {
    try {
      const { id } = await this.server.ask("/projects", data);
      await this.open(id);
    } catch (error) {
      const there = error instanceof Refusal && error.told.exists;
      if (!there) throw error;
      const again = (/** @type {"both"|"replace"} */ onto) => () => this.start.begin("", () => this.create({ ...data, onto }));
      this.dialogs.ask(tell(TEXTS.exists, there.name, TEXTS.edits(there.edits)), [[TEXTS.keep_both, again("both")], [TEXTS.replace_project, again("replace"), true]]);
    }
  }

  /** Back to the start; the project is kept. */
  async leave() {
    this.opening = null;
    this.finish();
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
    this.unfollow?.();
    this.transport.close();
    this.film.open(null);
    this.saver.leave();
    this.exporting.wanted = this.telling = null;
    this.wants.clear();
    this.project = null;
    this.sound = null;
    this.tracks = [];
    this.timeline = this.originalLine = new Timeline(0);
  }

  /** Shows a project, unless the user has left or opened another before it has come. @param {string} id @returns {Promise<void>} */
  async open(id) {
    const opening = this.opening = { id };
    /** @type {ShownProject} */
    let state;
    try {
      if (this.project !== id) await this.saver.flush(id);
      state = await this.server.ask(`/projects/${id}`);
      if (this.opening !== opening) return;
    } catch (error) {
      if (this.opening !== opening) return;
      await this.leave();
      return this.start.refuse(messageOf(error));
    }
    const again = this.project === id;
    if (!again) this.start.stop();
    if (!again) {
      this.#close();
      this.beside();
      this.active = null;
      this.selection = null;
      this.side = "edited";
    }
    this.project = id;
    if (!again) this.settingsDialog.opened();
    this.name = state.name;
    this.host.dataset.screen = "edit";
    this.offered = state.offered;
    this.limits = state.limits;
    this.script.doubtfulBelow = state.limits.doubtful_below;
    this.pronunciations = state.pronunciations;
    this.names = state.names;
    this.tellsSpeakers = state.tells_speakers;
    this.marks = state.marks;
    this.voice = state.voice;
    this.recordings.update(state.recordings);
    this.listening = state.listening;
    this.script.missing = state.listening.missing;
    this.script.setTokens(state.listening.other_text === null ? state.tokens : []);
    if (!again) this.script.edits = [];
    this.#edits(state);
    if (!again || state.first_id !== this.firstId) this.history.open(state.done, state.undone); // of other words
    this.firstId = state.first_id;
    if (`#project=${id}` !== location.hash) history.pushState(null, "", `#project=${id}`);
    this.#tellFrame(id);
    const isNew = state.sound && (!again || this.sound?.samples !== state.sound.samples || this.sound.channels !== state.sound.channels);
    if (state.sound && isNew) {
      this.sound = state.sound;
      this.tracks = state.tracks;
      this.muted.clear();
      this.solo = null;
      this.transport.open(id, state.sound, state.tracks.map(({ channels }) => channels));
      this.#retime();
      this.audio.axis.reset();
      this.film.open(state.film === null ? null : `${this.server.root}/projects/${id}/film`, state.film ?? 0);
    }
    this.unfollow?.();
    this.unfollow = this.server.follow(id, state.version, (event) => this.#happened(event), (reached) => this.#reached(reached), () => this.#reopen(id));
    this.render();
    if (again) this.editing.resume();
    if (state.draft && !again) this.#redraft(state.draft);
    else if (!again) this.focus();
    this.host.dataset.ready = "yes";
  }

  /** Whether the server answers: what it has not confirmed is sent again, and what it was doing is asked about. @param {boolean} answers */
  #reached(answers) {
    this.saver.reached(answers);
    if (!answers) return;
    this.requests.wake();
    this.requests.flush();
    this.exporting.resume();
  }

  /** Its events have ended: a proxy has refused them, or there is no such project any more. @param {string} id */
  #reopen(id) {
    setTimeout(async () => {
      if (this.project !== id) return;
      const status = await this.server.ask(`/projects/${id}/script`).then(() => 200, (error) => error.status);
      if (status === 200 || status === 404) this.open(id);
      else this.#reopen(id);
    }, 500);
  }

  /** The changes and their takes, as the server has them, with what it has not been told. @param {ShownScript} told */
  #edits(told) {
    this.script.takes = new Map(Object.entries(told.takes));
    this.script.failures = new Map(Object.entries(told.failures));
    this.making = new Set(told.making);
    if (told.revision >= this.saver.revision) this.editing.adopt(this.saver.opened(told));
  }

  async reload() {
    const { project } = this;
    const told = await this.server.ask(`/projects/${project}/script`).catch(() => null);
    if (!told || this.project !== project) return;
    this.#edits(told);
    this.render();
  }

  /** What stood in the field stands there again. @param {Draft} draft */
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
    for (const each of PANELS) {
      this.hosts[each].hidden = each !== panel;
      this.tabs[each].setAttribute("aria-selected", String(each === panel));
    }
    this.cleaning.toggle(panel === "cleaning");
    this.showChanges(panel !== "changes"); // on a phone it stands in the same sheet
  }

  /** Something has happened on the server. @param {ProjectEvent} event @returns {unknown} */
  #happened(event) {
    switch (event.kind) {
      case "reload": return this.project && this.open(this.project);
      case "name": this.name = event.name; return this.refresh();
      case "gone": {
        const { project } = this;
        const back = () => this.start.begin("", () => this.server.ask(`/projects/${project}/restore`, {}).then(() => this.open(/** @type {string} */ (project))));
        return this.leave().then(() => this.start.refuse(event.sentence, event.binned ? [TEXTS.restore, back] : undefined));
      }
      case "part":
        this.view.following(() => {
          this.script.setPart(event.gone, event.tokens);
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
        if (edit) this.view.text.said.textContent = tell(TEXTS.ready, named(this.script, edit) || TEXTS.deleted);
        return this.exporting.exportNext();
      }
      case "voice": this.voice = event.voice; return this.learning.render();
      case "recordings": return this.recordings.fetch();
      case "speakers": return this.editing.speakersTold(event.step);
      case "marks": this.marks = event.marks; return this.refresh();
      case "names": this.names = event.names; return;
      case "pronounced": this.pronunciations = event.pronunciations; return this.changes.render();
      case "failed":
        this.making.delete(event.key);
        this.script.failures.set(event.key, event.sentence);
        this.render();
        return this.exporting.exportNext();
      case "refused": this.making.delete(event.key); this.telling = null; this.exporting.stopExport(); this.changes.render(); return this.complain(event.sentence);
      case "exported": return this.exporting.fetchExport();
      case "saved": return this.saver.heard(event.revision);
    }
  }

  // ---- showing ----------------------------------------------------------------------------------

  render() {
    this.#retime();
    this.cleaning.sort();
    this.view.text.render();
    this.renderChanges();
    this.cleaning.render();
    this.learning.render();
    this.film.render();
    const counts = { changes: this.script.edits.length, cleaning: this.cleaning.offers.length, recordings: this.recordings.listed.length };
    for (const panel of PANELS) this.tabs[panel].textContent = [TEXTS.panels[panel], counts[panel] || ""].join(" ").trim();
    this.refresh();
    this.redraw();
  }

  refresh() {
    this.header.render();
    this.bar.render();
    this.cleaning.showMarks();
  }

  renderChanges() { this.changes.render(); }
  redraw() {
    this.audio.tracks.render();
    this.audio.axis.draw();
  }

  /** @param {number} first @param {number} last */
  reveal(first, last) { this.audio.axis.reveal(first, last); }
  focus() { this.view.text.focus(); }
  finish() { this.view.field.finish(true); }

  /** @param {boolean} seen */
  activated(seen) {
    this.showChanges(true);
    this.view.text.render();
    this.renderChanges();
    if (!seen || !this.active) return;
    const place = this.script.placeOf(this.active), element = place && this.view.text.changeAt(place);
    if (element) this.view.text.follow(element);
    this.hosts.changes.querySelector(".card.active")?.scrollIntoView({ block: "nearest" });
  }

  #retime() {
    if (!this.sound) return;
    this.timeline = edited(this.script, this.sound.samples);
    this.originalLine = new Timeline(this.sound.samples);
    this.replaced = new Set(this.script.places().flatMap(({ first, last }) => Array.from({ length: last - first }, (_, k) => first + k)));
    this.transport.setTimeline(this.side === "edited" ? this.timeline : this.originalLine);
  }

  tick() {
    if (!this.sound) return;
    const { place, playing } = this.transport;
    this.bar.showClock();
    this.film.follow();
    const heard = playing || place > 0 ? this.hearing.heardToken() : -1;
    this.view.text.light(this.script.tokens[heard]?.waits ? -1 : heard);
    this.hearing.look(this.hearing.heardSource() / this.sound.sample_rate);
    if (playing) {
      if (this.view.text.follows) this.audio.axis.follow();
      else this.redraw();
      if (!this.ticking) this.ticking = requestAnimationFrame(() => { this.ticking = 0; this.tick(); });
    } else this.redraw();
  }

  /** @param {string} sentence */
  complain(sentence) { this.dialogs.say(sentence, true); }
}
