// What opens above the page: the shortcuts, a question, find and replace, a passing sentence.

import { make, show, tool } from "./elements.js";
import { TEXTS, tell } from "./texts.js";

export class Dialogs {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    this.app = app;
    this.dialog = /** @type {HTMLDialogElement} */ (make("dialog", { class: "dialog" }));
    this.toast = make("div", { class: "toast", role: "status", "aria-live": "polite", hidden: true });
    this.word = /** @type {HTMLInputElement} */ (make("input", { "aria-label": TEXTS.find_label, placeholder: TEXTS.find_label, oninput: () => { this.at = -1; this.#count(); } }));
    this.other = /** @type {HTMLInputElement} */ (make("input", { "aria-label": TEXTS.replace_label, placeholder: TEXTS.replace_label }));
    this.found = make("span", { class: "found", "aria-live": "polite" });
    this.finder = make("form", { class: "finder", hidden: true, onsubmit: (event) => { event.preventDefault(); this.next(); } },
      this.word, this.other, this.found,
      make("button", { type: "submit", class: "quiet" }, TEXTS.next),
      make("button", { type: "button", class: "quiet", onclick: () => this.#replace() }, TEXTS.replace),
      make("button", { type: "button", class: "quiet", onclick: () => this.#replaceAll() }, TEXTS.replace_all),
      tool("close", TEXTS.close, () => this.find(false)));
    this.finder.addEventListener("keydown", (event) => { event.stopPropagation(); if (event.key === "Escape") this.find(false); });
    this.at = -1;
    host.append(this.dialog, this.toast, this.finder);
  }

  keys() {
    show(this.dialog, make("h2", {}, TEXTS.keys),
      make("dl", { class: "keys" }, ...TEXTS.shortcuts.flatMap(([key, what]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)])),
      make("form", { method: "dialog" }, make("button", { class: "button" }, TEXTS.close)));
    this.dialog.showModal();
  }

  /** A question with its answers; the last one destroys something. @param {string} question @param {[string, () => void][]} answers */
  ask(question, ...answers) {
    const buttons = answers.map(([name, done], k) => make("button", { class: `button${k === answers.length - 1 ? " danger" : ""}`, onclick: done }, name));
    show(this.dialog, make("h2", {}, question), make("form", { method: "dialog", class: "row" }, make("button", { class: "button" }, TEXTS.cancel), ...buttons));
    this.dialog.showModal();
  }

  say(sentence, serious = false) {
    clearTimeout(this.timer);
    this.toast.textContent = sentence;
    this.toast.classList.toggle("serious", serious);
    this.toast.hidden = !sentence;
    this.timer = setTimeout(() => { this.toast.hidden = true; }, serious ? 12000 : 4000);
  }

  // ---- find and replace -------------------------------------------------------------------------

  find(open = true) {
    this.finder.hidden = !open;
    if (open) { this.word.focus(); this.word.select(); } else this.app.view.body.focus({ preventScroll: true });
    this.#count();
  }

  /** Ranges of tokens that say what is looked for. */
  #places() {
    const plain = (text) => text.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
    const wanted = this.word.value.trim().split(/\s+/).map(plain).filter(Boolean);
    const { tokens } = this.app.script;
    if (!wanted.length) return [];
    const found = [];
    for (let k = 0; k + wanted.length <= tokens.length; k++) {
      if (wanted.every((word, n) => plain(tokens[k + n].text) === word && !this.app.isReplaced(k + n))) found.push([k, k + wanted.length]);
    }
    return found;
  }

  #count() {
    const count = this.#places().length;
    this.found.textContent = !this.word.value.trim() ? "" : count ? tell(TEXTS.found, Math.max(this.at + 1, 0), count) : TEXTS.not_found;
  }

  next() {
    const places = this.#places();
    if (!places.length) return this.#count();
    this.at = (this.at + 1) % places.length;
    const [first, last] = places[this.at];
    this.app.view.select(first, last - 1);
    this.app.view.follow(this.app.view.element(first));
    this.#count();
  }

  #replace() {
    const places = this.#places();
    if (!places.length) return this.#count();
    const [first, last] = places[Math.max(this.at, 0) % places.length];
    this.app.write(first, last, this.#in(last));
    this.at--;
    this.next();
  }

  #replaceAll() {
    this.app.writeAll(this.#places().map(([first, last]) => [first, last, this.#in(last)]));
    this.at = -1;
    this.#count();
  }

  /** The other words, with the punctuation that the last of the words had. */
  #in(last) {
    const end = /[.,;:!?…]+$/.exec(this.app.script.tokens[last - 1].text);
    const text = this.other.value.trim();
    return text && end && !/[.,;:!?…]$/.test(text) ? text + end[0] : text;
  }
}
