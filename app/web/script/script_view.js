// The transcript as the document: what is written into it, and its keys.

import { make } from "../elements.js";
import { ScriptSelection } from "./script_selection.js";
import { TEXTS } from "../texts.js";
import { parts, typedBetween } from "./wording.js";

export class ScriptView extends ScriptSelection {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    super(host, app);
    this.body.addEventListener("keydown", (event) => this.#key(event));
    for (const how of ["copy", "cut", "paste"]) this.body.addEventListener(how, (event) => this.#clip(event));
  }

  /**
   * A field in the place of what is selected, or after it to "insert"; to "correct", for what the
   * recording says there. A letter that was `typed` instead of its words, beside the marks of the
   * place, if given; or a whole text that stood there before.
   * @param {string|null} [typed] @param {string} [mode] @param {string|null} [text]
   */
  write(typed = null, mode = "edit", text = null) {
    this.finish(true);
    const { script, active } = this.app, whole = text === null ? {} : parts(text);
    let range = this.range;
    if (!range && active) {
      const place = script.places().find((each) => each.edit === active);
      if (place) range = [place.first, place.last];
      if (place && place.first === place.last) return this.#open({ ...script.written(place.first, place.last), ...whole }, typed, mode, this.body.querySelector(".change.active"));
    }
    if (!range) return;
    const place = mode === "insert" ? null : script.placeAt(range[0]);
    const written = mode === "insert" ? script.written(range[1], range[1]) : script.written(...range);
    const anchor = place ? this.body.querySelector(`[data-first="${place.first}"][data-last="${place.last}"]`) : this.element(Math.max(0, written.last - 1));
    this.#open({ ...written, ...whole }, typed, mode, anchor);
  }

  #open({ first, last, before, core, after }, typed, mode, anchor) {
    if (!anchor) return;
    const label = mode === "correct" ? TEXTS.correct_here : TEXTS.type_here;
    const input = /** @type {HTMLTextAreaElement} */ (make("textarea", { class: "field", rows: "1", "aria-label": label, autocomplete: "off", spellcheck: "true", maxlength: String(this.app.limits.characters) }));
    input.value = before + (typed ?? core) + after;
    const element = make("span", { class: `writing ${mode}` }, input);
    const fit = () => {
      input.style.width = `min(100%, ${Math.max(input.value.length + 3, 7)}ch)`;
      input.style.height = "0";
      input.style.height = `${input.scrollHeight + 4}px`;
    };
    anchor.after(" ", element);
    fit();
    for (let k = first; k < last; k++) this.element(k)?.classList.add("going");
    this.field = { first, last, input, element, mode, before, after };
    this.bar.hidden = true;
    input.addEventListener("input", () => {
      fit();
      const { tokens } = this.app.script;
      const inserts = last === first;
      if (last) this.app.saver.draft({ first: tokens[inserts ? last - 1 : first].id, last: tokens[last - 1].id, text: input.value, mode: inserts ? "insert" : mode });
    });
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") { event.preventDefault(); this.finish(true, event.ctrlKey || event.metaKey); this.body.focus({ preventScroll: true }); }
      if (event.key === "Escape") { event.preventDefault(); this.finish(false); this.body.focus({ preventScroll: true }); }
      if (event.key === "Tab") { event.preventDefault(); this.finish(true); this.body.focus({ preventScroll: true }); }
    });
    input.addEventListener("blur", () => this.field && this.field.input === input && this.finish(true));
    input.focus();
    const end = before.length + (typed ?? core).length;
    input.setSelectionRange(typed === null ? before.length : end, end);
  }

  /** Takes or drops what was typed. */
  finish(keep, play = false) {
    const field = this.field;
    if (!field) return;
    this.field = null;
    for (const each of this.body.querySelectorAll(".going")) each.classList.remove("going");
    field.element.remove();
    if (!keep && this.app.saver.undraft()) this.app.saver.save();
    const typed = typedBetween(field.input.value, field.before, field.after);
    if (keep && field.mode === "correct") this.app.correct([field.first, field.last, typed]);
    else if (keep) this.app.write(field.first, field.last, typed, play);
    this.render();
  }

  remove() {
    const range = this.range;
    if (!range) return;
    const { first, last, rest } = this.app.script.written(...range);
    this.app.write(first, last, rest);
  }

  insert() { this.write(null, "insert"); }

  // ---- keys -------------------------------------------------------------------------------------

  #key(event) {
    if (event.target !== this.body) return;
    const { tokens } = this.app.script;
    const here = this.selection ? this.selection.focus : Math.max(0, this.app.heardToken());
    const go = (k) => {
      event.preventDefault();
      this.select(event.shiftKey && this.selection ? this.selection.anchor : k, k);
      const element = this.element(Math.min(Math.max(k, 0), tokens.length - 1));
      if (element) this.follow(element);
    };
    const command = event.ctrlKey || event.metaKey, { active } = this.app;
    if (command && event.key.toLowerCase() === "a" && tokens.length) {
      event.preventDefault();
      return this.select(0, tokens.length - 1);
    }
    if (command && event.key !== "Enter") return;
    if (event.altKey && /^Arrow(Up|Down)$/.test(event.key)) { event.preventDefault(); return this.step(event.key === "ArrowUp" ? -1 : 1); }
    if (event.key === "Escape") return this.clear();
    const next = this.selection ? 1 : 0, gone = () => (this.range ? this.remove() : active && this.app.revert(active));
    const does = {
      ArrowRight: () => go(here + next), ArrowLeft: () => go(here - next), ArrowDown: () => go(this.#line(here, 1)), ArrowUp: () => go(this.#line(here, -1)),
      Home: () => go(0), End: () => go(tokens.length - 1), Delete: gone, Backspace: gone, Insert: () => this.insert(),
      Enter: () => (command && active ? this.app.playEdit(active) : this.write()), F2: !this.fixes.disabled && (() => this.write(null, "correct")),
    }[event.key];
    const types = event.key.length === 1 && /[\p{L}\p{N}"'$[*]/u.test(event.key) && !event.altKey && this.selection;
    if (does || types) event.preventDefault();
    if (types) event.stopPropagation();
    if (does) does();
    else if (types) this.write(event.key);
  }

  /** What is copied are the words as they are edited; what is pasted is inserted after what is selected. */
  #clip(event) {
    const { range } = this;
    if (event.target !== this.body || !range) return;
    event.preventDefault();
    const { script } = this.app;
    if (event.type === "paste") {
      const text = event.clipboardData.getData("text/plain");
      if (text.trim()) this.app.write(range[1], range[1], `${text} ${script.textOf(range[1], range[1])}`);
      return;
    }
    event.clipboardData.setData("text/plain", script.textOf(...script.widened(...range)));
    if (event.type === "cut") this.remove();
  }

  /** The nearest word a line above or below. */
  #line(k, by) {
    const from = this.element(k)?.getBoundingClientRect();
    if (!from) return k;
    let best = k, found = Infinity, top = null;
    for (let n = k + by; n >= 0 && n < this.app.script.tokens.length; n += by) {
      const box = this.element(n)?.getBoundingClientRect();
      if (!box || Math.abs(box.top - from.top) < 4) continue;
      if (top === null) top = box.top;
      if (Math.abs(box.top - top) > 4) break;
      const off = Math.abs(box.left - from.left);
      if (off < found) { found = off; best = n; }
    }
    return best;
  }

  /** Goes to the next change (1) or the one before (-1); whether there is one. */
  step(by) {
    const { script } = this.app;
    const places = script.places();
    const at = places.findIndex((place) => place.edit === this.app.active);
    const here = this.selection ? this.selection.focus : -1;
    const next = at >= 0 ? places[at + by] : by > 0 ? places.find((place) => place.first > here) : [...places].reverse().find((place) => place.last <= here);
    if (!next) return false;
    this.selection = null;
    this.app.activate(next.edit, false);
    this.mark();
    const element = this.body.querySelector(".change.active");
    if (element) this.follow(element);
    this.said.textContent = `${script.tokens.slice(next.first, next.last).map((token) => token.text).join(" ")} → ${next.edit.text || TEXTS.deleted}. ${TEXTS.state[script.stateOf(next.edit)]}`;
    return true;
  }
}
