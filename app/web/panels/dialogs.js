// What opens above the page: the shortcuts, a question, find and replace, a passing sentence.

import { make, show, tool } from "../elements.js";
import { TEXTS, tell } from "../texts.js";
import { found, withOther } from "../script/wording.js";

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
      make("button", { type: "button", class: "quiet", title: TEXTS.fix_hint, onclick: () => this.#fixAll() }, TEXTS.fix_all),
      tool("close", TEXTS.close, () => this.find(false)));
    this.finder.addEventListener("keydown", (event) => { event.stopPropagation(); if (event.key === "Escape") this.find(false); });
    this.at = -1;
    host.append(this.dialog, this.toast);
    app.parts.script.prepend(this.finder);
  }

  keys() {
    const list = (keys) => make("dl", { class: "keys" }, ...keys.flatMap(([key, what]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)]));
    show(this.dialog, make("h2", {}, TEXTS.keys), list(TEXTS.shortcuts), make("h3", {}, TEXTS.steering), list(TEXTS.steering_keys),
      make("form", { method: "dialog" }, make("button", { class: "button" }, TEXTS.close)));
    this.dialog.showModal();
  }

  /** Another transcript for the recording. @param {string} given what it is to be made of */
  retext(given = "") {
    const text = make("textarea", { rows: "8", "aria-label": TEXTS.own_text, placeholder: TEXTS.retext_hint }, given);
    show(this.dialog, make("h2", {}, TEXTS.retext), text, make("form", { method: "dialog", class: "row" },
      make("button", { class: "button primary", onclick: () => { if (text.value.trim()) this.app.asked("text", { text: text.value }); } }, TEXTS.use_text), make("button", { class: "button" }, TEXTS.cancel)));
    this.dialog.showModal();
  }

  /** A question with its answers, some of which destroy something; what is typed is given to each. @param {string} question @param {[string, (text: string) => void, boolean?][]} answers @param {string|null} text @param {number} most characters of it */
  ask(question, answers, text = null, most = 40) {
    const field = text !== null && make("input", { class: "named", "aria-label": question, value: text, maxlength: String(most), autocomplete: "off" });
    const buttons = answers.map(([name, done, danger]) => make("button", { class: `button${danger ? " danger" : ""}`, onclick: () => done(field ? field.value : "") }, name));
    show(this.dialog, make("h2", {}, question), make("form", { method: "dialog", class: "row" }, field, ...buttons, make("button", { type: "button", class: "button", onclick: () => this.dialog.close() }, TEXTS.cancel)));
    this.dialog.showModal();
    if (field) field.select();
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
    if (open) { this.word.focus(); this.word.select(); } else this.app.view.focus();
    this.#count();
  }

  #places() { return found(this.app.script, this.word.value); }

  #count() {
    const count = this.#places().length;
    this.found.textContent = !this.word.value.trim() ? "" : count ? tell(TEXTS.found, Math.max(this.at + 1, 0), count) : TEXTS.not_found;
  }

  next() {
    const places = this.#places();
    if (!places.length) return this.#count();
    this.at = (this.at + 1) % places.length;
    const { first, last } = places[this.at], place = this.app.script.places().find((each) => each.first === first && each.last === last);
    if (place) this.app.hearing.activate(place.edit, true);
    else {
      this.app.view.selected.select(first, last - 1);
      this.app.view.text.follow(this.app.view.text.element(first));
    }
    this.#count();
  }

  #replace() {
    const places = this.#places();
    if (!places.length) return this.#count();
    const place = places[Math.max(this.at, 0) % places.length];
    this.app.editing.writeAll(withOther([place], this.other.value.trim()));
    this.at--;
    this.next();
  }

  #replaceAll() {
    this.app.editing.writeAll(withOther(this.#places(), this.other.value.trim()));
    this.#again();
  }

  /** In the words that the recording says; what is changed already is left. */
  #fixAll() {
    const { script } = this.app;
    const places = this.#places().filter(({ first, last }) => first < last && !script.placeAt(first) && !script.placeAt(last - 1));
    this.app.editing.correct(...withOther(places, this.other.value.trim()));
    this.#again();
  }

  #again() {
    this.at = -1;
    this.#count();
  }
}
