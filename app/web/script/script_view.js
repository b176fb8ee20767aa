// The transcript as the document: its text, what is selected, the field that is written in, and its keys.

import { ScriptField } from "./script_field.js";
import { ScriptSelection } from "./script_selection.js";
import { ScriptText } from "./script_text.js";
import { copied, copy } from "./recorded.js";
import { TEXTS } from "../texts.js";

export class ScriptView {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    this.app = app;
    this.text = new ScriptText(host, app);
    this.selected = new ScriptSelection(this.text, app);
    this.field = new ScriptField(this.text, this.selected, app);
    this.text.body.addEventListener("keydown", (event) => this.#key(event));
    for (const how of ["copy", "cut", "paste"]) app.host.addEventListener(how, (event) => this.#clip(event)); // wherever text is selected
  }

  /** The keys go to the transcript. */
  focus() { this.text.body.focus({ preventScroll: true }); }

  remove() {
    const range = this.selected.range;
    if (!range) return;
    const { first, last, rest } = this.app.script.written(...range);
    this.app.editing.write(first, last, rest);
  }

  // ---- keys -------------------------------------------------------------------------------------

  #key(event) {
    if (event.target !== this.text.body) return;
    const { tokens } = this.app.script;
    const here = this.selected.selection ? this.selected.selection.focus : Math.max(0, this.app.hearing.heardToken());
    const go = (k) => {
      event.preventDefault();
      this.selected.select(event.shiftKey && this.selected.selection ? this.selected.selection.anchor : k, k);
      const element = this.text.element(Math.min(Math.max(k, 0), tokens.length - 1));
      if (element) this.text.follow(element);
    };
    const command = event.ctrlKey || event.metaKey, { active } = this.app;
    if (command && event.key.toLowerCase() === "a" && tokens.length) {
      event.preventDefault();
      return this.selected.select(0, tokens.length - 1);
    }
    if (command && event.key !== "Enter") return;
    if (event.altKey && /^Arrow(Up|Down)$/.test(event.key)) { event.preventDefault(); return this.step(event.key === "ArrowUp" ? -1 : 1); }
    if (event.key === "Escape") return this.selected.clear();
    const next = this.selected.selection ? 1 : 0, gone = () => (this.selected.range ? this.remove() : active && this.app.editing.revert(active));
    const does = {
      ArrowRight: () => go(here + next), ArrowLeft: () => go(here - next), ArrowDown: () => go(this.#line(here, 1)), ArrowUp: () => go(this.#line(here, -1)),
      Home: () => go(0), End: () => go(tokens.length - 1), Delete: gone, Backspace: gone, Insert: () => this.field.write(null, "insert"),
      Enter: () => (command && active ? this.app.hearing.playEdit(active) : this.field.write()), F2: !this.selected.fixes.disabled && (() => this.field.write(null, "correct")),
    }[event.key];
    const types = event.key.length === 1 && /[\p{L}\p{N}"'$[*]/u.test(event.key) && !event.altKey && this.selected.selection;
    if (does || types) event.preventDefault();
    if (types) event.stopPropagation();
    if (does) does();
    else if (types) this.field.write(event.key);
  }

  /** Words come after those that are selected. @param {string} text @param {import("./recorded.js").Word[]} words those of them that are recorded */
  paste(text, words = []) {
    const { range } = this.selected;
    if (!range) return this.app.complain(TEXTS.no_place);
    const there = this.app.script.words(range[1], range[1]);
    if (text.trim()) this.app.editing.write(range[1], range[1], [text, ...there.map((word) => word.text)].join(" "), false, [...words, ...there]);
  }

  /** What is copied are the words as they are edited; what is pasted is inserted after what is selected. */
  #clip(event) {
    const { range } = this.selected;
    if (document.activeElement !== this.text.body || !range) return;
    event.preventDefault();
    const { script } = this.app;
    if (event.type === "paste") return this.paste(event.clipboardData.getData("text/plain"), copied(event.clipboardData, this.app.project));
    copy(event.clipboardData, this.app.project, script.words(...script.widened(...range)));
    if (event.type === "cut") this.remove();
  }

  /** The nearest word a line above or below. */
  #line(k, by) {
    const from = this.text.element(k)?.getBoundingClientRect();
    if (!from) return k;
    let best = k, found = Infinity, top = null;
    for (let n = k + by; n >= 0 && n < this.app.script.tokens.length; n += by) {
      const box = this.text.element(n)?.getBoundingClientRect();
      if (!box || Math.abs(box.top - from.top) < 4) continue;
      if (top === null) top = box.top;
      if (Math.abs(box.top - top) > 4) break;
      const off = Math.abs(box.left - from.left);
      if (off < found) { found = off; best = n; }
    }
    return best;
  }

  /** Words come for others: what is selected, and what is written, stays with its own. */
  following(change) {
    const { script } = this.app, { selection } = this.selected, { open } = this.field, before = script.tokens.map(({ id }) => id);
    change();
    const at = (k) => script.index.get(before[k]);
    if (selection) {
      const anchor = at(selection.anchor), focus = at(selection.focus);
      this.selected.selection = anchor === undefined || focus === undefined ? null : { anchor, focus };
    }
    if (!open) return;
    const { first, last } = open, inserts = first === last, left = first ? at(first - 1) : -1, right = last < before.length ? at(last) : script.tokens.length;
    const start = (inserts ? undefined : at(first)) ?? (left === undefined ? undefined : left + 1);
    const end = inserts ? start : at(last - 1) === undefined ? right : at(last - 1) + 1;
    if (start !== undefined && end >= start) Object.assign(open, { first: start, last: end });
  }

  /** Goes to the next change (1) or the one before (-1); whether there is one. */
  step(by) {
    const { script } = this.app;
    const places = script.places();
    const at = places.findIndex((place) => place.edit === this.app.active);
    const here = this.selected.selection ? this.selected.selection.focus : -1;
    const next = at >= 0 ? places[at + by] : by > 0 ? places.find((place) => place.first > here) : [...places].reverse().find((place) => place.last <= here);
    if (!next) return false;
    this.selected.selection = null;
    this.app.hearing.activate(next.edit, false);
    this.selected.mark();
    const element = this.text.changeAt(next);
    if (element) this.text.follow(element);
    this.text.said.textContent = `${script.tokens.slice(next.first, next.last).map((token) => token.text).join(" ")} → ${next.edit.text || TEXTS.deleted}. ${TEXTS.state[script.stateOf(next.edit)]}`;
    return true;
  }
}
