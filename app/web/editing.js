// What is done to the script: each step can be taken back.

import { applied, between, nameOf, over, rowsOf, same } from "./script/steps.js";
import { TEXTS, tell } from "./texts.js";
import { asWritten, insertedAfter, isShouted, plain } from "./script/wording.js";

/** @import { Change, Edit, Step, UntoldEdit } from "./records" */

export class Editing {
  /** @param {import("./state.js").State} state @param {import("./saver.js").Saver} saver @param {import("./hearing.js").Hearing} hearing @param {import("./panels/dialogs.js").Dialogs} dialogs */
  constructor(state, saver, hearing, dialogs) {
    this.state = state;
    this.script = state.script;
    this.history = state.history;
    this.saver = saver;
    this.hearing = hearing;
    this.dialogs = dialogs;
    this.history.take = (step) => this.#become(applied(step, this.script.edits), step.come.length === 1 ? step.come[0] : state.active, step);
  }

  /** The list of edits becomes another one, as a step that can be taken back. @param {Edit[]} edits @param {string} label @param {Edit|null} active the change that is selected then */
  change(edits, label, active = this.state.active) {
    const { changes, characters } = this.state.limits;
    if (edits.length > changes || edits.some(({ text }) => text.length > characters)) return this.state.complain(TEXTS.too_much);
    this.history.add(this.#become(edits, active, { label }));
  }

  /** Something else than the list of edits becomes another one, as a step that can be taken back. @param {Partial<Step>} step */
  #do(step) { this.history.add(this.#become(this.script.edits, this.state.active, step)); }

  /** @param {Edit[]} edits @param {Edit|null} active @param {Partial<Step>} told what else it is @returns {Step} */
  #become(edits, active, told) {
    /** @type {Step} */
    let step = { ...told, ...between(this.script.edits, edits) };
    if (step.gone.length || step.come.length || step.now || step.correct?.length || step.undo || step.redo) step = this.saver.push(step);
    if (step.now?.marks !== undefined) this.state.marks = step.now.marks;
    this.script.move(step.now?.times);
    if (active) this.state.active = active;
    this.adopt(edits);
    const names = new Set(edits.map(nameOf)), parted = new Set(step.gone.filter((gone) => !names.has(nameOf(gone))).map(({ made }) => made));
    for (const edit of this.script.edits) if (edit.made && parted.has(edit.made)) edit.made = edit.key || undefined;
    if (!active) this.state.active = null;
    this.state.render();
    return step;
  }

  /** The list of edits is another one; what is selected stays so. @param {UntoldEdit[]} edits */
  adopt(edits) {
    const old = new Map(this.script.edits.map((edit) => [nameOf(edit), edit]));
    /** @type {string[]} */
    const lost = [];
    this.script.edits = edits.map((edit) => {
      const was = old.get(nameOf(edit));
      const keys = { key: edit.key || was?.key || null, made: edit.made || was?.made, at: edit.at || was?.at, rivals: edit.rivals };
      for (const rival of edit.rivals || []) if ((was && !was.rivals?.some((each) => nameOf(each) === nameOf(rival))) || old.has(nameOf(rival))) lost.push(rival.text || TEXTS.deleted);
      return was && same(was, edit) ? Object.assign(was, keys) : { ...edit, ...keys };
    });
    const now = new Map(this.script.edits.map((edit) => [nameOf(edit), edit])), { state } = this;
    this.script.correct(this.saver.corrections);
    const again = (/** @type {Edit|null} */ edit) => (edit && now.get(nameOf(edit))) || null;
    Object.assign(state, { active: again(state.active), looped: again(state.looped), wanted: again(state.wanted) });
    if (lost.length) state.complain(tell(TEXTS.lost_here, lost.map((text) => `“${text}”`).join(", ")));
  }

