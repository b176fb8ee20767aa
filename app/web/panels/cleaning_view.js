// What can be taken out, offered before anything is made: in a list, and marked in the script.

import { make, refocused, show, tool } from "../elements.js";
import { messageOf } from "../server.js";
import { TEXTS, clock, tell } from "../texts.js";
import { fieldOf } from "./option_fields.js";

const USUAL = ["filler", "repeat", "noise", "pause"], ASKED = ["retake", "breath", "click"]; // the latter are looked for on request
const NAMED = "word"; // whose offers come where words are to be hidden
const AGAIN = 2000; // milliseconds until words that have come are looked through

/** @import { Finding, Offered, Option } from "../records" */

export class CleaningView {
  /** @param {HTMLElement} host @param {import("../state.js").State} state @param {import("../editing.js").Editing} editing @param {import("../hearing.js").Hearing} hearing */
  constructor(host, state, editing, hearing) {
    this.state = state;
    this.editing = editing;
    this.hearing = hearing;
    /** @type {Finding[]} */
    this.found = [];
    /** @type {Finding[]} those whose words nothing has changed */
    this.free = [];
    /** @type {Finding[]} those of the kinds that are looked at */
    this.offers = [];
    this.open = false;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    this.kinds = new Set([...USUAL, NAMED]);
    this.hidden = "";
    this.hiding = "mute";
    /** @type {Record<string, any>} what the options are set to */
    this.options = {};
    this.fields = make("div");
    this.ways = make("div"); // in which something is taken out
    this.current = -1;
    /** @type {Map<number, number>} */
    this.words = new Map(); // id of a token -> the number of what is offered there
    /** @type {Map<number, number>} */
    this.between = new Map(); // place of a token -> the number of what is offered before it
    this.list = make("ol", { class: "offers" });
    this.filters = make("div", { class: "filters", role: "group", "aria-label": TEXTS.find_them });
    this.note = make("p", { class: "none", role: "status" });
    this.marks = make("button", { type: "button", class: "quiet", hidden: true, onclick: () => editing.setMarks(!state.marks) });
    this.all = make("button", { type: "button", class: "button primary", onclick: () => editing.takeOut(this.offers.map(({ edit }) => edit)) });
    const hidden = make("input", { type: "text", class: "wide", maxlength: "2000", placeholder: TEXTS.hide_hint, "aria-label": TEXTS.hide, onchange: (event) => { this.hidden = event.target.value; this.look(0); } });
    const hiding = make("select", { "aria-label": `${TEXTS.hidings.mute} / ${TEXTS.hidings.bleep}`, onchange: (event) => { this.hiding = event.target.value; this.look(0); } },
      ...Object.entries(TEXTS.hidings).map(([each, said]) => make("option", { value: each }, said)));
    host.append(
      make("h3", {}, TEXTS.find_them), this.filters, this.fields,
      make("h3", {}, TEXTS.hide), hidden, hiding,
      make("h3", {}, TEXTS.do_it), make("p", { class: "hint" }, TEXTS.clean_hint), this.ways, this.all, this.marks, this.note, this.list);
    host.addEventListener("keydown", (event) => { if (/** @type {HTMLElement} */ (event.target).matches("input, select")) event.stopPropagation(); });
  }

  /** Takes the options that the server offers. @param {Option[]} options */
  offer(options) {
    if (this.fields.childElementCount) return;
    this.options = Object.fromEntries(options.map((option) => [option.name, option.default]));
    for (const option of options) (option.kind === "one" ? this.ways : this.fields).append(fieldOf(option, option.default, (value) => { this.options[option.name] = value; this.look(0); }));
  }

  /** Punctuation that was added to recognised words. */
  showMarks() {
    this.marks.hidden = this.state.marks === null;
    this.marks.textContent = this.state.marks ? TEXTS.marks_off : TEXTS.marks_on;
  }

  /** @param {boolean} open */
  toggle(open) {
    if (open === this.open) return;
    this.open = open;
    this.current = -1;
    this.found = [];
    if (open) this.look(0);
    if (this.state.project) this.state.render();
  }

  /** Looks through the words that are known, soon. */
  look(soon = AGAIN) {
    if (!this.open || (soon && this.timer)) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.timer = undefined; this.#ask(); }, soon);
  }

