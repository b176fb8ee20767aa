// Recordings beside the project's own: sources, whose words can be put into the script and keep their sound, and tracks in step.

import { make, refocused, show, tool } from "../elements.js";
import { copy } from "../script/recorded.js";
import { messageOf } from "../server.js";
import { SOUND, WORDS, isWords } from "../start/start_view.js";
import { TEXTS, clock } from "../texts.js";

/** @import { FurtherRecording } from "../records" */
/** @typedef {FurtherRecording["kind"]} Kind @typedef {import("../script/recorded.js").Word} Word */

/** What a recording says, word by word. @param {string} file @param {string} said @returns {Word[]} */
const spoken = (file, said) => said.split(/\s+/).filter(Boolean).map((text, id) => ({ text, id, file }));

export class RecordingsView {
  /** @param {HTMLElement} host @param {import("../state.js").State} state @param {(words: Word[]) => void} paste puts words into the script */
  constructor(host, state, paste) {
    this.state = state;
    this.paste = paste;
    /** @type {FurtherRecording[]} */
    this.listed = [];
    /** @type {Record<Kind, HTMLElement>} */
    this.lists = { source: make("ol", { class: "cards", oncopy: (event) => this.#copy(event) }), track: make("ol", { class: "cards" }) };
    this.asking = {}; // the latest question for them
    this.note = make("p", { class: "none", role: "status" });
    host.append(this.note, ...this.#part("source", `${SOUND},${WORDS}`), ...this.#part("track", SOUND));
  }

  /** @param {Kind} kind @param {string} accept */
  #part(kind, accept) {
    const { title, hint, add } = TEXTS.recordings_of[kind];
    /** @type {HTMLInputElement} */
    const chooser = make("input", { type: "file", multiple: true, accept, "aria-label": add, class: "hidden", tabindex: "-1", onchange: () => this.add([...chooser.files || []], kind).then(() => { chooser.value = ""; }) });
    return [make("h3", {}, title), make("p", { class: "hint" }, hint), this.lists[kind], make("div", { class: "row" }, make("button", { type: "button", class: "button", onclick: () => chooser.click() }, add)), chooser];
  }

  /** @param {FurtherRecording[]} listed */
  update(listed) {
    this.listed = listed;
    for (const [kind, list] of Object.entries(this.lists)) refocused(list, () => show(list, ...listed.filter((each) => each.kind === kind).map((each) => this.#card(each))));
  }

  /** Those of the open project have changed. */
  async fetch() {
    const { project, server } = this.state, asking = this.asking = {}, listed = await server.ask(`/projects/${project}/recordings`).catch(() => null);
    if (listed && this.asking === asking && this.state.project === project) this.update(listed);
  }

  /** Recordings, a source perhaps with its transcript. @param {File[]} files @param {Kind} kind */
  async add(files, kind) {
    const { project, server } = this.state, words = files.find(isWords);
    try {
      const text = words && (await server.ask("/text", { upload: await server.upload(words) })).text;
      for (const file of files.filter((each) => each !== words)) {
        const told = (/** @type {number} */ share) => { this.note.textContent = `${TEXTS.uploading} ${file.name}… ${Math.round(100 * share)} %`; };
        await this.state.requests.send({ project: project || "", name: "recordings", data: { text, kind }, file }, told);
      }
    } catch (error) {
      this.state.complain(messageOf(error));
    }
    this.note.textContent = "";
  }

  /** @param {FurtherRecording} each */
  #card(each) {
    const { state } = this, { file, name, seconds, problem, said } = each;
    return make("li", { class: "card further", "data-file": file },
      make("div", { class: "row" }, make("strong", {}, name), make("small", { class: "state end" }, clock(seconds)), tool("bin", `${TEXTS.remove}: ${name}`, () => state.ask("recordings/remove", { file }))),
      problem ? make("p", { class: "problem" }, problem) : said === null ? make("p", { class: "note" }, `${TEXTS.listening}…`) : said && make("p", { class: "told", tabindex: "0", role: "group", "data-name": `said ${file}`, "aria-label": name }, said),
      make("audio", { controls: true, preload: "metadata", src: `${state.server.root}/projects/${state.project}/recordings/${file}`, "aria-label": name }),
      said && make("div", { class: "row" }, make("button", { type: "button", class: "quiet strong", "data-name": `put ${file}`, title: TEXTS.put_words_hint, onclick: () => this.paste(this.#chosen(file) || spoken(file, said)) }, TEXTS.put_words)));
  }

  /** The words that are selected in what a recording says, or in any one: whole words; null for none. */
  #chosen(file = "") {
    const selection = getSelection(), range = selection?.rangeCount ? selection.getRangeAt(0) : null, text = range?.commonAncestorContainer;
    const card = text instanceof Text && text.parentElement?.matches(".told") && /** @type {HTMLElement} */ (text.parentElement.closest(".further"));
    if (!card || !this.lists.source.contains(card) || (file && card.dataset.file !== file) || !range?.toString().trim()) return null;
    const all = text.data, own = range.toString(), first = range.startOffset + own.length - own.trimStart().length, last = range.endOffset - own.length + own.trimEnd().length;
    const count = (/** @type {number} */ end) => all.slice(0, end).split(/\s+/).filter(Boolean).length;
    return spoken(card.dataset.file || "", all).slice(count(all.lastIndexOf(" ", first) + 1), count(all.indexOf(" ", last) < 0 ? all.length : all.indexOf(" ", last)));
  }

  /** @param {ClipboardEvent} event */
  #copy(event) {
    const words = this.#chosen();
    if (!words || !event.clipboardData || !this.lists.source.contains(document.activeElement)) return;
    event.preventDefault();
    copy(event.clipboardData, this.state.project, words);
  }
}
