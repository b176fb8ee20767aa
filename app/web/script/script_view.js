// The transcript as the document: its text, what is selected, the field that is written in, and its keys.

import { ScriptField } from "./script_field.js";
import { ScriptSelection } from "./script_selection.js";
import { ScriptText } from "./script_text.js";
import { copied, copy } from "./recorded.js";
import { TEXTS, named } from "../texts.js";

export class ScriptView {
  /**
   * @param {HTMLElement} host @param {import("../state.js").State} state @param {import("../saver.js").Saver} saver
   * @param {import("../hearing.js").Hearing} hearing @param {import("../editing.js").Editing} editing
   * @param {import("../panels/cleaning_view.js").CleaningView} cleaning @param {import("../panels/saying.js").Saying} saying
   */
  constructor(host, state, saver, hearing, editing, cleaning, saying) {
    this.state = state;
    this.hearing = hearing;
    this.editing = editing;
    this.text = new ScriptText(host, state, hearing, editing, cleaning);
    this.field = new ScriptField(this.text, state, saver, editing);
    this.selected = new ScriptSelection(this.text, state, hearing, cleaning, saying, this.field, () => this.remove());
    this.text.body.addEventListener("keydown", (event) => this.#key(event));
    for (const how of /** @type {const} */ (["copy", "cut", "paste"])) document.body.addEventListener(how, (event) => this.#clip(event)); // wherever text is selected
  }

  /** A change's words are written anew. @param {import("../records").Edit} edit */
  rewrite(edit) {
    this.hearing.activate(edit, true);
    this.field.write();
  }

  /** Words are selected, and come into the view. @param {number} first @param {number} last */
  select(first, last) {
    this.selected.select(first, last);
    const element = this.text.element(first);
    if (element) this.text.follow(element);
  }

  remove() {
    const { range, script } = this.state;
    if (!range) return;
    const { first, last, rest } = script.written(...range);
    this.editing.write(first, last, rest);
  }

  // ---- keys -------------------------------------------------------------------------------------

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.target !== this.text.body) return;
    const { active, selection, script: { tokens } } = this.state;
    const here = selection ? selection.focus : Math.max(0, this.hearing.heardToken());
    const go = (/** @type {number} */ k) => {
      event.preventDefault();
      this.selected.select(event.shiftKey && selection ? selection.anchor : k, k);
      const element = this.text.element(Math.min(Math.max(k, 0), tokens.length - 1));
      if (element) this.text.follow(element);
    };
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key.toLowerCase() === "a" && tokens.length) {
      event.preventDefault();
      return this.selected.select(0, tokens.length - 1);
    }
    if (command && event.key !== "Enter") return;
    if (event.altKey && /^Arrow(Up|Down)$/.test(event.key)) { event.preventDefault(); return this.step(event.key === "ArrowUp" ? -1 : 1); }
    if (event.key === "Escape") return this.selected.clear();
    const next = selection ? 1 : 0, gone = () => { if (selection) this.remove(); else if (active) this.editing.revert(active); };
    /** @type {Record<string, false|(() => void)>} */
    const keys = {
      ArrowRight: () => go(here + next), ArrowLeft: () => go(here - next), ArrowDown: () => go(this.#line(here, 1)), ArrowUp: () => go(this.#line(here, -1)),
      Home: () => go(0), End: () => go(tokens.length - 1), Delete: gone, Backspace: gone, Insert: () => this.field.write(null, "insert"),
      Enter: () => (command && active ? this.hearing.playEdit(active) : this.field.write()), F2: !this.selected.fixes.disabled && (() => this.field.write(null, "correct")),
    };
    const does = keys[event.key];
    const types = event.key.length === 1 && /[\p{L}\p{N}"'$[*]/u.test(event.key) && !event.altKey && selection;
    if (does || types) event.preventDefault();
    if (types) event.stopPropagation();
    if (does) does();
    else if (types) this.field.write(event.key);
  }

  /** Words come after those that are selected. @param {string} text @param {import("./recorded.js").Word[]} words those of them that are recorded */
  paste(text, words = []) {
    const { range, script } = this.state;
    if (!range) return this.state.complain(TEXTS.no_place);
    const there = script.words(range[1], range[1]);
    if (text.trim()) this.editing.write(range[1], range[1], [text, ...there.map((word) => word.text)].join(" "), false, [...words, ...there]);
  }

  /** What is copied are the words as they are edited; what is pasted is inserted after what is selected. @param {ClipboardEvent} event */
  #clip(event) {
    const { range, script } = this.state;
    if (document.activeElement !== this.text.body || !range || !event.clipboardData) return;
    event.preventDefault();
    if (event.type === "paste") return this.paste(event.clipboardData.getData("text/plain"), copied(event.clipboardData, this.state.project));
    copy(event.clipboardData, this.state.project, script.words(...script.widened(...range)));
    if (event.type === "cut") this.remove();
  }

  /** The nearest word a line above or below. @param {number} k @param {1|-1} by */
  #line(k, by) {
    const from = this.text.element(k)?.getBoundingClientRect();
    if (!from) return k;
    let best = k, found = Infinity, top = null;
    for (let n = k + by; n >= 0 && n < this.state.script.tokens.length; n += by) {
      const box = this.text.element(n)?.getBoundingClientRect();
      if (!box || Math.abs(box.top - from.top) < 4) continue;
      if (top === null) top = box.top;
      if (Math.abs(box.top - top) > 4) break;
      const off = Math.abs(box.left - from.left);
      if (off < found) { found = off; best = n; }
    }
    return best;
  }

  /** Words come for others: what is selected, and what is written, stays with its own. @param {() => void} change */
  following(change) {
    const { script, selection } = this.state, { open } = this.field, before = script.tokens.map(({ id }) => id);
    change();
    const at = (/** @type {number} */ k) => script.index.get(before[k]);
    if (selection) {
      const anchor = at(selection.anchor), focus = at(selection.focus);
      this.state.selection = anchor === undefined || focus === undefined ? null : { anchor, focus };
    }
    if (!open) return;
    const { first, last } = open, inserts = first === last, left = first ? at(first - 1) : -1, right = last < before.length ? at(last) : script.tokens.length;
    const start = (inserts ? undefined : at(first)) ?? (left === undefined ? undefined : left + 1);
    const until = at(last - 1), end = inserts ? start : until === undefined ? right : until + 1;
    if (start !== undefined && end !== undefined && end >= start) Object.assign(open, { first: start, last: end });
  }

  /** Goes to the next change (1) or the one before (-1); whether there is one. @param {1|-1} by */
  step(by) {
    const { active, selection, script } = this.state;
    const places = script.places();
    const at = places.findIndex((place) => place.edit === active);
    const here = selection ? selection.focus : -1;
    const next = at >= 0 ? places[at + by] : by > 0 ? places.find((place) => place.first > here) : [...places].reverse().find((place) => place.last <= here);
    if (!next) return false;
    this.hearing.activate(next.edit, false);
    this.selected.mark();
    const element = this.text.changeAt(next);
    if (element) this.text.follow(element);
    this.text.said.textContent = `${script.tokens.slice(next.first, next.last).map((token) => token.text).join(" ")} → ${named(script, next.edit) || TEXTS.deleted}. ${TEXTS.state[script.stateOf(next.edit)]}`;
    return true;
  }
}
