// Recordings beside the project's own: their words can be put into the script, and keep their sound.

import { make, refocused, show, tool } from "../elements.js";
import { SOUND } from "../start/speech_view.js";
import { WORDS, isWords } from "../start/start_view.js";
import { TEXTS, clock } from "../texts.js";

/** @typedef {{file: string, name: string, seconds: number, problem: string, said: string|null}} Further */

export class RecordingsView {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    this.app = app;
    /** @type {Further[]} */
    this.listed = [];
    this.list = make("ol", { class: "cards", oncopy: (event) => this.#copy(event) });
    this.state = make("p", { class: "none", role: "status" });
    this.chooser = /** @type {HTMLInputElement} */ (make("input", { type: "file", multiple: true, accept: `${SOUND},${WORDS}`, "aria-label": TEXTS.add_recording, class: "hidden", tabindex: "-1", onchange: () => this.add([...this.chooser.files]) }));
    host.append(
      make("div", { class: "head" }, make("h2", {}, TEXTS.recordings), tool("close", TEXTS.close, () => app.beside())),
      make("p", { class: "hint" }, TEXTS.recordings_hint),
      make("div", { class: "row" }, make("button", { type: "button", class: "button", onclick: () => this.chooser.click() }, TEXTS.add_recording)), this.chooser, this.state, this.list);
  }

  /** @param {Further[]} listed */
  update(listed) {
    this.listed = listed;
    refocused(this.list, () => show(this.list, ...listed.map((each) => this.#card(each))));
  }

  /** A recording, perhaps with its transcript. @param {File[]} files */
  async add(files) {
    const { app } = this, { project, server } = app, words = files.find(isWords);
    this.chooser.value = "";
    try {
      const text = words && (await server.ask("/text", { upload: await server.upload(words) })).text;
      for (const file of files.filter((each) => each !== words)) {
        const upload = await server.upload(file, (share) => { this.state.textContent = `${TEXTS.uploading} ${file.name}… ${Math.round(100 * share)} %`; });
        await server.ask(`/projects/${project}/recordings`, { upload, text });
      }
    } catch (error) {
      app.complain(error.message || TEXTS.lost);
    }
    this.state.textContent = "";
  }

  /** @param {Further} each */
  #card(each) {
    const { app } = this, { file, name, seconds, problem, said } = each;
    return make("li", { class: "card further", "data-file": file },
      make("p", { class: "title" }, make("strong", {}, name), make("small", { class: "state" }, clock(seconds))),
      problem ? make("p", { class: "problem" }, problem) : said === null ? make("p", { class: "note" }, `${TEXTS.listening}…`) : make("p", { class: "told", tabindex: "0", role: "group", "data-name": `said ${file}`, "aria-label": name }, said),
      make("audio", { controls: true, preload: "none", src: `${app.server.root}/projects/${app.project}/recordings/${file}`, "aria-label": name }),
      make("div", { class: "row" },
        said && make("button", { type: "button", class: "quiet strong", "data-name": `put ${file}`, title: TEXTS.put_words_hint, onclick: () => app.view.paste(this.#chosen(file) || said) }, TEXTS.put_words),
        tool("bin", `${TEXTS.remove}: ${name}`, () => app.asked("recordings/remove", { file }), { class: "tool end" })));
  }

  /** The words that are selected in what a recording says, or in any one: whole words. */
  #chosen(file = "") {
    const range = getSelection().rangeCount ? getSelection().getRangeAt(0) : null, text = range?.commonAncestorContainer;
    const card = text?.nodeType === Node.TEXT_NODE && text.parentElement.matches(".told") && /** @type {HTMLElement} */ (text.parentElement.closest(".further"));
    if (!card || !this.list.contains(card) || (file && card.dataset.file !== file) || !range.toString().trim()) return "";
    const all = text.textContent, own = range.toString(), first = range.startOffset + own.length - own.trimStart().length, last = range.endOffset - own.length + own.trimEnd().length;
    return all.slice(all.lastIndexOf(" ", first) + 1, all.indexOf(" ", last) < 0 ? all.length : all.indexOf(" ", last));
  }

  #copy(event) {
    const words = this.#chosen();
    if (!words || !this.list.contains(document.activeElement)) return;
    event.preventDefault();
    event.clipboardData.setData("text/plain", words);
  }
}
