// The settings of new words and of what is taken home, in two levels; this browser keeps them.

import { kept as browser } from "../browser_storage.js";
import { make, show } from "../elements.js";
import { TEXTS } from "../texts.js";
import { fieldOf, fits } from "./option_fields.js";

const KEPT = "a3t-settings";
const OWN_VOICE = "a3t-voice"; // with a project: the voice that was learnt from it
const ADVANCED = /** @type {const} */ (["voice", "model", "vocoder", "aligner"]); // each one of what the server has
const PER_FILE = { loudness: null }; // what has no choices on the server

/** @import { Limits, Option } from "../records" */

export class Settings {
  /** @param {HTMLElement} host @param {import("../state.js").State} state @param {import("../saver.js").Saver} saver */
  constructor(host, state, saver) {
    this.state = state;
    this.saver = saver;
    /** @type {Record<string, string[]>|null} null until the server has answered */
    this.choices = null;
    /** @type {string[]} the parts of what can be taken home */
    this.exports = [];
    this.voice = ""; // of all projects that don't use their own
    /** @type {Option[]} */
    this.options = [];
    this.dialog = make("dialog", { class: "dialog settings" });
    this.dialog.addEventListener("keydown", (event) => event.stopPropagation());
    this.dialog.addEventListener("close", () => state.project && state.focus());
    host.append(this.dialog);
  }

  /** Takes what the server offers; what was chosen once and is there no more is as usual. @param {Limits} limits */
  offer({ choices, exports, options }) {
    if (this.choices) return;
    this.exports = exports;
    this.choices = choices;
    this.options = options;
    const { settings } = this.state, kept = JSON.parse(browser.get(KEPT) || "{}");
    for (const option of options) settings[option.name] = fits(option, kept[option.name]) ? kept[option.name] : option.default;
    for (const [name, names] of Object.entries(choices)) settings[name] = names.includes(kept[name]) ? kept[name] : names[0];
    this.voice = settings.voice;
    for (const [name, usual] of Object.entries(PER_FILE)) settings[name] = kept[name] ?? usual;
    this.opened(); // perhaps before the server answered
  }

  /** @param {string} name @param {any} value */
  set(name, value) {
    this.state.settings[name] = value;
    if (name === "voice") {
      this.voice = value;
      browser.set(`${OWN_VOICE} ${this.state.project}`, ""); // whatever it was, another one was chosen
    }
    browser.set(KEPT, JSON.stringify({ ...this.state.settings, voice: this.voice }));
    if (this.state.project) this.saver.save();
  }

  /** New words of this project are said in the voice that was learnt from it. @param {string} name */
  useVoice(name) {
    if (this.choices && !this.choices.voice.includes(name)) this.choices.voice.push(name);
    browser.set(`${OWN_VOICE} ${this.state.project}`, name);
    this.opened();
    this.saver.save();
  }

  /** A project is opened: it has the voice that was learnt from it, if that is to be used, else the one of all. */
  opened() {
    const known = [browser.get(`${OWN_VOICE} ${this.state.project}`), this.voice];
    this.state.settings.voice = known.find((name) => name && this.choices?.voice.includes(name)) || "";
  }

  /** @param {keyof typeof TEXTS.settings_of} name @param {[value: any, text: string][]} offered */
  #select(name, offered) {
    const input = make("select", { onchange: ({ target }) => this.set(name, offered[target.selectedIndex][0]) }, ...offered.map(([value, said]) => make("option", { selected: value === this.state.settings[name] }, said)));
    return make("label", { class: "setting" }, make("span", {}, TEXTS.settings_of[name]), input);
  }

  open() {
    if (!this.choices) return; // no server has answered yet
    const { state, choices } = this;
    const named = (/** @type {string[]} */ names) => names.map((each) => /** @type {[string, string]} */ ([each, each || TEXTS.no_voice]));
    const names = state.project && make("textarea", { rows: "3", maxlength: "20000", placeholder: TEXTS.names_hint, "aria-label": TEXTS.names, onchange: ({ target }) => state.ask("names", { text: target.value }) }, state.names);
    const fields = (/** @type {boolean} */ advanced) => this.options.filter((option) => option.advanced === advanced).map((option) => fieldOf(option, state.settings[option.name], (value) => this.set(option.name, value)));
    show(this.dialog, make("h2", {}, TEXTS.settings),
      names && make("label", { class: "setting" }, make("span", {}, TEXTS.names), names),
      ...fields(false),
      make("details", {}, make("summary", {}, TEXTS.advanced),
        ...fields(true),
        ...ADVANCED.filter((name) => choices[name].length > 1).map((name) => this.#select(name, named(choices[name])))),
      make("p", { class: "hint" }, TEXTS.settings_hint),
      make("form", { method: "dialog" }, make("button", { class: "button" }, TEXTS.close)));
    this.dialog.showModal();
  }
}
