// The settings of new words and of what is taken home, in two levels; this browser keeps them.

import { make, show } from "../elements.js";
import { TEXTS } from "../texts.js";

const KEPT = "a3t-settings";
const USUAL = { speed: 1, kind: "", loudness: null, voice: "", match: ["bandwidth", "spectrum", "room", "coding"], fit: false, margin: 25, model: "", vocoder: "", aligner: "", seed: 0 };

export class Settings {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    this.app = app;
    this.values = { ...USUAL };
    this.dialog = /** @type {HTMLDialogElement} */ (make("dialog", { class: "dialog settings" }));
    this.dialog.addEventListener("keydown", (event) => event.stopPropagation());
    this.dialog.addEventListener("close", () => app.project && app.view.focus());
    host.append(this.dialog);
  }

  /** Takes the choices that the server offers; what was chosen once and is there no more is as usual. @param {Record<string, string[]>} choices */
  offer(choices) {
    if (this.choices) return;
    this.choices = choices;
    const kept = JSON.parse(localStorage.getItem(KEPT) || "{}");
    for (const [name, usual] of Object.entries(USUAL)) {
      const isThere = name in kept && (choices[name] ? choices[name].includes(kept[name]) : typeof kept[name] === typeof usual || name === "loudness");
      this.values[name] = isThere ? kept[name] : choices[name] ? choices[name][0] : usual;
    }
  }

  #set(name, value) {
    this.values[name] = value;
    localStorage.setItem(KEPT, JSON.stringify(this.values));
    if (this.app.project) this.app.saver.save();
  }

  #field(name, input) { return make("label", { class: "setting" }, make("span", {}, TEXTS.settings_of[name]), input); }

  #range(name, min, max, step, shown) {
    const told = make("output", {}, shown(this.values[name]));
    const input = make("input", { type: "range", min, max, step, value: this.values[name], oninput: () => { told.textContent = shown(Number(input.value)); }, onchange: () => this.#set(name, Number(input.value)) });
    return this.#field(name, make("span", { class: "slid" }, input, told));
  }

  /** @param {any[][]} offered [value, text] of each */
  #select(name, offered) {
    const input = make("select", { onchange: () => this.#set(name, offered[input.selectedIndex][0]) }, ...offered.map(([value, said]) => make("option", { selected: value === this.values[name] }, said)));
    return this.#field(name, input);
  }

  open() {
    if (!this.choices) return; // no server has answered yet
    const { values, choices } = this, named = (name) => choices[name].map((each) => [each, each || TEXTS.no_voice]);
    const check = (name, isOn, said, change) => make("label", { class: "check" }, make("input", { type: "checkbox", checked: isOn, onchange: (event) => change(event.target.checked) }), said);
    const match = (kind, isOn) => this.#set("match", isOn ? [...values.match, kind] : values.match.filter((each) => each !== kind));
    const seed = make("input", { type: "number", min: "0", max: "2147483647", value: values.seed, onchange: () => this.#set("seed", Math.max(0, Math.floor(Number(seed.value)) || 0)) });
    const { app } = this, names = app.project && make("textarea", { rows: "3", maxlength: "20000", placeholder: TEXTS.names_hint, "aria-label": TEXTS.names, onchange: () => app.asked("names", { text: names.value }) }, app.names || "");
    show(this.dialog, make("h2", {}, TEXTS.settings),
      names && make("label", { class: "setting" }, make("span", {}, TEXTS.names), names),
      this.#range("speed", 0.5, 2, 0.05, (value) => `${value.toFixed(2)}×`),
      this.#select("kind", choices.kind.map((kind) => [kind, TEXTS.kinds[kind] || kind])),
      this.#select("loudness", TEXTS.loudnesses),
      make("details", {}, make("summary", {}, TEXTS.advanced),
        choices.voice.length > 1 && this.#select("voice", named("voice")),
        make("fieldset", { class: "setting" }, make("legend", {}, TEXTS.settings_of.match), ...Object.entries(TEXTS.matched).map(([kind, said]) => check(kind, values.match.includes(kind), said, (isOn) => match(kind, isOn)))),
        check("fit", values.fit, TEXTS.settings_of.fit, (isOn) => this.#set("fit", isOn)),
        this.#range("margin", 0, 100, 5, (value) => `${value} ms`),
        ...["model", "vocoder", "aligner"].filter((name) => choices[name].length > 1).map((name) => this.#select(name, named(name))),
        this.#field("seed", seed)),
      make("p", { class: "hint" }, TEXTS.settings_hint),
      make("form", { method: "dialog" }, make("button", { class: "button" }, TEXTS.close)));
    this.dialog.showModal();
  }
}
