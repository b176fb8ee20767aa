// Fields for options, as the server lists them (a3t/plan/options.py).

import { make } from "../elements.js";
import { TEXTS } from "../texts.js";

/** @import { Option } from "../records" */

/** What a choice is called. @param {string} choice */
const named = (choice) => /** @type {Record<string, string>} */ (TEXTS.choices)[choice] || choice;

/** Returns whether a stored value may still be an option's. @param {Option} option @param {any} value */
export function fits({ kind, default: usual, least, most, choices }, value) {
  if (kind === "one") return choices.includes(value);
  if (kind === "some") return Array.isArray(value) && value.every((each) => choices.includes(each));
  return typeof value === typeof usual && (typeof value !== "number" || (value >= (least ?? -Infinity) && value <= (most ?? Infinity)));
}

/**
 * Returns a labelled field for an option.
 * @param {Option} option @param {any} value its present value @param {(value: any) => void} change takes a new one
 * @returns {HTMLElement}
 */
export function fieldOf(option, value, change) {
  const { kind, sentence, choices } = option;
  const label = sentence[0].toUpperCase() + sentence.slice(1);
  /** @param {string} said @param {boolean} checked @param {(checked: boolean) => void} onchange */
  const check = (said, checked, onchange) => make("label", { class: "check" }, make("input", { type: "checkbox", checked, onchange: (event) => onchange(event.target.checked) }), said);
  if (kind === "switch") return check(label, value, change);
  if (kind === "some") {
    /** @type {Set<string>} */
    const chosen = new Set(value);
    const set = (/** @type {string} */ name, /** @type {boolean} */ isOn) => { isOn ? chosen.add(name) : chosen.delete(name); change([...chosen]); };
    return make("fieldset", { class: "setting" }, make("legend", {}, label), ...choices.map((name) => check(named(name), chosen.has(name), (isOn) => set(name, isOn))));
  }
  if (kind === "one") {
    return make("select", { "aria-label": label, title: label, onchange: ({ target }) => change(target.value) }, ...choices.map((name) => make("option", { value: name, selected: name === value }, named(name))));
  }
  return make("label", { class: "setting" }, make("span", {}, label), numberField(option, value, change), option.unit);
}

/** @param {Option} option @param {number} value @param {(value: number) => void} change */
function numberField({ kind, default: usual, least, most }, value, change) {
  const input = make("input", { type: "number", value, min: least, max: most, step: kind === "whole" ? "1" : "any", onchange: () => {
    const typed = input.value === "" ? usual : Math.min(Math.max(Number(input.value), least ?? -Infinity), most ?? Infinity);
    input.value = String(kind === "whole" ? Math.floor(typed) : typed);
    change(Number(input.value));
  } });
  return input;
}
