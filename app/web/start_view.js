// Where one begins: a recording dropped, chosen or made, an example, a recent project.

import { icon, make, show, tool } from "./elements.js";
import { recorder } from "./microphone.js";
import { TEXTS, clock, tell } from "./texts.js";

const SOUND = "audio/*,video/mp4,video/webm,video/quicktime,.wav,.flac,.mp3,.ogg,.opus,.m4a,.mp4,.webm,.mov,.aiff,.aac,.zip";
const WORDS = ".txt,.lab,.srt,.vtt,.TextGrid,.json";
const isWords = (file) => /\.(txt|lab|srt|vtt|textgrid|json)$/i.test(file.name);

/** Megabytes, or gigabytes, as people count them. */
function size(bytes) {
  return bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(Math.ceil(bytes / 1e8) / 10).toString()} GB`;
}

export class StartView {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    this.app = app;
    this.recording = null;
    this.chooser = /** @type {HTMLInputElement} */ (make("input", { type: "file", accept: SOUND, "aria-label": TEXTS.choose, class: "hidden", id: "studio-upload", onchange: () => this.take([...this.chooser.files]) }));
    this.words = /** @type {HTMLInputElement} */ (make("input", { type: "file", accept: WORDS, "aria-label": TEXTS.text_file, class: "hidden", id: "studio-words", onchange: () => this.#read(this.words.files[0]) }));
    this.text = /** @type {HTMLTextAreaElement} */ (make("textarea", { rows: "4", "aria-label": TEXTS.own_text, placeholder: TEXTS.own_text_hint }));
    this.mic = make("button", { type: "button", class: "button", onclick: () => this.#record() }, icon("record"), make("span", {}, TEXTS.record));
    this.formats = make("p", { class: "formats" });
    this.recent = make("ul", { class: "recent" });
    this.state = make("p", { class: "busy", role: "status" });
    this.panel = make("div", { class: "start" },
      make("div", { class: "hero" },
        make("h1", {}, TEXTS.title), make("p", { class: "lead" }, TEXTS.lead),
        make("div", { class: "actions" },
          make("button", { type: "button", class: "button primary", onclick: () => this.chooser.click() }, icon("upload"), make("span", {}, TEXTS.choose)),
          this.mic,
          make("button", { type: "button", class: "button", id: "studio-example", onclick: () => app.create({ example: true }) }, icon("play"), make("span", {}, TEXTS.example))),
        this.state,
        make("details", {}, make("summary", {}, TEXTS.own_text), this.text,
          make("button", { type: "button", class: "quiet", onclick: () => this.words.click() }, TEXTS.text_file)),
        this.formats, this.chooser, this.words),
      make("section", { class: "projects" }, make("h2", {}, TEXTS.recent), this.recent));
    host.append(this.panel);
    host.addEventListener("dragover", (event) => { event.preventDefault(); host.classList.add("dropping"); });
    host.addEventListener("dragleave", (event) => event.target === host && host.classList.remove("dropping"));
    host.addEventListener("drop", (event) => {
      event.preventDefault();
      host.classList.remove("dropping");
      this.take([...event.dataTransfer.files]);
    });
  }

  /** @param {File[]} files a recording, perhaps with its transcript */
  async take(files) {
    const words = files.find(isWords), sound = files.filter((file) => !isWords(file));
    if (words) await this.#read(words);
    if (sound.length > 1) return this.app.complain(TEXTS.too_many);
    if (!sound.length) return;
    this.chooser.value = "";
    if (this.limits && sound[0].size > this.limits.bytes) return this.app.complain(tell(TEXTS.too_large, sound[0].name, size(sound[0].size), size(this.limits.bytes)));
    this.busy(`${TEXTS.uploading} ${sound[0].name}…`);
    try {
      const { path } = await this.app.upload(sound[0]);
      await this.app.create({ upload: path, text: this.text.value });
      this.text.value = "";
    } catch (error) {
      this.app.complain(error.message || TEXTS.lost);
    } finally {
      this.busy("");
    }
  }

  async #read(file) {
    if (!file) return;
    this.words.value = "";
    try {
      const { path } = await this.app.upload(file);
      this.text.value = (await this.app.server.ask("/text", { upload: path })).text;
      this.text.closest("details").open = true;
    } catch (error) {
      this.app.complain(error.message || TEXTS.lost);
    }
  }

  async #record() {
    const name = this.mic.querySelector("span");
    if (this.recording) {
      const file = this.recording.stop();
      this.recording = null;
      name.textContent = TEXTS.record;
      this.mic.classList.remove("live");
      return this.take([file]);
    }
    try {
      this.recording = await recorder((seconds) => { name.textContent = `${TEXTS.stop_recording} · ${clock(seconds)}`; });
      this.mic.classList.add("live");
    } catch {
      this.app.complain(TEXTS.no_microphone);
    }
  }

  busy(sentence) {
    this.state.textContent = sentence;
  }

  async render() {
    const projects = await this.app.server.ask("/projects").catch(() => []);
    this.limits = this.limits || await this.app.server.ask("/limits").catch(() => null);
    if (this.limits) this.formats.textContent = tell(TEXTS.formats, this.limits.length, size(this.limits.bytes));
    show(this.recent, ...projects.map((each) => make("li", {},
      make("button", { type: "button", class: "project", onclick: () => this.app.open(each.id) },
        make("strong", {}, each.name),
        make("span", {}, [each.seconds && clock(each.seconds), TEXTS.edits(each.edits), new Date(each.opened * 1000).toLocaleDateString()].filter(Boolean).join(" · "))),
      make("a", { class: "tool", href: `${this.app.server.root}/projects/${each.id}/file`, download: "", title: TEXTS.save_project, "aria-label": `${TEXTS.save_project}: ${each.name}` }, icon("download")),
      tool("bin", `${TEXTS.delete_project}: ${each.name}`, () => this.app.dialogs.ask(tell(TEXTS.delete_sure, each.name), [TEXTS.delete_project, async () => {
        await this.app.server.ask(`/projects/${each.id}/delete`, {});
        this.render();
      }])))));
    if (!projects.length) this.recent.append(make("li", { class: "none" }, TEXTS.no_recent));
  }
}
