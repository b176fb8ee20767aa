// The field that stands in the place of words, or after them, while others are written.

import { make } from "../elements.js";
import { TEXTS } from "../texts.js";
import { parts, typedBetween } from "./wording.js";

/** @import { Mode } from "../records" */
/** @typedef {{first: number, last: number, before: string, core: string, after: string}} Written tokens, their words, and the marks around these */

export class ScriptField {
  /** @param {import("./script_text.js").ScriptText} text @param {import("../state.js").State} state @param {import("../saver.js").Saver} saver @param {import("../editing.js").Editing} editing */
  constructor(text, state, saver, editing) {
    this.text = text;
    this.state = state;
    this.saver = saver;
    this.editing = editing;
    /** @type {Omit<Written, "core"> & {mode: Mode, input: HTMLTextAreaElement, element: HTMLElement}|null} what is being written */
    this.open = null;
    this.placed = () => {}; // what floats about the selection goes elsewhere
  }

  /**
   * Opens it in the place of what is selected, or after it to "insert"; to "correct", for what the
   * recording says there. A letter that was `typed` instead of its words, beside the marks of the
   * place, if given; or a whole text that stood there before.
   * @param {string|null} [typed] @param {Mode} [mode] @param {string|null} [text]
   */
  write(typed = null, mode = "edit", text = null) {
    this.finish(true);
    const { script, active, range: selected } = this.state, whole = text === null ? {} : parts(text), chosen = active && script.placeOf(active);
    const range = selected || (chosen && [chosen.first, chosen.last]);
    if (!range) return;
    const written = script.written(mode === "insert" ? range[1] : range[0], range[1]);
    const place = mode === "insert" ? null : selected ? script.placeAt(range[0]) : chosen;
    this.#begin({ ...written, ...whole }, typed, mode, place ? this.text.changeAt(place) : this.text.element(Math.max(0, written.last - 1)));
  }

  /** @param {Written} written @param {string|null} typed @param {Mode} mode @param {HTMLElement|null} anchor */
  #begin({ first, last, before, core, after }, typed, mode, anchor) {
    if (!anchor) return;
    const label = mode === "correct" ? TEXTS.correct_here : TEXTS.type_here;
    const input = make("textarea", { class: "field", rows: "1", "aria-label": label, autocomplete: "off", spellcheck: "true", maxlength: String(this.state.limits.characters) });
    input.value = before + (typed ?? core) + after;
    const element = make("span", { class: `writing ${mode}` }, input);
    const fit = () => {
      if (CSS.supports("field-sizing", "content")) return;
      input.style.width = `min(100%, ${input.value.length + 2}ch)`;
      input.style.height = "0";
      input.style.height = `${input.scrollHeight}px`;
    };
    anchor.after(" ", element);
    fit();
    for (let k = first; k < last; k++) this.text.element(k)?.classList.add("going");
    this.open = { first, last, input, element, mode, before, after };
    this.text.field = element;
    this.placed();
    input.addEventListener("input", () => {
      fit();
      const { tokens } = this.state.script;
      const inserts = last === first;
      if (last) this.saver.draft({ first: tokens[inserts ? last - 1 : first].id, last: tokens[last - 1].id, text: input.value, mode: inserts ? "insert" : mode });
    });
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (!["Enter", "Escape", "Tab"].includes(event.key)) return;
      event.preventDefault();
      this.finish(event.key !== "Escape", event.key === "Enter" && (event.ctrlKey || event.metaKey));
      this.state.focus();
    });
    input.addEventListener("blur", () => this.open && this.open.input === input && this.finish(true));
    input.focus();
    const end = before.length + (typed ?? core).length;
    input.setSelectionRange(typed === null ? before.length : end, end);
  }

  /** Takes or drops what was typed. @param {boolean} keep */
  finish(keep, play = false) {
    const { open } = this;
    if (!open) return;
    this.open = this.text.field = null;
    for (const each of this.text.body.querySelectorAll(".going")) each.classList.remove("going");
    open.element.remove();
    if (!keep && this.saver.undraft()) this.saver.save();
    const typed = typedBetween(open.input.value, open.before, open.after);
    if (keep && open.mode === "correct") this.editing.correct([open.first, open.last, typed]);
    else if (keep) this.editing.write(open.first, open.last, typed, play);
    this.text.render();
  }
}
