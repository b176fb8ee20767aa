// Where one begins: a recording dropped, chosen or made, an example, a recent project.

import { icon, make, show, tool } from "../elements.js";
import { LiveWords } from "./live_words.js";
import { drop, left, recorder } from "./microphone.js";
import { offerRecogniser } from "./recogniser.js";
import { messageOf } from "../server.js";
import { TEXTS, clock, tell } from "../texts.js";

/** The kinds of recordings, for a browser's dialog. */
export const SOUND = "audio/*,video/mp4,video/webm,video/quicktime,.wav,.flac,.mp3,.ogg,.opus,.m4a,.mp4,.webm,.mov,.aiff,.aac,.zip";
export const WORDS = ".txt,.docx,.odt,.rtf,.ttml,.dfxp,.lab,.srt,.vtt,.sbv,.ass,.ssa,.lrc,.ctm,.tsv,.TextGrid,.json";
/** @param {File} file */
export const isWords = ({ name }) => WORDS.split(",").some((ending) => name.toLowerCase().endsWith(ending.toLowerCase()));

const FEW = 8; // projects that are listed without a search

/** @import { Limits, LiveWord, RecentProject } from "../records" */
/**
 * What begins here. create: a project, of an upload, with tracks beside it, or the example. offer: the choices that the server has.
 * @typedef {object} Begins
 * @property {(data: {upload?: string, tracks?: string[], text?: string, example?: boolean}) => Promise<void>} create @property {(id: string) => Promise<void>} open
 * @property {(limits: Limits) => void} offer
 */

