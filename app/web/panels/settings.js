// The settings of new words and of what is taken home, in two levels; this browser keeps them.

import { kept as browser } from "../browser_storage.js";
import { make, show } from "../elements.js";
import { TEXTS } from "../texts.js";
import { fieldOf, fits } from "./option_fields.js";

const KEPT = "a3t-settings";
const ADVANCED = ["voice", "model", "vocoder", "aligner"]; // each one of what the server has
const PER_FILE = { loudness: null }; // what has no choices on the server

export class Settings {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    this.app = app;
    /** @type {Record<string, any>} */
    this.values = {};
    /** @type {import("./option_fields.js").Option[]} */
    this.options = [];
    this.dialog = /** @type {HTMLDialogElement} */ (make("dialog", { class: "dialog settings" }));
    this.dialog.addEventListener("keydown", (event) => event.stopPropagation());
    this.dialog.addEventListener("close", () => app.project && app.view.focus());
    host.append(this.dialog);
  }

  /**
   * Takes what the server offers; what was chosen once and is there no more is as usual.
   * @param {{choices: Record<string, string[]>, options: import("./option_fields.js").Option[]}} limits
   */
  offer({ choices, options }) {
    if (this.choices) return;
    this.choices = choices;
    this.options = options;
    const kept = JSON.parse(browser.get(KEPT) || "{}");
    for (const option of options) this.values[option.name] = fits(option, kept[option.name]) ? kept[option.name] : option.default;
    for (const [name, names] of Object.entries(choices)) this.values[name] = names.includes(kept[name]) ? kept[name] : names[0];
    for (const [name, usual] of Object.entries(PER_FILE)) this.values[name] = kept[name] ?? usual;
  }

  #set(name, value) {
    this.values[name] = value;
    browser.set(KEPT, JSON.stringify(this.values));
    if (this.app.project) this.app.saver.save();
  }

  /** @param {string} name @param {any[][]} offered [value, text] of each */
  #select(name, offered) {
    const input = make("select", { onchange: () => this.#set(name, offered[input.selectedIndex][0]) }, ...offered.map(([value, said]) => make("option", { selected: value === this.values[name] }, said)));
    return make("label", { class: "setting" }, make("span", {}, TEXTS.settings_of[name]), input);
  }

  open() {
    if (!this.choices) return; // no server has answered yet
    const { app, choices } = this, named = (name) => choices[name].map((each) => [each, each || TEXTS.no_voice]);
    const names = app.project && make("textarea", { rows: "3", maxlength: "20000", placeholder: TEXTS.names_hint, "aria-label": TEXTS.names, onchange: () => app.asked("names", { text: names.value }) }, app.names || "");
    const fields = (advanced) => this.options.filter((option) => option.advanced === advanced).map((option) => fieldOf(option, this.values[option.name], (value) => this.#set(option.name, value)));
    show(this.dialog, make("h2", {}, TEXTS.settings),
      names && make("label", { class: "setting" }, make("span", {}, TEXTS.names), names),
      ...fields(false),
      this.#select("kind", choices.kind.map((kind) => [kind, TEXTS.kinds[kind] || kind])),
      this.#select("loudness", TEXTS.loudnesses),
      make("details", {}, make("summary", {}, TEXTS.advanced),
        ...fields(true),
        ...ADVANCED.filter((name) => choices[name].length > 1).map((name) => this.#select(name, named(name)))),
      make("p", { class: "hint" }, TEXTS.settings_hint),
      make("form", { method: "dialog" }, make("button", { class: "button" }, TEXTS.close)));
    this.dialog.showModal();
  }
}
