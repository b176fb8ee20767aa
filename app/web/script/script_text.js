// The visible transcript: its words, struck and new ones, and parts not recognised yet. Only paragraphs near the view have an
// element for each word; those far from it are plain text of the same size.

import { escaped, make } from "../elements.js";
import { TEXTS, clock, named } from "../texts.js";

const FIRST = 12; // paragraphs that have elements from the beginning
const LONG = 70; // words of a paragraph of what is not recognised yet

/** @typedef {{first: number, last: number, start: number, near: boolean, made: string, waiting?: string}} Paragraph tokens, or what waits to be recognised @typedef {Paragraph & {element: HTMLElement}} Row @typedef {import("./script.js").Place} Place */

export class ScriptText {
  /** @param {HTMLElement} host @param {import("../state.js").State} state @param {import("../hearing.js").Hearing} hearing @param {import("../editing.js").Editing} editing @param {import("../panels/cleaning_view.js").CleaningView} cleaning */
  constructor(host, state, hearing, editing, cleaning) {
    this.state = state;
    this.script = state.script;
    this.cleaning = cleaning;
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Place[]} */
    this.places = [];
    /** @type {string[]} who speaks */
    this.voices = [];
    this.lit = -1;
    /** @type {HTMLElement|null} */
    this.litElement = null;
    this.marked = () => {}; // shows what is selected, in words that are new
    /** @type {HTMLElement|null} what is written in, in a row that stays as it is meanwhile */
    this.field = null;
    this.body = make("div", { class: "script", tabindex: "0", role: "textbox", "aria-multiline": "true", "aria-readonly": "true", "aria-label": TEXTS.transcript });
    this.said = make("div", { class: "said", "aria-live": "polite" });
    this.scroller = make("div", { class: "scroller" }, this.body);
    this.again = make("button", { type: "button", class: "button follow", hidden: true, onclick: () => { this.setFollows(true); if (this.litElement) this.follow(this.litElement); } }, TEXTS.follow);
    host.append(this.scroller, this.again, this.said);
    this.follows = true;
    this.nearby = new IntersectionObserver((seen) => this.#approach(seen), { root: this.scroller, rootMargin: "60% 0px" });
    for (const how of ["wheel", "touchmove"]) this.scroller.addEventListener(how, () => this.setFollows(false), { passive: true });
    this.scroller.addEventListener("pointerdown", (event) => { if (event.target === this.scroller) this.setFollows(false); }); // its bar
    this.scroller.addEventListener("keydown", (event) => { if (/^Page/.test(event.key)) this.setFollows(false); });
    this.body.addEventListener("click", (event) => {
      const place = /** @type {HTMLElement|null} */ (/** @type {HTMLElement} */ (event.target).closest("[data-look]"));
      if (place) hearing.look(Number(place.dataset.look), true);
      const name = /** @type {HTMLElement|null} */ (/** @type {HTMLElement} */ (event.target).closest("[data-speaker]"));
      if (name) editing.renameSpeaker(Number(name.dataset.speaker));
    });
  }

  /** Shows the current script; leaves unchanged paragraphs alone. */
  render() {
    const { script } = this;
    /** @type {Paragraph[]} */
    const paragraphs = script.paragraphs().map(([first, last]) => ({ first, last, start: script.tokens[first].start, near: false, made: "" }));
    this.#withWaiting(paragraphs);
    this.places = script.places();
    this.voices = this.state.voices;
    /** @type {Row[]} */
    const rows = paragraphs.map((paragraph, n) => {
      const was = this.rows[n], element = was?.element || make("div", { class: "paragraph" }, make("span", { class: "time", "aria-hidden": "true" }), make("p"));
      if (!was) this.body.append(element);
      return { ...paragraph, element, near: was ? was.near : n < FIRST, made: was?.made || "" };
    });
    for (const { element } of this.rows.slice(rows.length)) { this.nearby.unobserve(element); element.remove(); }
    const fresh = rows.slice(this.rows.length);
    this.rows = rows;
    rows.forEach((row) => this.#show(row));
    for (const { element } of fresh) this.nearby.observe(element);
    this.lit = -1;
    this.marked();
  }

  /** Paragraphs have come near the view, or have left it. @param {IntersectionObserverEntry[]} seen */
  #approach(seen) {
    const found = new Map(seen.map(({ target, isIntersecting }) => [target, isIntersecting]));
    for (const row of this.rows) {
      const near = found.get(row.element);
      if (near === undefined || row.near === near) continue;
      row.near = near;
      this.#show(row);
    }
    this.marked();
  }

