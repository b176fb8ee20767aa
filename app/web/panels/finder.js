// Find and replace, in the words as they are edited.

import { make, tool } from "../elements.js";
import { found, withOther } from "../script/wording.js";
import { TEXTS, tell } from "../texts.js";

export class Finder {
  /** @param {HTMLElement} host @param {import("../state.js").State} state @param {import("../editing.js").Editing} editing @param {import("../hearing.js").Hearing} hearing @param {import("../script/script_view.js").ScriptView} view */
  constructor(host, state, editing, hearing, view) {
    this.state = state;
    this.editing = editing;
    this.hearing = hearing;
    this.view = view;
    this.word = make("input", { "aria-label": TEXTS.find_label, placeholder: TEXTS.find_label, oninput: () => { this.at = -1; this.#count(); } });
    this.other = make("input", { "aria-label": TEXTS.replace_label, placeholder: TEXTS.replace_label });
    this.found = make("span", { class: "found", "aria-live": "polite" });
    this.finder = make("form", { class: "finder", hidden: true, onsubmit: (event) => { event.preventDefault(); this.next(); } },
      this.word, this.other, this.found,
      make("button", { type: "submit", class: "quiet" }, TEXTS.next),
      make("button", { type: "button", class: "quiet", onclick: () => this.#replace() }, TEXTS.replace),
      make("button", { type: "button", class: "quiet", onclick: () => this.#replaceAll() }, TEXTS.replace_all),
      make("button", { type: "button", class: "quiet", title: TEXTS.fix_hint, onclick: () => this.#fixAll() }, TEXTS.fix_all),
      tool("close", TEXTS.close, () => this.open(false)));
    this.finder.addEventListener("keydown", (event) => { event.stopPropagation(); if (event.key === "Escape") this.open(false); });
    this.at = -1;
    host.prepend(this.finder);
  }

  open(open = true) {
    this.finder.hidden = !open;
    if (open) { this.word.focus(); this.word.select(); } else this.state.focus();
    this.#count();
  }

  #places() { return found(this.state.script, this.word.value); }

  #count() {
    const count = this.#places().length;
    this.found.textContent = !this.word.value.trim() ? "" : count ? tell(TEXTS.found, Math.max(this.at + 1, 0), count) : TEXTS.not_found;
  }

  next() {
    const places = this.#places();
    if (!places.length) return this.#count();
    this.at = (this.at + 1) % places.length;
    const { first, last } = places[this.at], place = this.state.script.places().find((each) => each.first === first && each.last === last);
    if (place) this.hearing.activate(place.edit, true);
    else this.view.select(first, last - 1);
    this.#count();
  }

  #replace() {
    const places = this.#places();
    if (!places.length) return this.#count();
    const place = places[Math.max(this.at, 0) % places.length];
    this.editing.writeAll(withOther([place], this.other.value.trim()));
    this.at--;
    this.next();
  }

  #replaceAll() {
    this.editing.writeAll(withOther(this.#places(), this.other.value.trim()));
    this.#again();
  }

  /** In the words that the recording says; what is changed already is left. */
  #fixAll() {
    const { script } = this.state;
    const places = this.#places().filter(({ first, last }) => first < last && !script.placeAt(first) && !script.placeAt(last - 1));
    this.editing.correct(...withOther(places, this.other.value.trim()));
    this.#again();
  }

  #again() {
    this.at = -1;
    this.#count();
  }
}
