// What is selected in the transcript, by pointer or finger, and the bar of what can be done with it.

import { drag, follow, make, tool } from "../elements.js";
import { TEXTS } from "../texts.js";

const MOST_SAID = 50; // words that are read out

export class ScriptSelection {
  /**
   * @param {import("./script_text.js").ScriptText} text @param {import("../state.js").State} state @param {import("../hearing.js").Hearing} hearing
   * @param {import("../panels/cleaning_view.js").CleaningView} cleaning @param {import("../panels/saying.js").Saying} saying
   * @param {import("./script_field.js").ScriptField} field @param {() => void} remove takes out what is selected
   */
  constructor(text, state, hearing, cleaning, saying, field, remove) {
    this.text = text;
    this.state = state;
    this.script = state.script;
    this.hearing = hearing;
    this.cleaning = cleaning;
    this.touched = false; // by a finger, not by a pointer
    field.placed = () => this.place();
    /** @param {string} name @param {() => void} does @param {string} [title] */
    const named = (name, does, title) => make("button", { type: "button", class: "quiet", title, onclick: does }, name);
    this.fixes = named(TEXTS.fix, () => field.write(null, "correct"), TEXTS.fix_hint);
    this.bar = make("div", { class: "bar", role: "toolbar", "aria-label": TEXTS.selected, hidden: true }, tool("play", TEXTS.play_word, () => state.range && hearing.playTokens(...state.range)),
      named(TEXTS.replace, () => field.write()), this.fixes, named(TEXTS.remove, remove), named(TEXTS.insert, () => field.write(null, "insert"), TEXTS.insert_hint), tool("record", TEXTS.say_words, () => state.range && saying.open(...state.range)));
    // For fingers, which can't drag over words without scrolling.
    this.handles = ["anchor", "focus"].map((end) => make("div", { class: "handle", "aria-hidden": "true", hidden: true, onpointerdown: (event) => this.#pull(event, end) }));
    text.scroller.append(...this.handles, this.bar);
    text.body.addEventListener("pointerdown", (event) => this.#press(event));
    text.body.addEventListener("dblclick", (event) => this.#wordOf(event) !== null && field.write());
    text.marked = () => this.mark();
    new ResizeObserver(() => this.place()).observe(text.scroller);
  }

  /** @param {number} anchor @param {number} focus @param {boolean} told whether it is read out */
  select(anchor, focus = anchor, told = true) {
    const last = this.script.tokens.length - 1;
    if (last < 0) return;
    const fit = (/** @type {number} */ k) => Math.min(Math.max(k, 0), last);
    const [from, to] = [fit(anchor), fit(focus)], first = Math.min(from, to), end = Math.max(from, to) + 1;
    this.state.selection = { anchor: from, focus: to };
    const place = this.script.placeAt(first);
    this.hearing.selected(first, end, place && place.last >= end ? place.edit : null);
    this.mark();
    if (told) this.text.said.textContent = this.script.textOf(...this.script.widened(first, Math.min(end, first + MOST_SAID))) || TEXTS.deleted;
  }

  clear() {
    this.state.selection = null;
    this.hearing.selected(0, 0, null);
    this.mark();
  }

  mark() {
    const [from, until] = this.state.range || [0, 0], { selection, active } = this.state;
    for (const each of this.text.body.querySelectorAll(".selected, .here")) each.classList.remove("selected", "here");
    if (!active) this.text.shown(selection ? selection.focus : Math.max(0, this.hearing.heardToken()))?.classList.add("here");
    for (const { first, last, element } of this.text.near) {
      if (first >= until || last <= from) continue;
      for (const each of /** @type {NodeListOf<HTMLElement>} */ (element.querySelectorAll("[data-k]"))) each.classList.toggle("selected", Number(each.dataset.k) >= from && Number(each.dataset.k) < until);
    }
    for (const each of /** @type {NodeListOf<HTMLElement>} */ (this.text.body.querySelectorAll(".change"))) {
      each.classList.toggle("active", this.script.edits[Number(each.dataset.edit)] === this.state.active);
    }
    this.place();
  }

  /** @param {Event} event */
  #wordOf({ target }) {
    const word = target instanceof Element ? /** @type {HTMLElement|null} */ (target.closest("[data-k]")) : null;
    return word ? Number(word.dataset.k) : null;
  }

  /** A pointer goes down on something; of a finger it is not known yet whether it will scroll. @param {PointerEvent} event */
  #press(event) {
    if (/** @type {Element} */ (event.target).closest("textarea, button") || event.button) return;
    this.touched = event.pointerType === "touch";
    if (!this.touched) return this.#take(event);
    follow(document, () => {}, (last) => { if (last.type === "pointerup") this.#take(event); });
  }

  /** @param {PointerEvent} event */
  #take(event) {
    const target = /** @type {Element} */ (event.target), offer = /** @type {HTMLElement|null} */ (target.closest("[data-offer]"));
    if (offer) return this.cleaning.show(Number(offer.dataset.offer));
    const change = /** @type {HTMLElement|null} */ (target.closest(".change")), k = this.#wordOf(event);
    if (change && (k === null || target.closest("ins"))) {
      this.text.focus();
      const edit = this.script.edits[Number(change.dataset.edit)];
      this.state.selection = null;
      if (edit) this.hearing.activate(edit, true);
      this.mark();
      return;
    }
    if (k === null) return;
    this.state.finish();
    const from = event.shiftKey && this.state.selection ? this.state.selection.anchor : k;
    this.select(from, k);
    if (this.touched) return this.hearing.playToken(from);
    let moved = event.shiftKey;
    const move = (/** @type {PointerEvent} */ moving) => {
      const under = document.elementFromPoint(moving.clientX, moving.clientY);
      const here = under && /** @type {HTMLElement|null} */ (under.closest("[data-k]"));
      if (here && this.text.body.contains(here) && Number(here.dataset.k) !== this.state.selection?.focus) {
        moved = true;
        this.select(from, Number(here.dataset.k), false);
      }
    };
    follow(document, move, (last) => { if (!moved && last.type === "pointerup") this.hearing.playToken(from); });
  }

  /** A handle of the selection follows the finger from word to word. @param {PointerEvent} event @param {string} end */
  #pull(event, end) {
    event.preventDefault();
    const { range } = this.state;
    if (!range) return;
    const [first, last] = [range[0], range[1] - 1], anchor = end === "anchor" ? last : first;
    this.state.selection = { anchor, focus: end === "anchor" ? first : last };
    const move = (/** @type {PointerEvent} */ moving) => {
      const under = /** @type {HTMLElement|null} */ (document.elementsFromPoint(moving.clientX, moving.clientY - 14).map((each) => each.closest("[data-k]")).find(Boolean) || null);
      if (under && this.text.body.contains(under)) this.select(anchor, Number(under.dataset.k), false);
    };
    drag(/** @type {HTMLElement} */ (event.target), event, move, () => this.text.focus());
  }

  /** The bar, and a finger's handles, float below the selection, where that is near; they move nothing. */
  place() {
    const { scroller } = this.text, { range } = this.state, ends = range && !this.text.field ? [range[0], range[1] - 1].map((k) => this.text.shown(k)) : [];
    this.fixes.disabled = !!range && this.script.places().some((place) => place.first < range[1] && range[0] < place.last);
    this.bar.hidden = !ends[1];
    this.handles.forEach((handle, k) => { handle.hidden = !this.touched || !ends[k]; });
    if (!ends[0] && !ends[1]) return;
    const frame = scroller.getBoundingClientRect(), boxes = ends.map((end) => end?.getBoundingClientRect()), below = (/** @type {DOMRect} */ box) => box.bottom - frame.top + scroller.scrollTop;
    boxes.forEach((box, k) => { if (box) Object.assign(this.handles[k].style, { left: `${(k ? box.right : box.left) - frame.left}px`, top: `${below(box)}px` }); });
    if (!boxes[1]) return;
    const room = scroller.clientWidth - this.bar.offsetWidth - 8;
    Object.assign(this.bar.style, { left: `${Math.max(8, Math.min(boxes[1].left - frame.left, room))}px`, top: `${below(boxes[1]) + (this.touched ? 26 : 5)}px` });
  }
}