  async #ask() {
    const { project, server } = this.state;
    if (!project) return;
    this.note.textContent = TEXTS.looking;
    try {
      const kinds = [...USUAL, ...ASKED.filter((kind) => this.kinds.has(kind))];
      /** @type {Offered} */
      const { found, unnamed } = await server.ask(`/projects/${project}/cleaning`, { ...this.options, kinds, hidden: this.hidden, bleep: this.hiding === "bleep" });
      if (this.state.project !== project || !this.open) return;
      this.found = found;
      this.note.textContent = unnamed.length ? tell(TEXTS.unnamed, unnamed.map((word) => `“${word}”`).join(", ")) : "";
    } catch (error) {
      this.note.textContent = messageOf(error);
    }
    this.state.render();
  }

  /** Which findings are offered still, and where they are marked. */
  sort() {
    const { script } = this.state;
    this.free = this.open ? this.found.filter(({ edit }) => script.isFree(edit)) : [];
    this.offers = this.free.filter(({ kind }) => this.kinds.has(kind));
    this.words.clear();
    this.between.clear();
    for (const finding of this.offers) {
      const number = this.found.indexOf(finding);
      for (const id of finding.edit.tokens) this.words.set(id, number);
      const place = script.placeOf(finding.edit);
      if (place && !finding.edit.tokens.length) this.between.set(place.first, number);
    }
  }

  /** What is offered at a token, by its id. @param {number} id @returns {Finding|null} */
  offerOf(id) { return this.found[this.words.get(id) ?? -1] || null; }

  /** What is offered before token k. @param {number} k */
  offerBefore(k) {
    const number = this.between.get(k);
    if (number === undefined) return null;
    const { kind, start, end } = this.found[number];
    return { number, name: `${TEXTS.cuts[/** @type {keyof typeof TEXTS.cuts} */ (kind)]} ${(end - start).toFixed(1)} s` };
  }

  /** A finding is chosen in the script or the list: plays it. @param {number} number */
  show(number) {
    const finding = this.found[number];
    if (!finding) return;
    this.current = number;
    const { timeline, rate } = this.state;
    this.hearing.playStretch(finding.start, finding.end);
    this.state.reveal(timeline.convert("source", "at", finding.start * rate), timeline.convert("source", "at", finding.end * rate));
    this.render();
    this.list.querySelector(".current")?.scrollIntoView({ block: "nearest" });
  }

  render() {
    if (!this.open) return;
    const count = (/** @type {string} */ kind) => this.free.filter((each) => each.kind === kind).length;
    refocused(this.filters, () => show(this.filters, ...Object.entries(TEXTS.found_kinds).filter(([kind]) => kind !== NAMED || this.hidden).map(([kind, name]) => make("button", {
      type: "button", class: "kind", "data-name": kind, "aria-pressed": String(this.kinds.has(kind)),
      onclick: () => {
        if (!this.kinds.delete(kind)) this.kinds.add(kind);
        if (ASKED.includes(kind) && this.kinds.has(kind)) this.look(0);
        this.state.render();
      },
    }, make("strong", {}, this.kinds.has(kind) || USUAL.includes(kind) ? count(kind) : "–"), " ", name))));
    this.all.hidden = !this.offers.length;
    this.all.textContent = tell(TEXTS.take_all, this.offers.length);
    if (!this.offers.length && !this.note.textContent) this.note.textContent = TEXTS.found_none;
    else if (this.offers.length && this.note.textContent === TEXTS.found_none) this.note.textContent = "";
    show(this.list, ...this.offers.map((finding) => this.#row(finding, this.found.indexOf(finding))));
  }

  /** @param {Finding} finding @param {number} number */
  #row(finding, number) {
    const { again } = finding;
    const time = clock(finding.start, true);
    return make("li", { class: number === this.current ? "current" : "" },
      tool("play", `${TEXTS.play_word}: ${finding.text}, ${time}`, () => this.show(number)),
      make("span", { class: "what" }, finding.text, make("small", {}, ` ${time}`)),
      again && tool("play", `${TEXTS.take_that_stays}: ${clock(again[0], true)}`, () => this.hearing.playStretch(...again)),
      make("button", { type: "button", class: "quiet strong", "aria-label": `${TEXTS.take_out}: ${finding.text}, ${time}`, onclick: () => this.editing.takeOut([finding.edit]) }, TEXTS.take_out));
  }
}
