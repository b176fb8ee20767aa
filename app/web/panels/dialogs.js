// What opens above the page: the shortcuts, a question, a passing sentence.

import { make, show, tool } from "../elements.js";
import { TEXTS } from "../texts.js";

export class Dialogs {
  /** @param {HTMLElement} host @param {import("../state.js").State} state */
  constructor(host, state) {
    this.state = state;
    this.dialog = make("dialog", { class: "dialog" });
    this.toast = make("div", { class: "toast", role: "status", "aria-live": "polite", hidden: true });
    host.append(this.dialog, this.toast);
  }

  keys() {
    const list = (/** @type {string[][]} */ keys) => make("dl", { class: "keys" }, ...keys.flatMap(([key, what]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)]));
    show(this.dialog, make("h2", {}, TEXTS.keys), list(TEXTS.shortcuts), make("h3", {}, TEXTS.steering), list(TEXTS.steering_keys),
      make("form", { method: "dialog" }, make("button", { class: "button" }, TEXTS.close)));
    this.dialog.showModal();
  }

  /** Another transcript for the recording. @param {string} given what it is to be made of */
  retext(given = "") {
    const text = make("textarea", { rows: "8", "aria-label": TEXTS.own_text, placeholder: TEXTS.retext_hint }, given);
    show(this.dialog, make("h2", {}, TEXTS.retext), text, make("form", { method: "dialog", class: "row" },
      make("button", { class: "button primary", onclick: () => { if (text.value.trim()) this.state.ask("text", { text: text.value }); } }, TEXTS.use_text), make("button", { class: "button" }, TEXTS.cancel)));
    this.dialog.showModal();
  }

  /** A question with its answers, some of which destroy something; what is typed is given to each. @param {string} question @param {[string, (text: string) => void, boolean?][]} answers @param {string|null} text what stands there at first; null for no field @param {number} most characters of it */
  ask(question, answers, text = null, most = 40) {
    const field = text !== null && make("input", { class: "named", "aria-label": question, value: text, maxlength: String(most), autocomplete: "off" });
    const buttons = answers.map(([name, done, danger]) => make("button", { class: `button${danger ? " danger" : ""}`, onclick: () => done(field ? field.value : "") }, name));
    show(this.dialog, make("h2", {}, question), make("form", { method: "dialog", class: "row" }, field, ...buttons, make("button", { type: "button", class: "button", onclick: () => this.dialog.close() }, TEXTS.cancel)));
    this.dialog.showModal();
    if (field) field.select();
  }

  /** @param {string} sentence */
  say(sentence, serious = false) {
    clearTimeout(this.timer);
    this.toast.textContent = sentence;
    this.toast.classList.toggle("serious", serious);
    this.toast.hidden = !sentence;
    this.timer = setTimeout(() => { this.toast.hidden = true; }, serious ? 12000 : 4000);
  }
}
