// Recordings beside the project's own: sources, whose words can be put into the script and keep their sound, and tracks in step.

import { make, refocused, show, tool } from "../elements.js";
import { SOUND } from "../start/start_view.js";
import { WORDS, isWords } from "../start/start_view.js";
import { copy, textOf } from "../script/recorded.js";
import { TEXTS, clock } from "../texts.js";

/** @typedef {"source"|"track"} Kind @typedef {{kind: Kind, file: string, name: string, seconds: number, problem: string, said: string|null}} Further */

/** What a recording says, word by word. @param {string} file @param {string} said */
const spoken = (file, said) => said.split(/\s+/).filter(Boolean).map((text, id) => ({ text, id, file }));

export class RecordingsView {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    this.app = app;
    /** @type {Further[]} */
    this.listed = [];
    /** @type {Record<Kind, HTMLElement>} */
    this.lists = { source: make("ol", { class: "cards", oncopy: (event) => this.#copy(event) }), track: make("ol", { class: "cards" }) };
    this.state = make("p", { class: "none", role: "status" });
    host.append(make("div", { class: "head" }, make("h2", {}, TEXTS.recordings), tool("close", TEXTS.close, () => app.beside())), this.state, ...this.#part("source", `${SOUND},${WORDS}`), ...this.#part("track", SOUND));
  }

  /** @param {Kind} kind @param {string} accept */
  #part(kind, accept) {
    const { title, hint, add } = TEXTS.recordings_of[kind];
    const chooser = /** @type {HTMLInputElement} */ (make("input", { type: "file", multiple: true, accept, "aria-label": add, class: "hidden", tabindex: "-1", onchange: () => this.add([...chooser.files], kind).then(() => { chooser.value = ""; }) }));
    return [make("h3", {}, title), make("p", { class: "hint" }, hint), this.lists[kind], make("div", { class: "row" }, make("button", { type: "button", class: "button", onclick: () => chooser.click() }, add)), chooser];
  }

  /** @param {Further[]} listed */
  update(listed) {
    this.listed = listed;
    for (const [kind, list] of Object.entries(this.lists)) refocused(list, () => show(list, ...listed.filter((each) => each.kind === kind).map((each) => this.#card(each))));
  }

  /** Those of the open project have changed. */
  async fetch() {
    const { project, server } = this.app, asking = this.asking = {}, listed = await server.ask(`/projects/${project}/recordings`).catch(() => null);
    if (listed && this.asking === asking && this.app.project === project) this.update(listed);
  }

  /** Recordings, a source perhaps with its transcript. @param {File[]} files @param {Kind} kind */
  async add(files, kind) {
    const { app } = this, { project, server } = app, words = files.find(isWords);
    try {
      const text = words && (await server.ask("/text", { upload: await server.upload(words) })).text;
      for (const file of files.filter((each) => each !== words)) {
        const upload = await server.upload(file, (share) => { this.state.textContent = `${TEXTS.uploading} ${file.name}… ${Math.round(100 * share)} %`; });
        await server.ask(`/projects/${project}/recordings`, { upload, text, kind });
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
      make("div", { class: "row" }, make("strong", {}, name), make("small", { class: "state end" }, clock(seconds)), tool("bin", `${TEXTS.remove}: ${name}`, () => app.asked("recordings/remove", { file }))),
      problem ? make("p", { class: "problem" }, problem) : said === null ? make("p", { class: "note" }, `${TEXTS.listening}…`) : said && make("p", { class: "told", tabindex: "0", role: "group", "data-name": `said ${file}`, "aria-label": name }, said),
      make("audio", { controls: true, preload: "metadata", src: `${app.server.root}/projects/${app.project}/recordings/${file}`, "aria-label": name }),
      said && make("div", { class: "row" }, make("button", { type: "button", class: "quiet strong", "data-name": `put ${file}`, title: TEXTS.put_words_hint, onclick: () => { const words = this.#chosen(file) || spoken(file, said); app.view.paste(textOf(words), words); } }, TEXTS.put_words)));
  }

  /** The words that are selected in what a recording says, or in any one: whole words; null for none. */
  #chosen(file = "") {
    const range = getSelection().rangeCount ? getSelection().getRangeAt(0) : null, text = range?.commonAncestorContainer;
    const card = text?.nodeType === Node.TEXT_NODE && text.parentElement.matches(".told") && /** @type {HTMLElement} */ (text.parentElement.closest(".further"));
    if (!card || !this.lists.source.contains(card) || (file && card.dataset.file !== file) || !range.toString().trim()) return null;
    const all = text.textContent, own = range.toString(), first = range.startOffset + own.length - own.trimStart().length, last = range.endOffset - own.length + own.trimEnd().length;
    const count = (end) => all.slice(0, end).split(/\s+/).filter(Boolean).length;
    return spoken(card.dataset.file, all).slice(count(all.lastIndexOf(" ", first) + 1), count(all.indexOf(" ", last) < 0 ? all.length : all.indexOf(" ", last)));
  }

  #copy(event) {
    const words = this.#chosen();
    if (!words || !this.lists.source.contains(document.activeElement)) return;
    event.preventDefault();
    copy(event.clipboardData, this.app.project, words);
  }
}
