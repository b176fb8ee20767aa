// The visible transcript: its words, struck and new ones, and parts not recognised yet.

import { escaped, make } from "../elements.js";
import { DOUBTFUL } from "./script.js";
import { TEXTS, clock, named, tell } from "../texts.js";

export class ScriptText {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    this.app = app;
    /** @type {any} what is being written: {first, last, input, element} */
    this.field = null;
    this.shown = []; // of each paragraph, what it was made of
    this.lit = null;
    this.body = make("div", { class: "script", tabindex: "0", role: "textbox", "aria-multiline": "true", "aria-readonly": "true", "aria-label": TEXTS.transcript });
    this.said = make("div", { class: "said", "aria-live": "polite" });
    this.scroller = make("div", { class: "scroller" }, this.body);
    this.again = make("button", { type: "button", class: "button follow", hidden: true, onclick: () => { this.setFollows(true); if (this.litElement) this.follow(this.litElement); } }, TEXTS.follow);
    host.append(this.scroller, this.again, this.said);
    this.follows = true;
    for (const how of ["wheel", "touchmove"]) this.scroller.addEventListener(how, () => this.setFollows(false), { passive: true });
    this.scroller.addEventListener("pointerdown", (event) => { if (event.target === this.scroller) this.setFollows(false); }); // its bar
    this.scroller.addEventListener("keydown", (event) => { if (/^Page/.test(event.key)) this.setFollows(false); });
    this.body.addEventListener("click", (event) => {
      const place = /** @type {HTMLElement|null} */ (/** @type {HTMLElement} */ (event.target).closest("[data-look]"));
      if (place) this.app.look(Number(place.dataset.look), true);
      const name = /** @type {HTMLElement|null} */ (/** @type {HTMLElement} */ (event.target).closest("[data-speaker]"));
      if (name) this.app.renameSpeaker(Number(name.dataset.speaker));
    });
  }

  /** Shows what is selected; `ScriptSelection`'s. */
  mark() {}

  /** Shows the current script; leaves unchanged paragraphs alone. */
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
      const { start, speaker } = script.tokens[first];
      const turns = speaker && (first === 0 || script.tokens[first - 1].speaker !== speaker);
      const name = turns ? `<button type="button" class="speaker" title="${TEXTS.rename}" data-speaker="${first}">${escaped(speaker)}</button> ` : "";
      return { html: name + parts.join(" "), time: clock(start), start };
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
      if (this.field && row.contains(this.field.element)) { // typed text stays; meanwhile finished takes are announced
        this.shown[n] = null;
        for (const { edit, first, last } of places) row.querySelector(`[data-first="${first}"][data-last="${last}"]`)?.setAttribute("class", `change ${script.stateOf(edit)}`);
        return;
      }
      row.children[0].textContent = time;
      row.children[1].innerHTML = html; // made of escaped texts alone
      this.shown[n] = { html, time };
    });
    while (this.body.children.length > made.length) this.body.lastChild.remove();
    this.shown.length = made.length;
    this.lit = this.found = null;
    this.mark();
  }

  /** Rows for what has not been listened to, where there is enough of it to be told of, or its words were heard while it was recorded. */
  #withMissing(rows) {
    const { project, script, spoken, listening } = this.app;
    const words = spoken && spoken.project === project ? spoken.words : [];
    const begins = words.length && !rows.length && !listening.done && !script.missing.length;
    for (const [start, end] of begins ? [[0, Infinity]] : script.missing) {
      const heard = words.filter(([, from]) => start <= from && from < end).map(([word]) => word).join(" ");
      if (!heard && end - start < 10) continue;
      const at = rows.findIndex((row) => row.start > start);
      const html = heard ? `<span class="provisional">${escaped(heard)}</span>` : `<button type="button" class="quiet missing" data-look="${start}">${escaped(tell(TEXTS.missing, clock(end)))}</button>`;
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

  /** The words on the page, by their place in the script. @returns {HTMLElement[]} */
  get elements() {
    if (!this.found) {
      this.found = [];
      for (const each of /** @type {NodeListOf<HTMLElement>} */ (this.body.querySelectorAll("[data-k]"))) this.found[Number(each.dataset.k)] = each;
    }
    return this.found;
  }

  element(k) { return this.elements[k] || null; }

  /** The word that is heard. @param {number} k */
  light(k) {
    if (this.lit === k) return;
    if (this.litElement) this.litElement.classList.remove("now");
    this.lit = k;
    this.litElement = k >= 0 ? this.element(k) : null;
    if (!this.litElement) return;
    this.litElement.classList.add("now");
    if (this.app.transport.playing && this.follows && !this.field) this.follow(this.litElement);
  }

  /** Whether the view goes with what is heard: until one scrolls. */
  setFollows(follows) {
    this.follows = follows;
    this.again.hidden = follows || !this.app.transport.playing;
  }

  follow(element) {
    const box = element.getBoundingClientRect(), view = this.scroller.getBoundingClientRect();
    if (box.top < view.top + 24 || box.bottom > view.bottom - 40) {
      this.scroller.scrollBy({ top: box.top - view.top - view.height / 3, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    }
  }
}