  /** @param {Row} row */
  #show(row) {
    const { script } = this, { first, last, element } = row;
    if (element.contains(this.field)) { // typed text stays; meanwhile finished takes are announced
      for (const { edit, first, last } of this.places) element.querySelector(`[data-first="${first}"][data-last="${last}"]`)?.setAttribute("class", `change ${script.stateOf(edit)}`);
      row.made = "";
      return;
    }
    const time = script.tokens[first]?.waits ? "" : clock(row.start), speaker = script.tokens[first]?.speaker;
    const turns = row.waiting === undefined && speaker && (first === 0 || script.tokens[first - 1].speaker !== speaker);
    const name = turns ? `<button type="button" class="speaker" title="${TEXTS.rename}" data-speaker="${first}">${escaped(speaker)}</button> ` : "";
    const html = row.waiting ?? name + (row.near ? this.#words(first, last) : escaped(this.#plain(first, last)));
    const made = `${this.voices.length > 1 ? this.voices.indexOf(speaker) : ""} ${time}${html}`;
    if (row.made === made) return;
    row.made = made;
    element.children[0].textContent = time;
    if (speaker && this.voices.length > 1) element.dataset.voice = String(this.voices.indexOf(speaker) % 6);
    else delete element.dataset.voice;
    element.children[1].innerHTML = html; // made of escaped texts alone
  }

