// What is selected in the transcript, by pointer or finger, and the bar of what can be done with it.

import { drag, follow, make, tool } from "../elements.js";
import { ScriptText } from "./script_text.js";
import { TEXTS } from "../texts.js";

const MOST_SAID = 50; // words that are read out

export class ScriptSelection extends ScriptText {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    super(host, app);
    /** @type {{anchor: number, focus: number}|null} tokens, both included */
    this.selection = null;
    const named = (name, does, title) => make("button", { type: "button", class: "quiet", title, onclick: does }, name);
    this.fixes = named(TEXTS.fix, () => this.write(null, "correct"), TEXTS.fix_hint);
    this.bar = make("div", { class: "bar", role: "toolbar", "aria-label": TEXTS.selected, hidden: true }, tool("play", TEXTS.play_word, () => this.app.playTokens(...this.range)),
      named(TEXTS.replace, () => this.write()), this.fixes, named(TEXTS.remove, () => this.remove()), named(TEXTS.insert, () => this.insert(), TEXTS.insert_hint));
    // For fingers, which can't drag over words without scrolling.
    this.handles = ["anchor", "focus"].map((end) => make("div", { class: "handle", "aria-hidden": "true", hidden: true, onpointerdown: (event) => this.#pull(event, end) }));
    this.scroller.append(...this.handles);
    this.scroller.after(this.bar);
    this.body.addEventListener("pointerdown", (event) => this.#press(event));
    this.body.addEventListener("dblclick", (event) => this.#wordOf(event) !== null && this.write());
    this.scroller.addEventListener("scroll", () => this.place());
    new ResizeObserver(() => this.place()).observe(this.scroller);
  }

  /** What is done with it; the view's. */
  /** @param {string|null} [typed] @param {string} [mode] */
  write(typed, mode) { void [typed, mode]; }
  remove() {}
  insert() {}
  /** @param {boolean} keep */
  finish(keep) { void keep; }

  /** The selected tokens [first, last), or null. */
  get range() {
    if (!this.selection) return null;
    const { anchor, focus } = this.selection;
    return [Math.min(anchor, focus), Math.max(anchor, focus) + 1];
  }

  select(anchor, focus = anchor, told = true) {
    const last = this.app.script.tokens.length - 1;
    if (last < 0) return;
    const fit = (k) => Math.min(Math.max(k, 0), last);
    this.selection = { anchor: fit(anchor), focus: fit(focus) };
    const [first, end] = this.range;
    const place = this.app.script.placeAt(first);
    this.app.selected(first, end, place && place.last >= end ? place.edit : null);
    this.mark();
    if (told) this.said.textContent = this.app.script.textOf(...this.app.script.widened(first, Math.min(end, first + MOST_SAID))) || TEXTS.deleted;
  }

  clear() {
    this.selection = null;
    this.app.selected(0, 0, null);
    this.mark();
  }

  mark() {
    for (const each of this.body.querySelectorAll(".selected")) each.classList.remove("selected");
    for (const each of this.range ? this.elements.slice(...this.range) : []) each?.classList.add("selected");
    for (const each of this.body.querySelectorAll(".change")) {
      each.classList.toggle("active", this.app.script.edits[Number(each.dataset.edit)] === this.app.active);
    }
    this.place();
  }

  #wordOf(event) {
    const word = event.target.closest ? event.target.closest("[data-k]") : null;
    return word ? Number(word.dataset.k) : null;
  }

  /** A pointer goes down on something; of a finger it is not known yet whether it will scroll. */
  #press(event) {
    if (event.target.closest("textarea, button") || event.button) return;
    this.touched = event.pointerType === "touch";
    if (!this.touched) return this.#take(event);
    follow(document, () => {}, (last) => { if (last.type === "pointerup") this.#take(event); });
  }

  #take(event) {
    const offer = event.target.closest("[data-offer]");
    if (offer) return this.app.cleaning.show(Number(offer.dataset.offer));
    const change = event.target.closest(".change"), k = this.#wordOf(event);
    if (change && (k === null || event.target.closest("ins"))) {
      this.body.focus({ preventScroll: true });
      const edit = this.app.script.edits[Number(change.dataset.edit)];
      this.selection = null;
      if (edit) this.app.activate(edit, true);
      this.mark();
      return;
    }
    if (k === null) return;
    this.finish(true);
    this.select(event.shiftKey && this.selection ? this.selection.anchor : k, k);
    const from = this.selection.anchor;
    if (this.touched) return this.app.playToken(from);
    let moved = event.shiftKey;
    const move = (moving) => {
      const under = document.elementFromPoint(moving.clientX, moving.clientY);
      const here = under && /** @type {HTMLElement|null} */ (under.closest("[data-k]"));
      if (here && this.body.contains(here) && Number(here.dataset.k) !== this.selection.focus) {
        moved = true;
        this.select(from, Number(here.dataset.k), false);
      }
    };
    follow(document, move, (last) => { if (!moved && last.type === "pointerup") this.app.playToken(from); });
  }

  /** A handle of the selection follows the finger from word to word. */
  #pull(event, end) {
    event.preventDefault();
    const handle = event.target;
    const [first, last] = [this.range[0], this.range[1] - 1];
    this.selection = end === "anchor" ? { anchor: last, focus: first } : { anchor: first, focus: last };
    const move = (moving) => {
      const under = /** @type {HTMLElement|null} */ (document.elementsFromPoint(moving.clientX, moving.clientY - 14).map((each) => each.closest("[data-k]")).find(Boolean) || null);
      if (under && this.body.contains(under)) this.select(this.selection.anchor, Number(under.dataset.k), false);
    };
    drag(handle, event, move, () => this.body.focus({ preventScroll: true }));
  }

  /** The bar below the script, which hides none of it, and a finger's handles below the selection. */
  place() {
    const range = this.range;
    const first = range && this.element(range[0]), last = range && this.element(range[1] - 1);
    for (const handle of this.handles) handle.hidden = !this.touched || !first || !last || !!this.field;
    if (!first || !last || this.field) { this.bar.hidden = true; return; }
    const frame = this.scroller.getBoundingClientRect();
    const ends = [first.getBoundingClientRect(), last.getBoundingClientRect()];
    this.handles.forEach((handle, k) => {
      handle.style.left = `${(k ? ends[k].right : ends[k].left) - frame.left}px`;
      handle.style.top = `${ends[k].bottom - frame.top + this.scroller.scrollTop}px`;
    });
    this.fixes.disabled = this.elements.slice(...range).some((word) => word?.closest(".change"));
    if (!this.bar.hidden) return;
    this.bar.hidden = false;
    last.scrollIntoView({ block: "nearest" }); // the bar takes its room from the script
  }
}
