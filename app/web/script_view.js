// The transcript as the document: words to click, select, type over, delete; changes inline.

import { escaped, make, tool } from "./elements.js";
import { DOUBTFUL } from "./script.js";
import { TEXTS, clock, named, tell } from "./texts.js";

export class ScriptView {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    this.app = app;
    /** @type {{anchor: number, focus: number}|null} tokens, both included */
    this.selection = null;
    this.field = null; // { first, last, input, element }
    this.shown = []; // of each paragraph, what it was made of
    this.lit = null;
    this.body = make("div", { class: "script", tabindex: "0", role: "textbox", "aria-multiline": "true", "aria-readonly": "true", "aria-label": TEXTS.transcript });
    this.bar = make("div", { class: "bar", role: "toolbar", "aria-label": TEXTS.replace, hidden: true });
    this.said = make("div", { class: "said", "aria-live": "polite" });
    // For fingers, which can't drag over words without scrolling.
    this.handles = ["anchor", "focus"].map((end) => make("div", { class: "handle", "aria-hidden": "true", hidden: true, onpointerdown: (event) => this.#pull(event, end) }));
    this.scroller = make("div", { class: "scroller" }, this.body, this.bar, ...this.handles);
    host.append(this.scroller, this.said);
    this.body.addEventListener("pointerdown", (event) => this.#press(event));
    this.body.addEventListener("click", (event) => {
      const place = /** @type {HTMLElement|null} */ (/** @type {HTMLElement} */ (event.target).closest("[data-look]"));
      if (place) this.app.look(Number(place.dataset.look), true);
    });
    this.body.addEventListener("dblclick", (event) => this.#wordOf(event) !== null && this.write());
    this.body.addEventListener("keydown", (event) => this.#key(event));
    this.scroller.addEventListener("scroll", () => this.#place());
    new ResizeObserver(() => this.#place()).observe(this.scroller);
  }

  // ---- showing ----------------------------------------------------------------------------------

  /** Shows the script as it is; paragraphs that did not change are left alone. */
  render() {
    const { script } = this.app;
    const places = script.places();
    const paragraphs = script.paragraphs();
    const made = paragraphs.map(([first, last]) => {
      const parts = [];
      let k = first;
      for (const place of places) {
        const inserted = place.first === place.last;
        const here = inserted ? (place.first > first && place.first <= last) || (first === 0 && place.first === 0) : place.first < last && first < place.last;
        if (!here) continue;
        while (k < place.first) parts.push(this.#word(k++));
        parts.push(this.#change(place, Math.max(first, place.first), Math.min(last, place.last), last));
        k = Math.max(k, Math.min(place.last, last));
      }
      while (k < last) parts.push(this.#word(k++));
      return { html: parts.join(" "), time: clock(script.tokens[first].start), start: script.tokens[first].start };
    });
    this.#withMissing(made);
    made.forEach(({ html, time }, n) => {
      const was = this.shown[n];
      let row = this.body.children[n];
      if (!row) {
        row = make("div", { class: "paragraph" }, make("span", { class: "time", "aria-hidden": "true" }), make("p"));
        this.body.append(row);
      }
      if (was && was.html === html && was.time === time) return;
      if (this.field && row.contains(this.field.element)) { this.shown[n] = null; return; }
      row.children[0].textContent = time;
      row.children[1].innerHTML = html; // made of escaped texts alone
      this.shown[n] = { html, time };
    });
    while (this.body.children.length > made.length) this.body.lastChild.remove();
    this.shown.length = made.length;
    this.lit = null;
    this.#mark();
  }

  /** Rows for what has not been listened to, where there is enough of it to be told of. */
  #withMissing(rows) {
    for (const [start, end] of this.app.script.missing) {
      if (end - start < 10) continue;
      const at = rows.findIndex((row) => row.start > start);
      const html = `<button type="button" class="quiet missing" data-look="${start}">${escaped(tell(TEXTS.missing, clock(end)))}</button>`;
      rows.splice(at < 0 ? rows.length : at, 0, { html, time: clock(start), start });
    }
  }

  #word(k, gone = false) {
    const token = this.app.script.tokens[k];
    const doubtful = token.score < DOUBTFUL && !gone;
    const offer = gone ? null : this.app.cleaning.offerOf(token.id);
    const title = offer ? TEXTS.offered_here : doubtful ? TEXTS.doubtful : "";
    const word = `<span data-k="${k}" class="w${doubtful ? " doubtful" : ""}${offer ? " offered" : ""}"${title ? ` title="${title}"` : ""}>${escaped(token.text)}</span>`;
    const gap = gone ? null : this.app.cleaning.offerBefore(k);
    return gap ? `<span class="offered between" data-offer="${gap.number}" title="${TEXTS.offered_here}">${escaped(gap.name)}</span> ${word}` : word;
  }

  #change({ edit, first, last }, from, until, end) {
    const words = [];
    for (let k = from; k < until; k++) words.push(this.#word(k, true));
    const state = this.app.script.stateOf(edit);
    const gone = words.length ? `<del>${words.join(" ")}</del>` : "";
    const name = this.app.script.isPause(edit) || (edit.cut && first === last) ? named(this.app.script, edit) : edit.text;
    const come = last <= end && name ? `<ins>${escaped(name)}</ins>` : "";
    const number = this.app.script.edits.indexOf(edit);
    return `<span class="change ${state}" data-edit="${number}" data-first="${first}" data-last="${last}">${gone}${gone && come ? " " : ""}${come}</span>`;
  }

  element(k) {
    return this.body.querySelector(`[data-k="${k}"]`);
  }

  /** The word that is heard. @param {number} k */
  light(k) {
    if (this.lit === k) return;
    if (this.litElement) this.litElement.classList.remove("now");
    this.lit = k;
    this.litElement = k >= 0 ? this.element(k) : null;
    if (!this.litElement) return;
    this.litElement.classList.add("now");
    if (this.app.transport.playing && !this.field) this.follow(this.litElement);
  }

  follow(element) {
    const box = element.getBoundingClientRect(), view = this.scroller.getBoundingClientRect();
    if (box.top < view.top + 24 || box.bottom > view.bottom - 40) {
      this.scroller.scrollBy({ top: box.top - view.top - view.height / 3, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    }
  }

  // ---- selecting --------------------------------------------------------------------------------

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
    this.#mark();
    const [first, end] = this.range;
    const place = this.app.script.placeAt(first);
    this.app.selected(first, end, place && place.last >= end ? place.edit : null);
    if (told) this.said.textContent = this.app.script.textOf(...this.app.script.widened(first, end)) || TEXTS.deleted;
  }

  clear() {
    this.selection = null;
    this.#mark();
    this.app.selected(0, 0, null);
  }

  #mark() {
    for (const each of this.body.querySelectorAll(".selected")) each.classList.remove("selected");
    const range = this.range;
    if (range) {
      for (let k = range[0]; k < range[1]; k++) this.element(k)?.classList.add("selected");
    }
    for (const each of this.body.querySelectorAll(".change")) {
      each.classList.toggle("active", this.app.script.edits[Number(each.dataset.edit)] === this.app.active);
    }
    this.#place();
  }

  #wordOf(event) {
    const word = event.target.closest ? event.target.closest("[data-k]") : null;
    return word ? Number(word.dataset.k) : null;
  }

  #press(event) {
    if (event.target.closest("input, button") || event.button) return;
    this.touched = event.pointerType === "touch";
    const offer = event.target.closest("[data-offer]");
    if (offer) return this.app.cleaning.show(Number(offer.dataset.offer));
    const change = event.target.closest(".change");
    let k = this.#wordOf(event);
    if (change && (k === null || event.target.closest("ins"))) {
      this.body.focus({ preventScroll: true });
      const edit = this.app.script.edits[Number(change.dataset.edit)];
      this.selection = null;
      if (edit) this.app.activate(edit, true);
      this.#mark();
      return;
    }
    if (k === null) return;
    this.finish(true);
    if (event.shiftKey && this.selection) this.select(this.selection.anchor, k);
    else this.select(k);
    const from = this.selection.anchor;
    let moved = event.shiftKey;
    const move = (moving) => {
      const under = document.elementFromPoint(moving.clientX, moving.clientY);
      const here = under && /** @type {HTMLElement|null} */ (under.closest("[data-k]"));
      if (here && this.body.contains(here) && Number(here.dataset.k) !== this.selection.focus) {
        moved = true;
        this.select(from, Number(here.dataset.k), false);
      }
    };
    const release = () => {
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerup", release);
      document.removeEventListener("pointercancel", release);
      if (!moved) this.app.playToken(from);
    };
    if (event.pointerType !== "touch") document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", release);
    document.addEventListener("pointercancel", release);
  }

  /** A handle of the selection follows the finger from word to word. */
  #pull(event, end) {
    event.preventDefault();
    const handle = event.target;
    handle.setPointerCapture(event.pointerId);
    const [first, last] = [this.range[0], this.range[1] - 1];
    this.selection = end === "anchor" ? { anchor: last, focus: first } : { anchor: first, focus: last };
    const move = (moving) => {
      const under = /** @type {HTMLElement|null} */ (document.elementsFromPoint(moving.clientX, moving.clientY - 14).map((each) => each.closest("[data-k]")).find(Boolean) || null);
      if (under && this.body.contains(under)) this.select(this.selection.anchor, Number(under.dataset.k), false);
    };
    const release = () => {
      handle.removeEventListener("pointermove", move);
      handle.removeEventListener("pointerup", release);
      handle.removeEventListener("pointercancel", release);
      this.body.focus({ preventScroll: true });
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", release);
    handle.addEventListener("pointercancel", release);
  }

  /** The floating bar above what is selected, and a finger's handles below its ends. */
  #place() {
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
    if (this.bar.hidden || this.bar.dataset.mode !== this.app.mode) {
      this.bar.dataset.mode = this.app.mode;
      const write = this.app.mode === "correct"
        ? [tool("pencil", TEXTS.fix, () => this.write())]
        : [tool("pencil", TEXTS.replace, () => this.write()), tool("bin", TEXTS.remove, () => this.remove()), tool("more", TEXTS.insert, () => this.insert())];
      this.bar.replaceChildren(tool("play", TEXTS.play_word, () => this.app.playTokens(...this.range)), ...write);
      this.bar.hidden = false;
    }
    const box = first.getBoundingClientRect(), view = this.scroller.getBoundingClientRect();
    const top = box.top - view.top + this.scroller.scrollTop - 44;
    this.bar.style.top = `${top < this.scroller.scrollTop ? last.getBoundingClientRect().bottom - view.top + this.scroller.scrollTop + (this.touched ? 26 : 6) : top}px`;
    this.bar.style.left = `${Math.max(4, Math.min(box.left - view.left, view.width - this.bar.offsetWidth - 12))}px`;
  }

  // ---- writing ----------------------------------------------------------------------------------

  /** A field in the place of what is selected; `typed` instead of its words, if given. */
  write(typed = null, insertion = false) {
    this.finish(true);
    const { script, active, mode } = this.app;
    let range = this.range;
    if (!range && active) {
      const place = script.places().find((each) => each.edit === active);
      if (place) range = [place.first, place.last];
      if (place && place.first === place.last) return this.#open(place.first, place.last, typed ?? active.text, this.body.querySelector(".change.active"));
    }
    if (!range) return;
    const [first, last] = insertion ? [range[1], range[1]] : mode === "correct" ? range : script.widened(...range);
    const place = insertion ? null : script.placeAt(first);
    const anchor = place ? this.body.querySelector(`[data-first="${place.first}"][data-last="${place.last}"]`) : this.element(Math.max(0, last - 1));
    this.#open(first, last, typed ?? (insertion ? "" : script.textOf(first, last)), anchor);
  }

  #open(first, last, text, anchor) {
    if (!anchor) return;
    const label = this.app.mode === "correct" ? TEXTS.correct_here : TEXTS.type_here;
    const input = /** @type {HTMLInputElement} */ (make("input", { class: "field", "aria-label": label, autocomplete: "off", spellcheck: "true", maxlength: "2000" }));
    input.value = text;
    const fit = () => { input.style.width = `${Math.min(Math.max(input.value.length + 2, 6), 60)}ch`; };
    fit();
    const element = make("span", { class: `writing ${this.app.mode}` }, input);
    anchor.after(" ", element);
    for (let k = first; k < last; k++) this.element(k)?.classList.add("going");
    this.field = { first, last, input, element };
    this.bar.hidden = true;
    input.addEventListener("input", () => {
      fit();
      const { tokens } = this.app.script;
      const inserts = last === first;
      if (last) this.app.saver.draft({ first: tokens[inserts ? last - 1 : first].id, last: tokens[last - 1].id, text: input.value, mode: inserts ? "insert" : this.app.mode });
    });
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") { event.preventDefault(); this.finish(true, event.ctrlKey || event.metaKey); this.body.focus({ preventScroll: true }); }
      if (event.key === "Escape") { event.preventDefault(); this.finish(false); this.body.focus({ preventScroll: true }); }
      if (event.key === "Tab") { event.preventDefault(); this.finish(true); this.body.focus({ preventScroll: true }); this.step(event.shiftKey ? -1 : 1); }
    });
    input.addEventListener("blur", () => this.field && this.field.input === input && this.finish(true));
    input.focus();
    if (text.length > 1) input.select(); else input.setSelectionRange(text.length, text.length);
  }

  /** Takes or drops what was typed. */
  finish(keep, play = false) {
    const field = this.field;
    if (!field) return;
    this.field = null;
    for (const each of this.body.querySelectorAll(".going")) each.classList.remove("going");
    field.element.remove();
    if (!keep && this.app.saver.undraft()) this.app.saver.save();
    if (keep) this.app.write(field.first, field.last, field.input.value, play);
    this.render();
  }

  remove() {
    const range = this.range;
    if (!range || this.app.mode === "correct") return;
    this.app.write(...this.app.script.widened(...range), "");
  }

  insert() {
    if (this.app.mode !== "correct") this.write(null, true);
  }

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
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key !== "Enter") return;
    if (event.key === "ArrowRight") return go(this.selection ? here + 1 : here);
    if (event.key === "ArrowLeft") return go(this.selection ? here - 1 : here);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") return go(this.#line(here, event.key === "ArrowDown" ? 1 : -1));
    if (event.key === "Home") return go(0);
    if (event.key === "End") return go(tokens.length - 1);
    if (event.key === "Tab" && this.step(event.shiftKey ? -1 : 1)) { event.preventDefault(); return; }
    if (event.key === "Escape") return this.clear();
    if (event.key === "Enter" && command && this.app.active) { event.preventDefault(); return this.app.playEdit(this.app.active); }
    if (event.key === "Enter" || event.key === "F2") { event.preventDefault(); return this.write(); }
    if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      if (this.range) this.remove();
      else if (this.app.active) this.app.revert(this.app.active);
      return;
    }
    if (event.key === "Insert") { event.preventDefault(); return this.insert(); }
    const types = event.key.length === 1 && /[\p{L}\p{N}"'$[*]/u.test(event.key) && !event.altKey;
    if (types && this.selection) { event.preventDefault(); event.stopPropagation(); this.write(event.key); }
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
    this.#mark();
    const element = this.body.querySelector(".change.active");
    if (element) this.follow(element);
    this.said.textContent = `${script.tokens.slice(next.first, next.last).map((token) => token.text).join(" ")} → ${next.edit.text || TEXTS.deleted}. ${TEXTS.state[script.stateOf(next.edit)]}`;
    return true;
  }
}