  /** The changes of tokens [first, last) of a paragraph. @param {number} first @param {number} last */
  #changes(first, last) {
    return this.places.filter((place) => (place.first === place.last ? (place.first > first && place.first <= last) || (first === 0 && place.first === 0) : place.first < last && first < place.last));
  }

  /** @param {number} first @param {number} last */
  #words(first, last) {
    const parts = [];
    let k = first;
    for (const place of this.#changes(first, last)) {
      while (k < place.first) parts.push(this.#word(k++));
      parts.push(this.#change(place, Math.max(first, place.first), Math.min(last, place.last), last));
      k = Math.max(k, Math.min(place.last, last));
    }
    while (k < last) parts.push(this.#word(k++));
    return parts.join(" ");
  }

  /** A paragraph as plain text, struck and new words included, for far from the view. @param {number} first @param {number} last */
  #plain(first, last) {
    const { tokens } = this.script, said = (/** @type {number} */ from, /** @type {number} */ until) => tokens.slice(from, until).map(({ text }) => text);
    const parts = [];
    let k = first;
    for (const place of this.#changes(first, last)) {
      parts.push(...said(k, Math.min(place.last, last)), place.last <= last ? named(this.script, place.edit) : "");
      k = Math.max(k, Math.min(place.last, last));
    }
    return [...parts, ...said(k, last)].filter(Boolean).join(" ");
  }

  /** Rows for what has not been recognised: its words if they were given, or heard while it was recorded. @param {Paragraph[]} rows */
  #withWaiting(rows) {
    const { project, script, spoken, listening } = this.state;
    const words = spoken && spoken.project === project ? spoken.words : [];
    const whole = !rows.length && listening && !listening.done && !script.missing.length && (words.length || listening.text);
    for (const [start, end] of whole ? [/** @type {const} */ ([0, Infinity])] : script.tokens.some(({ waits }) => waits) ? [] : script.missing) {
      const heard = whole && listening.text || words.filter(([, from]) => start <= from && from < end).map(([word]) => word).join(" ");
      if (!heard && end - start < 10) continue;
      const at = rows.findIndex((row) => row.start > start), said = heard.split(/\s+/);
      const add = Array.from({ length: Math.ceil(said.length / LONG) }, (_, k) => `<span class="provisional">${escaped(said.slice(k * LONG, (k + 1) * LONG).join(" "))}</span>`);
      const bones = `<button type="button" class="missing" data-look="${start}">${escaped(TEXTS.missing)}</button>`;
      rows.splice(at < 0 ? rows.length : at, 0, ...(heard ? add : [bones]).map((waiting) => ({ first: -1, last: -1, start, near: false, made: "", waiting })));
    }
  }

  /** @param {number} k */
  #word(k, gone = false) {
    const token = this.script.tokens[k];
    const doubtful = token.score < this.script.doubtfulBelow && !gone;
    const offer = gone ? null : this.cleaning.offerOf(token.id);
    const title = offer ? TEXTS.offered_here : doubtful ? TEXTS.doubtful : token.waits ? TEXTS.waits_place : "";
    const word = `<span data-k="${k}" class="w${doubtful ? " doubtful" : ""}${token.waits ? " waits" : ""}${offer ? " offered" : ""}"${title ? ` title="${title}"` : ""}>${escaped(token.text)}</span>`;
    const gap = gone ? null : this.cleaning.offerBefore(k);
    return gap ? `<span class="offered between" data-offer="${gap.number}" title="${TEXTS.offered_here}">${escaped(gap.name)}</span> ${word}` : word;
  }

  /** Tokens [from, until) of a change, in a paragraph that goes to `end`. @param {Place} place @param {number} from @param {number} until @param {number} end */
  #change({ edit, first, last }, from, until, end) {
    const words = [];
    for (let k = from; k < until; k++) words.push(this.#word(k, true));
    const state = this.script.stateOf(edit);
    const gone = words.length ? `<del>${words.join(" ")}</del>` : "";
    const name = named(this.script, edit);
    const come = last <= end && name ? `<ins>${escaped(name)}</ins>` : "";
    const number = this.script.edits.indexOf(edit);
    return `<span class="change ${state}" data-edit="${number}" data-first="${first}" data-last="${last}">${gone}${gone && come ? " " : ""}${come}</span>`;
  }

  /** The paragraphs that have an element for each word. */
  get near() { return this.rows.filter(({ near, waiting }) => near && waiting === undefined); }

  /** The paragraph of a token, with an element for each of its words. @param {number} k */
  #rowOf(k) {
    const row = this.rows.find(({ first, last }) => first <= k && k < last);
    if (row && !row.near) {
      row.near = true;
      this.#show(row);
    }
    return row;
  }

  /** A word of the page. @param {number} k @returns {HTMLElement|null} */
  element(k) { return this.#rowOf(k)?.element.querySelector(`[data-k="${k}"]`) || null; }

  /** A word of the page, if it is near the view. @param {number} k @returns {HTMLElement|null} */
  shown(k) { return this.near.find(({ first, last }) => first <= k && k < last)?.element.querySelector(`[data-k="${k}"]`) || null; }

  /** A change on the page; near it, if it wasn't. @param {Place} place @returns {HTMLElement|null} */
  changeAt({ first, last }) {
    this.#rowOf(Math.max(0, first === last ? first - 1 : first));
    return this.body.querySelector(`[data-first="${first}"][data-last="${last}"]`);
  }

  /** The word that is heard. @param {number} k */
  light(k) {
    if (this.lit === k) return;
    if (this.litElement) this.litElement.classList.remove("now");
    this.lit = k;
    this.litElement = k >= 0 ? this.element(k) : null;
    if (!this.litElement) return;
    this.litElement.classList.add("now");
    if (this.state.transport.playing && this.follows && !this.field) this.follow(this.litElement);
  }

  /** Whether the view goes with what is heard: until one scrolls. @param {boolean} follows */
  setFollows(follows) {
    this.follows = follows;
    this.again.hidden = follows || !this.state.transport.playing;
  }

  /** The keys go here. */
  focus() { this.body.focus({ preventScroll: true }); }

  /** @param {Element} element */
  follow(element) {
    const box = element.getBoundingClientRect(), view = this.scroller.getBoundingClientRect();
    if (box.top < view.top + 24 || box.bottom > view.bottom - 40) {
      this.scroller.scrollBy({ top: box.top - view.top - view.height / 3, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    }
  }
}
