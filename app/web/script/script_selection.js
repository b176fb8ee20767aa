// What is selected in the transcript, by pointer or finger, and the bar of what can be done with it.

import { drag, follow, make, tool } from "../elements.js";
import { TEXTS } from "../texts.js";

const MOST_SAID = 50; // words that are read out

export class ScriptSelection {
  /** @param {import("./script_text.js").ScriptText} text @param {any} app */
  constructor(text, app) {
    this.text = text;
    this.app = app;
    this.script = app.script;
    /** @type {{anchor: number, focus: number}|null} tokens, both included */
    this.selection = null;
    const named = (name, does, title) => make("button", { type: "button", class: "quiet", title, onclick: does }, name);
    this.fixes = named(TEXTS.fix, () => app.view.field.write(null, "correct"), TEXTS.fix_hint);
    this.bar = make("div", { class: "bar", role: "toolbar", "aria-label": TEXTS.selected, hidden: true }, tool("play", TEXTS.play_word, () => app.hearing.playTokens(...this.range)),
      named(TEXTS.replace, () => app.view.field.write()), this.fixes, named(TEXTS.remove, () => app.view.remove()), named(TEXTS.insert, () => app.view.field.write(null, "insert"), TEXTS.insert_hint), tool("record", TEXTS.say_words, () => app.saying.open(this.range)));
    // For fingers, which can't drag over words without scrolling.
    this.handles = ["anchor", "focus"].map((end) => make("div", { class: "handle", "aria-hidden": "true", hidden: true, onpointerdown: (event) => this.#pull(event, end) }));
    text.scroller.append(...this.handles, this.bar);
    text.body.addEventListener("pointerdown", (event) => this.#press(event));
    text.body.addEventListener("dblclick", (event) => this.#wordOf(event) !== null && app.view.field.write());
    text.marked = () => this.mark();
    new ResizeObserver(() => this.place()).observe(text.scroller);
  }

  /** The selected tokens [first, last), or null. */
  get range() {
    if (!this.selection) return null;
    const { anchor, focus } = this.selection;
    return [Math.min(anchor, focus), Math.max(anchor, focus) + 1];
  }

  select(anchor, focus = anchor, told = true) {
    const last = this.script.tokens.length - 1;
    if (last < 0) return;
    const fit = (k) => Math.min(Math.max(k, 0), last);
    this.selection = { anchor: fit(anchor), focus: fit(focus) };
    const [first, end] = this.range;
    const place = this.script.placeAt(first);
    this.app.hearing.selected(first, end, place && place.last >= end ? place.edit : null);
    this.mark();
    if (told) this.text.said.textContent = this.script.textOf(...this.script.widened(first, Math.min(end, first + MOST_SAID))) || TEXTS.deleted;
  }

  clear() {
    this.selection = null;
    this.app.hearing.selected(0, 0, null);
    this.mark();
  }

  mark() {
    const [from, until] = this.range || [0, 0];
    for (const each of this.text.body.querySelectorAll(".selected")) each.classList.remove("selected");
    for (const { first, last, element } of this.text.near) {
      if (first >= until || last <= from) continue;
      for (const each of /** @type {NodeListOf<HTMLElement>} */ (element.querySelectorAll("[data-k]"))) each.classList.toggle("selected", Number(each.dataset.k) >= from && Number(each.dataset.k) < until);
    }
    for (const each of this.text.body.querySelectorAll(".change")) {
      each.classList.toggle("active", this.script.edits[Number(each.dataset.edit)] === this.app.active);
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
      this.app.view.focus();
      const edit = this.script.edits[Number(change.dataset.edit)];
      this.selection = null;
      if (edit) this.app.hearing.activate(edit, true);
      this.mark();
      return;
    }
    if (k === null) return;
    this.app.view.field.finish(true);
    this.select(event.shiftKey && this.selection ? this.selection.anchor : k, k);
    const from = this.selection.anchor;
    if (this.touched) return this.app.hearing.playToken(from);
    let moved = event.shiftKey;
    const move = (moving) => {
      const under = document.elementFromPoint(moving.clientX, moving.clientY);
      const here = under && /** @type {HTMLElement|null} */ (under.closest("[data-k]"));
      if (here && this.text.body.contains(here) && Number(here.dataset.k) !== this.selection.focus) {
        moved = true;
        this.select(from, Number(here.dataset.k), false);
      }
    };
    follow(document, move, (last) => { if (!moved && last.type === "pointerup") this.app.hearing.playToken(from); });
  }

  /** A handle of the selection follows the finger from word to word. */
  #pull(event, end) {
    event.preventDefault();
    const handle = event.target;
    const [first, last] = [this.range[0], this.range[1] - 1];
    this.selection = end === "anchor" ? { anchor: last, focus: first } : { anchor: first, focus: last };
    const move = (moving) => {
      const under = /** @type {HTMLElement|null} */ (document.elementsFromPoint(moving.clientX, moving.clientY - 14).map((each) => each.closest("[data-k]")).find(Boolean) || null);
      if (under && this.text.body.contains(under)) this.select(this.selection.anchor, Number(under.dataset.k), false);
    };
    drag(handle, event, move, () => this.app.view.focus());
  }

  /** The bar, and a finger's handles, float below the selection, where that is near; they move nothing. */
  place() {
    const { scroller } = this.text, isOpen = !!this.app.view.field.open, ends = this.range && !isOpen ? [this.range[0], this.range[1] - 1].map((k) => this.text.shown(k)) : [];
    this.fixes.disabled = !!this.range && this.script.places().some((place) => place.first < this.range[1] && this.range[0] < place.last);
    this.bar.hidden = !ends[1];
    this.handles.forEach((handle, k) => { handle.hidden = !this.touched || !ends[k]; });
    if (!ends[0] && !ends[1]) return;
    const frame = scroller.getBoundingClientRect(), boxes = ends.map((end) => end?.getBoundingClientRect()), below = (box) => box.bottom - frame.top + scroller.scrollTop;
    boxes.forEach((box, k) => { if (box) Object.assign(this.handles[k].style, { left: `${(k ? box.right : box.left) - frame.left}px`, top: `${below(box)}px` }); });
    if (!boxes[1]) return;
    const room = scroller.clientWidth - this.bar.offsetWidth - 8;
    Object.assign(this.bar.style, { left: `${Math.max(8, Math.min(boxes[1].left - frame.left, room))}px`, top: `${below(boxes[1]) + (this.touched ? 26 : 5)}px` });
  }
}