  /**
   * Tokens [first, last) become a text: a change. Of its words those are recorded that are `known`.
   * @param {number} first @param {number} last @param {string} text
   */
  write(first, last, text, play = false, known = this.script.words(...this.script.widened(first, last))) {
    const drafted = this.saver.undraft();
    const nothing = () => { if (drafted) this.saver.save(); return null; };
    text = plain(text);
    if (!this.#takes(text)) return nothing();
    const beside = this.script.tokens.slice(Math.max(0, first - 3), last + 3).map((token) => token.text).join(" "), own = this.script.tokens.slice(first, last + (first === last ? 1 : 0));
    text = asWritten(text, first === last && !/[.!?…]["'”’)]*$/.test(text) ? "," : first ? this.script.textOf(first - 1, first) : "", isShouted(beside) ? beside : own.map((token) => token.text).join(" "));
    const ended = first === last && first && !this.script.placeAt(first - 1) && insertedAfter(this.script.tokens[first - 1].text, text);
    if (ended && !this.script.places().some((place) => place.first === first && place.last === last)) [first, text, known] = [first - 1, ended, [...this.script.words(first - 1, first), ...known]];
    const places = this.script.places();
    if (first === last && !text && !places.some((place) => place.first === first && place.last === last)) return nothing();
    if (text === this.script.textOf(first, last) && first !== last && !places.some((place) => this.script.isHidden(place.edit) && first < place.last && place.first < last)) {
      if (play && this.state.active) this.hearing.playEdit(this.state.active);
      return nothing();
    }
    const { edits, edit } = this.script.replaced(first, last, text, known);
    this.state.selection = null;
    this.change(edits, text || TEXTS.deleted, edit);
    if (edit && play) this.state.wanted = this.state.active;
    return this.state.active;
  }

  /** Whether a text can be said; if it can't, that is told: one check, however it came. @param {string} text */
  #takes(text) {
    if (text.length > this.state.limits.characters) this.state.complain(TEXTS.too_much);
    else if (text && !/[\p{L}\p{N}]/u.test(text)) this.state.complain(tell(TEXTS.no_words, text));
    else return true;
    return false;
  }

  /** Several at once, as one step: [first, last, text] of each. @param {[number, number, string][]} wanted */
  writeAll(wanted) {
    if (!wanted.length || !wanted.every(([, , text]) => this.#takes(plain(text)))) return;
    const before = this.script.edits;
    for (const [first, last, text] of wanted) this.script.edits = this.script.replaced(first, last, plain(text)).edits;
    const after = this.script.edits;
    this.script.edits = before;
    this.change(after, TEXTS.replace_all, null);
  }

  /** The pause after token k becomes so many seconds long. @param {number} k @param {number} seconds */
  setPause(k, seconds) {
    const { edits, edit } = this.script.withPause(k, seconds);
    this.change(edits, TEXTS.cuts.pause, edit);
  }

  /** What was offered to be taken out goes, as one step. @param {Edit[]} offered */
  takeOut(offered) {
    const edits = this.script.withRemovals(offered);
    if (edits.length === this.script.edits.length) return;
    this.change(edits, TEXTS.clean, offered.length === 1 ? edits[edits.length - 1] : null);
  }

  /** Corrects misheard words: nothing is made, and the sound stays. @param {...[first: number, last: number, text: string]} wanted */
  correct(...wanted) {
    const { tokens } = this.script;
    if (this.saver.undraft()) this.saver.save();
    const places = wanted.map(([first, last, text]) => {
      const own = tokens.slice(first, last), right = tokens[last] || null;
      return { after: first ? tokens[first - 1].id : -1, right: right && right.id, tokens: own.map((token) => token.id), was: own.map((token) => token.text).join(" "), text: plain(text) };
    }).filter((place) => place.tokens.length && place.text !== place.was);
    if (!places.length || !places.every(({ text }) => this.#takes(text))) return;
    this.#do({ correct: places, label: places[0].text });
  }

  /** Some edits are said to be good, or another take of them is heard. @param {Edit[]} which @param {Partial<Edit>} more @param {string} label @param {Edit|null} active */
  #judge(which, more, label, active) {
    const judged = (/** @type {Edit} */ edit) => {
      const made = this.script.madeOf(edit), own = this.script.isOwn(edit) ? edit : { ...edit, take: null, accepted: false };
      return { ...own, take_of: made === edit.key ? "" : made || "", ...more };
    };
    this.change(this.script.edits.map((edit) => (which.includes(edit) ? judged(edit) : edit)), label, active);
  }

  /** Another take is heard, of all that are made as one. @param {Edit} edit @param {number} take @param {Edit|null} active */
  choose(edit, take, active = edit) {
    this.#judge(this.script.madeWith(edit), { take }, tell(TEXTS.take, take + 1), active);
    if (active === edit && this.state.active && !this.state.transport.playing) this.hearing.playEdit(this.state.active);
  }

  /** @param {Edit} edit @param {boolean} accepted */
  accept(edit, accepted) { this.#judge([edit], { accepted }, TEXTS.accept, edit); }

  acceptAll() {
    this.#judge(this.script.edits.filter((edit) => this.script.stateOf(edit) === "made"), { accepted: true }, TEXTS.accept_all, null);
  }

  /** What was typed at a change's place in another window is made instead of it. @param {Edit} edit @param {Change} rival */
  instead(edit, rival) {
    const fresh = over({ ...rival, at: this.saver.now, key: null }, [edit]);
    this.change(applied({ gone: [edit], come: [fresh] }, this.script.edits), rival.text || TEXTS.deleted, fresh);
  }

  /** @param {Edit} edit */
  revert(edit) {
    this.change(this.script.edits.filter((each) => each !== edit), TEXTS.revert, null);
    this.state.focus();
  }

  /** Another take of a change; undefined if the server doesn't begin it. @param {Edit} edit @param {{pace?: number, duration?: number, take?: number, word?: number, seconds?: number, upload?: string}} how */
  async again(edit, how) {
    await this.saver.settled();
    const { state } = this, name = nameOf(edit), current = this.script.edits.find((each) => nameOf(each) === name);
    const key = current && this.script.madeOf(current);
    if (!key) return undefined;
    return this.#make(key, how);
  }

  /** @param {string} key @param {{upload?: string}} how */
  #make(key, how) {
    const { state } = this;
    state.making.add(key);
    state.wants.set(key, how);
    this.script.failures.delete(key);
    state.renderChanges();
    return state.ask(how.upload ? "said" : "takes", { key, ...how }, () => { state.making.delete(key); state.wants.delete(key); state.renderChanges(); });
  }

  /** A server that was started anew is asked once more for what it was asked for here. */
  resume() {
    for (const [key, how] of this.state.wants) if (!this.state.making.has(key)) this.#make(key, how);
    if (this.state.telling) this.#tellSpeakers(this.state.telling);
  }

  /** The transcript has the punctuation that was restored, or hasn't. @param {boolean} marks */
  setMarks(marks) { this.#do({ was: { marks: !marks }, now: { marks }, label: TEXTS.marks_on }); }

  /** The transcript, which is in capitals, is written as sentences; the server does so with what was typed in it. */
  setSentences() { this.#do({ was: { capitals: true }, now: { capitals: false }, label: TEXTS.sentence_case }); }

  /** Finds the speakers by the sound. */
  tellSpeakers() {
    const begin = (/** @type {number} */ count) => () => this.#tellSpeakers({ count, label: TEXTS.speakers });
    this.dialogs.ask(TEXTS.speakers_hint, [0, 2, 3, 4].map((count) => [count ? String(count) : TEXTS.any_number, begin(count)]));
  }

  /** @param {{count: number, label: string}} how */
  #tellSpeakers(how) {
    this.state.telling = how;
    this.state.refresh();
    this.state.ask("speakers", how, () => { this.state.telling = null; this.state.refresh(); });
  }

  /** They have been, as a step of the server's. @param {Step} step */
  speakersTold(step) {
    this.state.telling = null;
    this.history.add(step);
  }

  /** Whoever says a turn, from token k on, is called otherwise. @param {number} k */
  renameSpeaker(k) {
    const { tokens } = this.script, { speaker } = tokens[k];
    const put = (/** @type {typeof tokens} */ own) => (/** @type {string} */ text) => {
      const name = text.trim().toUpperCase();
      if (!name || name === speaker) return;
      const rows = rowsOf(own.map(({ id }) => id));
      this.#do({ was: { speakers: [[speaker, rows]] }, now: { speakers: [[name, rows]] }, label: name });
    };
    const end = tokens.findIndex((token, n) => n > k && token.speaker !== speaker);
    this.dialogs.ask(TEXTS.rename, [[TEXTS.everywhere, put(tokens.filter((token) => token.speaker === speaker))], [TEXTS.here, put(tokens.slice(k, end < 0 ? tokens.length : end))]], speaker);
  }

  /** A word is said otherwise from now on; changes that have it get another take. @param {string} word @param {string} said */
  async pronounce(word, said) {
    await this.saver.settled();
    await this.state.ask("pronounce", { word, said });
  }

  /** A word's edge was dragged. @param {import("./records").Token} token @param {{start: number, end: number}} was */
  moveWord({ id, start, end, text }, was) {
    this.#do({ was: { times: [[id, was.start, was.end]] }, now: { times: [[id, start, end]] }, label: text });
  }

  undo() { this.state.finish(); this.history.undo(); }
  redo() { this.state.finish(); this.history.redo(); }
}