/** Megabytes, or gigabytes, as people count them. @param {number} bytes */
function size(bytes) {
  return bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(Math.ceil(bytes / 1e8) / 10).toString()} GB`;
}

/** What happens here: a word gives way to another one, in the script and in the sound. */
function picture() {
  const bars = Array.from({ length: 72 }, (_, k) => Math.abs(Math.sin(k * 0.9) * Math.sin(k * 0.23 + 1)) ** 0.7 * 26 + 3);
  const path = (/** @type {number} */ first, /** @type {number} */ last) => bars.slice(first, last).map((high, k) => `M${6 * (first + k) + 3} ${20 - high / 2}v${high.toFixed(1)}`).join("");
  const sound = make("span", { "aria-hidden": "true" }); // a drawing of its own, made of numbers alone
  sound.innerHTML = `<svg viewBox="0 0 432 40" fill="none" stroke-width="3" stroke-linecap="round"><path d="${path(0, 20)}${path(36, 72)}"/><path class="come" d="${path(20, 36)}"/></svg>`;
  const [before, old, fresh, after] = TEXTS.shown_example;
  return make("div", { class: "shown" }, make("p", {}, before, " ", make("del", {}, old), " ", make("ins", {}, fresh), " ", after), sound);
}

export class StartView {
  /** @param {HTMLElement} host @param {import("../state.js").State} state @param {import("../panels/dialogs.js").Dialogs} dialogs @param {() => void} settings opens them @param {Begins} begins */
  constructor(host, state, dialogs, settings, begins) {
    this.state = state;
    this.dialogs = dialogs;
    this.begins = begins;
    /** @type {Limits|null} null until the server has answered */
    this.limits = null;
    /** @type {Awaited<ReturnType<typeof recorder>>|null} */
    this.recording = null;
    /** @type {HTMLInputElement} */
    this.search = make("input", { type: "search", "aria-label": TEXTS.search, placeholder: TEXTS.search, hidden: true, oninput: () => this.render() });
    /** @type {HTMLInputElement} */
    this.chooser = make("input", { type: "file", accept: SOUND, multiple: true, "aria-label": TEXTS.choose, class: "hidden", tabindex: "-1", id: "studio-upload", onchange: () => this.take([...this.chooser.files || []]) });
    /** @type {HTMLInputElement} */
    this.words = make("input", { type: "file", accept: WORDS, "aria-label": TEXTS.text_file, class: "hidden", tabindex: "-1", id: "studio-words", onchange: () => this.begin("", () => this.#read(this.words.files?.[0])) });
    this.text = make("textarea", { rows: "4", "aria-label": TEXTS.own_text, placeholder: TEXTS.own_text_hint });
    this.record = make("span", {}, TEXTS.record);
    this.mic = make("button", { type: "button", class: "button", onclick: () => this.#record() }, icon("record"), this.record);
    /** @type {LiveWords|null} what is said, as words */
    this.live = null;
    this.spoken = make("p", { class: "spoken" });
    this.formats = make("p", { class: "formats" });
    this.recent = make("ul", { class: "recent" });
    this.whole = false; // whether all are listed
    this.rest = make("button", { type: "button", class: "quiet", hidden: true, onclick: () => { this.whole = true; this.render(); } });
    this.bin = make("details", { hidden: true });
    this.left = make("div", { class: "left", role: "status" });
    /** @type {(() => unknown)|null} does once more what was refused */
    this.again = null;
    this.note = make("div", { class: "busy", role: "status" });
    this.panel = make("div", { class: "start" },
      make("p", { class: "brand" }, make("strong", {}, "A3T"), " ", TEXTS.brand),
      make("div", { class: "hero" },
        make("h1", {}, TEXTS.title), picture(), make("p", { class: "lead" }, matchMedia("(hover: none)").matches ? TEXTS.lead_touch : TEXTS.lead),
        make("div", { class: "actions" },
          make("button", { type: "button", class: "button primary", onclick: () => this.chooser.click() }, icon("upload"), make("span", {}, TEXTS.choose)),
          this.mic,
          make("button", { type: "button", class: "button", id: "studio-example", onclick: () => this.begin(`${TEXTS.opening}…`, () => begins.create({ example: true })) }, icon("play"), make("span", {}, TEXTS.example))),
        this.spoken, this.note, this.left,
        this.own = make("details", {}, make("summary", {}, TEXTS.own_text, make("span", { class: "formats" }, TEXTS.paste_text)), this.text,
          make("button", { type: "button", class: "quiet", onclick: () => this.words.click() }, TEXTS.text_file)),
        this.formats, this.chooser, this.words),
      make("section", { class: "projects" }, make("h2", {}, TEXTS.recent), this.search, this.recent, this.rest, this.bin),
      make("p", { class: "consent" }, TEXTS.consent, " ", make("button", { type: "button", class: "quiet", onclick: settings }, TEXTS.settings)));
    host.append(this.panel);
    host.addEventListener("dragover", (event) => { event.preventDefault(); host.classList.add("dropping"); });
    host.addEventListener("dragleave", (event) => event.target === host && host.classList.remove("dropping"));
    host.addEventListener("drop", (event) => {
      event.preventDefault();
      host.classList.remove("dropping");
      this.take([...event.dataTransfer?.files || []]);
    });
    document.addEventListener("paste", (event) => { // a transcript, or files
      if (state.project || /** @type {HTMLElement} */ (event.target).closest("input, textarea")) return;
      const files = [...event.clipboardData?.files || []], text = event.clipboardData?.getData("text/plain").trim();
      if (files.length) this.take(files);
      else if (text) { this.text.value = text; this.own.open = true; }
    });
  }

  /** Does something that may be refused: why is said here, and it can be tried again. @param {string} sentence @param {() => Promise<any>} does */
  async begin(sentence, does) {
    this.again = () => this.begin(sentence, does);
    this.note.textContent = sentence;
    try {
      await does();
      if (this.note.textContent === sentence) this.note.textContent = "";
    } catch (error) {
      this.refuse(messageOf(error));
    }
  }

  /** @param {string} sentence @param {[string, () => unknown]|false} remedy */
  refuse(sentence, remedy = this.again ? [TEXTS.try_again, this.again] : false) {
    show(this.note, make("span", { class: "problem" }, sentence), remedy && make("button", { type: "button", class: "quiet strong", onclick: remedy[1] }, remedy[0]));
  }

  /** @param {File[]} files a recording, or a track of each speaker, perhaps with a transcript @param {string|null} kept by this name until it has arrived @param {Promise<LiveWord[]>|null} heard its words so far @returns {Promise<void>} */
  async take(files, kept = null, heard = null) {
    const words = files.find(isWords), sounds = files.filter((file) => !isWords(file)), [sound] = sounds;
    this.chooser.value = "";
    const { state, begins } = this;
    return this.begin("", async () => {
      if (words) await this.#read(words);
      if (sounds.length > 1 && sounds.some(({ name }) => /\.zip$/i.test(name))) throw new Error(TEXTS.too_many);
      if (!sound) return;
      const { limits } = this, large = limits && sounds.find((each) => each.size > limits.bytes);
      if (large) throw new Error(tell(TEXTS.too_large, large.name, size(large.size), size(limits.bytes)));
      /** @type {string[]} */
      const uploads = [];
      for (const each of sounds) uploads.push(await state.server.upload(each, (share) => { this.note.textContent = `${TEXTS.uploading} ${each.name}… ${Math.round(100 * share)} %`; }));
      const [upload, ...tracks] = uploads;
      if (!this.text.value.trim() && !/\.zip$/i.test(sound.name)) await offerRecogniser(state.server, this.note);
      this.note.textContent = `${TEXTS.opening}…`;
      await begins.create({ upload, tracks, text: this.text.value });
      const { project } = state;
      if (!project) return; // why was said
      this.note.textContent = this.text.value = "";
      if (kept) await drop(kept);
      this.#say();
      if (!heard) return;
      state.spoken = { project, words: await heard };
      state.render();
    });
  }

  /** @param {File} [file] */
  async #read(file) {
    if (!file) return;
    this.words.value = "";
    const upload = await this.state.server.upload(file);
    this.text.value = (await this.state.server.ask("/text", { upload })).text;
    this.own.open = true;
  }

  /** Shows what has been said so far, and whether words come late. */
  #say(final = "", provisional = "", late = false) {
    show(this.spoken, make("span", {}, final), " ", make("span", { class: "provisional" }, provisional), late && make("em", {}, TEXTS.late));
    if (!this.spoken.textContent.trim()) show(this.spoken);
    this.spoken.scrollTop = this.spoken.scrollHeight;
  }

  /** Another project is shown: what is being recorded ends, and is kept. */
  stop() {
    if (this.#stopped()) this.dialogs.say(TEXTS.recording_kept);
  }

  #stopped() {
    const { recording, live } = this;
    if (!recording) return null;
    this.recording = this.live = null;
    this.record.textContent = TEXTS.record;
    this.mic.classList.remove("live");
    return { kept: recording.id, file: recording.stop(), heard: live && live.end() };
  }

  async #record() {
    const made = this.#stopped();
    if (made) return this.take([made.file], made.kept, made.heard);
    try {
      this.#say();
      this.recording = await recorder((seconds, level, block, rate) => {
        this.live = this.live || new LiveWords(this.state.server, rate, (...said) => this.live && this.#say(...said));
        this.live.hear(block);
        this.record.textContent = `${TEXTS.stop_recording} · ${clock(seconds)}`;
        this.mic.style.setProperty("--level", `${Math.round(100 * Math.sqrt(level))}%`);
      });
      this.mic.classList.add("live");
    } catch {
      this.refuse(TEXTS.no_microphone);
    }
  }

  /** Asks the server for its limits and choices, until it has answered. */
  async allow() {
    this.limits = this.limits || await this.state.server.ask("/limits").catch(() => null);
    if (!this.limits) return;
    this.formats.textContent = tell(TEXTS.formats, this.limits.length, size(this.limits.bytes));
    this.begins.offer(this.limits);
  }

  async render() {
    const { server } = this.state;
    show(this.left, ...(this.recording ? [] : await left()).map(({ id, seconds, file }) => make("p", {},
      tell(TEXTS.not_arrived, clock(seconds), new Date(id).toLocaleString()),
      make("button", { type: "button", class: "quiet strong", onclick: () => this.take([file], id) }, TEXTS.send_it),
      make("button", { type: "button", class: "quiet", onclick: () => drop(id).then(() => this.render()) }, TEXTS.remove))));
    /** @type {RecentProject[]|null} */
    const projects = await server.ask("/projects").catch(() => null);
    if (!projects) {
      show(this.recent, make("li", { class: "none" }, TEXTS.lost, make("button", { type: "button", class: "quiet strong", onclick: () => this.render() }, TEXTS.try_again)));
      return;
    }
    await this.allow();
    const move = (/** @type {RecentProject} */ each, /** @type {"delete"|"restore"} */ how) => server.ask(`/projects/${each.id}/${how}`, {}).then(() => this.render(), (error) => this.refuse(messageOf(error)));
    const here = projects.filter((each) => !each.binned), gone = projects.filter((each) => each.binned);
    this.search.hidden = here.length <= FEW;
    const wanted = this.search.hidden ? "" : this.search.value.trim().toLowerCase();
    const found = here.filter(({ name }) => name.toLowerCase().includes(wanted)).sort((a, b) => b.opened - a.opened), listed = this.whole || wanted ? found : found.slice(0, FEW);
    this.rest.hidden = listed.length === found.length;
    this.rest.textContent = tell(TEXTS.all_of_them, found.length);
    show(this.recent, ...listed.map((each) => make("li", {},
      make("button", { type: "button", class: "project", onclick: () => this.begins.open(each.id) },
        make("strong", {}, each.name),
        make("span", {}, [each.seconds && clock(each.seconds), TEXTS.edits(each.edits), new Date(each.opened * 1000).toLocaleDateString()].filter(Boolean).join(" · "))),
      make("a", { class: "tool", href: `${server.root}/projects/${each.id}/file`, download: "", title: TEXTS.save_project, "aria-label": `${TEXTS.save_project}: ${each.name}` }, icon("download")),
      tool("bin", `${TEXTS.delete_project}: ${each.name}`, () => move(each, "delete")))));
    this.panel.classList.toggle("returning", here.length > 0);
    if (!here.length) this.recent.append(make("li", { class: "none" }, TEXTS.no_recent));
    this.bin.hidden = !gone.length;
    show(this.bin, make("summary", {}, tell(TEXTS.bin, gone.length)), make("ul", { class: "recent" }, ...gone.map((each) => make("li", {},
      make("span", { class: "project" }, each.name),
      make("button", { type: "button", class: "quiet strong", onclick: () => move(each, "restore") }, TEXTS.restore),
      make("button", { type: "button", class: "quiet", onclick: () => this.dialogs.ask(tell(TEXTS.delete_sure, each.name), [[TEXTS.delete_project, () => move(each, "delete"), true]]) }, TEXTS.delete_project)))));
  }
}
