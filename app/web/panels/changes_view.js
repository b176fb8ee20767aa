// The changes as cards: their state, their takes, and what can be done with each.

import { icon, make, refocused, show, tool } from "../elements.js";
import { isShouted } from "../script/wording.js";
import { TEXTS, clock, named, tell } from "../texts.js";

/** @import { Edit, TakeRecord } from "../records" */
/** @typedef {import("../script/script.js").Place} Place */

/** Where the words of a take were recorded; "" if they were made. @param {TakeRecord} take */
const recorded = (take) => (take.punch_in ? TEXTS.said_by_you : typeof take.recorded === "number" ? tell(take.other ? TEXTS.recorded_in_other : TEXTS.recorded_at, clock(take.recorded)) : "");

export class ChangesView {
  /**
   * @param {HTMLElement} host @param {import("../state.js").State} state @param {import("../editing.js").Editing} editing
   * @param {import("../hearing.js").Hearing} hearing @param {import("./saying.js").Saying} saying
   * @param {(edit: Edit) => void} rewrite writes a change's words anew
   */
  constructor(host, state, editing, hearing, saying, rewrite) {
    this.state = state;
    this.editing = editing;
    this.hearing = hearing;
    this.saying = saying;
    this.rewrite = rewrite;
    this.all = make("button", { type: "button", class: "quiet all", onclick: () => editing.acceptAll() }, TEXTS.accept_all);
    this.list = make("ol", { class: "cards", onkeydown: (event) => this.#walk(event) });
    this.empty = make("div", { class: "empty" }, make("p", {}, make("strong", {}, TEXTS.no_changes)), make("p", {}, TEXTS.no_changes_hint));
    this.offer = make("div", { class: "offer" });
    this.told = make("p", { class: "synthetic" });
    host.append(this.all, this.empty, this.offer, this.list, this.told);
  }

  render() {
    const { script, active } = this.state;
    const places = script.places();
    this.empty.hidden = places.length > 0;
    show(this.offer, this.#offered());
    this.all.hidden = !places.some(({ edit }) => script.stateOf(edit) === "made");
    refocused(this.list, () => show(this.list, ...places.map((place) => this.#card(place, place.edit === active))), ".active");
    const heard = new Set(places.filter(({ edit }) => script.isSpoken(edit)).map(({ edit }) => script.chosen(edit)));
    const seconds = [...heard].reduce((sum, take) => sum + (take && !recorded(take) ? take.seconds : 0), 0);
    this.told.textContent = seconds ? `${tell(TEXTS.synthetic, seconds.toFixed(1))}. ${TEXTS.accept_hint}` : "";
  }

  /** Arrow keys go from card to card; Tab leaves them. @param {KeyboardEvent} event */
  #walk(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key], titles = [.../** @type {NodeListOf<HTMLElement>} */ (this.list.querySelectorAll(".title"))], at = titles.indexOf(/** @type {HTMLElement} */ (event.target));
    if (!by || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    titles[at + by]?.focus();
  }

  /** What is offered: to write capitals as usual, and while there is no change the one that an example suggests. */
  #offered() {
    const { state, editing } = this, { script, offered, listening } = state;
    if (!script.tokens.length || !listening?.done) return null;
    if (isShouted(script.tokens.map(({ text }) => text).join(" "))) return make("button", { type: "button", class: "button", onclick: () => editing.setSentences() }, TEXTS.sentence_case);
    if (!offered || script.edits.length) return null;
    const old = script.tokens.map((token) => token.text), wanted = offered.split(" ");
    let first = 0, end = 0;
    while (first < Math.min(old.length, wanted.length) && old[first] === wanted[first]) first++;
    while (end < Math.min(old.length, wanted.length) - first && old[old.length - 1 - end] === wanted[wanted.length - 1 - end]) end++;
    const text = wanted.slice(first, wanted.length - end).join(" ");
    const was = old.slice(first, old.length - end).join(" ");
    return make("button", { type: "button", class: "button", onclick: () => editing.write(first, old.length - end, text, true) }, tell(TEXTS.offered, was, text));
  }

  /** Of each guessed word, and of each that is said otherwise already: how, other ways it may be said, and a field for
   * yet another. @param {TakeRecord} take */
  #pronunciations(take) {
    const { editing } = this, own = this.state.pronunciations;
    const words = new Set([...Object.keys(take.guessed || {}), ...take.words.map(({ text }) => text).filter((text) => text in own)]);
    return [...words].map((word) => {
      const field = make("input", { "data-name": `said ${word}`, "aria-label": tell(TEXTS.said_as, `“${word}”`), placeholder: TEXTS.as_it_sounds, maxlength: "200", autocomplete: "off", spellcheck: "false" });
      field.value = own[word] || "";
      return make("form", { class: "note say", onsubmit: (event) => { event.preventDefault(); if (field.value.trim()) editing.pronounce(word, field.value.trim()); } },
        make("span", {}, word in own ? tell(TEXTS.said_as, `“${word}”`) : tell(TEXTS.guessed, `“${word}”`)),
        ...(word in own ? [] : take.offered?.[word] || []).map(({ said, phones }) =>
          make("button", { type: "button", class: "quiet", "data-name": `say ${word} ${said}`, onclick: () => editing.pronounce(word, phones) }, said)),
        field, make("button", { type: "submit", class: "quiet strong", "data-name": `say ${word}` }, TEXTS.say_so));
    });
  }

  /** @param {Place} place @param {boolean} isActive */
  #card(place, isActive) {
    const { state: { script }, editing, hearing } = this, { edit, first, last } = place;
    const old = script.tokens.slice(first, last).map((token) => token.text).join(" ");
    const made = script.stateOf(edit);
    const between = script.isPause(edit) || (edit.cut && first === last);
    const name = named(script, edit);
    const words = make("span", { class: "words" }, old && make("del", {}, old), old && " ", name ? make("ins", {}, name) : make("em", {}, TEXTS.deleted));
    const badge = made !== "made" && make("span", { class: `state ${made}` }, made === "accepted" && icon("check"), TEXTS.state[made === "making" && script.waits(place) ? "waits" : made]);
    const head = make("button", { type: "button", class: "title", "data-name": "title", "aria-expanded": String(isActive), tabindex: isActive || (!this.state.active && place === script.places()[0]) ? "0" : "-1", onclick: () => hearing.activate(edit, true) }, words, badge);
    const card = make("li", { class: `card ${made}${isActive ? " active" : ""}` }, head);
    if (!isActive) return card;
    if (made === "failed") {
      card.append(make("p", { class: "problem" }, script.failures.get(script.madeOf(edit))),
        make("div", { class: "row" },
          make("button", { type: "button", class: "quiet", "data-name": "again", onclick: () => editing.again(edit, {}) }, TEXTS.try_again),
          tool("pencil", TEXTS.change_text, () => this.rewrite(edit)), tool("close", TEXTS.revert, () => editing.revert(edit), { class: "tool end" })));
      return card;
    }
    const chosen = script.chosen(edit), isPause = script.isPause(edit), makes = script.isSpoken(edit);
    if (chosen) {
      const by = (/** @type {number} */ factor) => (isPause ? editing.setPause(first - 1, script.pauseAfter(first - 1) * factor) : editing.again(edit, { take: chosen.number, pace: chosen.pace / factor }));
      const takes = script.choices(edit), choices = takes.map((take) => make("button", {
        type: "button", role: "radio", class: "choice", "data-name": `take ${take.number}`,
        "aria-checked": String(take === chosen), title: recorded(take) || null, "aria-label": recorded(take) || tell(TEXTS.take, (take.base ?? take.number) + 1),
        onclick: () => editing.choose(edit, take.number),
      }, take.punch_in ? icon("record") : recorded(take) ? clock(take.recorded || 0) : String((take.base ?? take.number) + 1)));
      const seconds = isPause ? script.pauseAfter(first - 1) : chosen.seconds;
      card.append(make("div", { class: "row" },
        tool("play", TEXTS.in_context, () => hearing.playEdit(edit), { "data-name": "context" }),
        tool("loop", TEXTS.loop, () => hearing.toggleLoop(edit), { "aria-pressed": String(this.state.looped === edit), "data-name": "loop" }),
        makes && takes.length > 1 && make("span", { class: "choices", role: "radiogroup", "aria-label": TEXTS.takes }, make("span", { "aria-hidden": "true" }, TEXTS.takes), ...choices),
        (isPause || makes && !recorded(chosen)) && make("span", { class: "length" }, tool("less", TEXTS.shorter, () => by(1 / 1.15), { "data-name": "shorter" }), `${seconds.toFixed(2)} s`, tool("more", TEXTS.longer, () => by(1.15), { "data-name": "longer" }))));
      const others = script.madeWith(edit).filter((each) => each !== edit).map((each) => `“${named(script, each) || TEXTS.deleted}”`).join(", "), isOld = edit.accepted && !script.isOwn(edit);
      const notes = [
        others ? tell(isOld ? TEXTS.accepted_alone : TEXTS.made_with, others) : isOld && TEXTS.accepted_with,
        recorded(chosen) && `${recorded(chosen)}.`,
        chosen.doubtful?.length && tell(TEXTS.hardly_heard, chosen.doubtful.map((word) => `“${word}”`).join(", ")),
        ...(chosen.doubts || []), !chosen.spans.length && TEXTS.same_sound,
      ];
      for (const note of notes) if (note) card.append(make("p", { class: "note" }, note));
      card.append(...this.#pronunciations(chosen));
    }
    for (const rival of edit.rivals || []) card.append(make("p", { class: "note" }, tell(TEXTS.rival, rival.text || TEXTS.deleted), " ", make("button", { type: "button", class: "quiet", "data-name": `rival ${rival.text}`, onclick: () => editing.instead(edit, rival) }, TEXTS.take_rival)));
    const isAccepted = edit.accepted && script.isOwn(edit);
    card.append(make("div", { class: "row" },
      chosen && make("button", { type: "button", class: `accept${isAccepted ? " is" : ""}`, "data-name": "accept", "aria-pressed": String(isAccepted), title: TEXTS.accept_hint, onclick: () => editing.accept(edit, !isAccepted) }, icon("check"), isAccepted ? TEXTS.accepted : TEXTS.accept),
      chosen && makes && make("button", { type: "button", class: "quiet", "data-name": "again", disabled: this.state.isMaking(edit), onclick: () => editing.again(edit, {}) }, this.state.isMaking(edit) ? TEXTS.state.making : TEXTS.again),
      makes && tool("record", TEXTS.say_words, () => this.saying.open(first, last), { "data-name": "say" }),
      !between && tool("pencil", TEXTS.change_text, () => this.rewrite(edit), { "data-name": "rewrite" }),
      tool("bin", TEXTS.revert, () => editing.revert(edit), { "data-name": "revert" })));
    return card;
  }
}
