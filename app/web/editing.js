// What is done to the script: each step can be taken back.

import { applied, between, nameOf, rowsOf, same } from "./script/steps.js";
import { TEXTS, tell } from "./texts.js";
import { insertedAfter, plain } from "./script/wording.js";

export class Editing {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.script = app.script;
    this.history = app.history;
    this.saver = app.saver;
    this.history.take = (step) => this.#become(applied(step, this.script.edits), step.come.length === 1 ? step.come[0] : this.app.active, step);
  }

  /** The list of edits becomes another one, as a step that can be taken back. */
  change(edits, label, active = this.app.active) {
    const { changes, characters } = this.app.limits;
    if (edits.length > changes || edits.some(({ text }) => text.length > characters)) return this.app.complain(TEXTS.too_much);
    this.history.add(this.#become(edits, active, { label }));
  }

  /** Something else than the list of edits becomes another one, as a step that can be taken back. @param {Partial<import("./script/steps.js").Step>} step */
  #do(step) { this.history.add(this.#become(this.script.edits, this.app.active, step)); }

  /** @param {Partial<import("./script/steps.js").Step>} told what else it is */
  #become(edits, active, told) {
    let step = { ...told, ...between(this.script.edits, edits) };
    if (step.gone.length || step.come.length || step.now || step.correct?.length || step.undo || step.redo) step = this.saver.push(step);
    if (step.now?.marks !== undefined) this.app.marks = step.now.marks;
    this.script.move(step.now?.times);
    if (active) this.app.active = active;
    this.adopt(edits);
    const names = new Set(edits.map(nameOf)), parted = new Set(step.gone.filter((gone) => !names.has(nameOf(gone))).map(({ made }) => made));
    for (const edit of this.script.edits) if (edit.made && parted.has(edit.made)) edit.made = edit.key || undefined;
    if (!active) this.app.active = null;
    this.app.render();
    return step;
  }

  /** The list of edits is another one; what is selected stays so. */
  adopt(edits) {
    const old = new Map(this.script.edits.map((edit) => [nameOf(edit), edit]));
    this.script.edits = edits.map((edit) => {
      const was = old.get(nameOf(edit));
      const keys = { key: edit.key || was?.key || null, made: edit.made || was?.made };
      return same(was, edit) ? Object.assign(was, keys) : { ...edit, ...keys };
    });
    const now = new Map(this.script.edits.map((edit) => [nameOf(edit), edit]));
    this.script.correct(this.saver.corrections);
    for (const name of ["active", "looped", "wanted"]) this.app[name] = this.app[name] && now.get(nameOf(this.app[name])) || null;
  }

  /** Tokens [first, last) become a text: a change. Of its words those are recorded that are `known`. */
  write(first, last, text, play = false, known = this.script.words(...this.script.widened(first, last))) {
    const drafted = this.saver.undraft();
    const nothing = () => { if (drafted) this.saver.save(); return null; };
    text = plain(text);
    if (text && !/[\p{L}\p{N}]/u.test(text)) {
      this.app.complain(tell(TEXTS.no_words, text));
      return nothing();
    }
    const ended = first === last && first && !this.script.placeAt(first - 1) && insertedAfter(this.script.tokens[first - 1].text, text);
    if (ended && !this.script.places().some((place) => place.first === first && place.last === last)) [first, text, known] = [first - 1, ended, [...this.script.words(first - 1, first), ...known]];
    const places = this.script.places();
    if (first === last && !text && !places.some((place) => place.first === first && place.last === last)) return nothing();
    if (text === this.script.textOf(first, last) && first !== last) {
      if (play && this.app.active) this.app.hearing.playEdit(this.app.active);
      return nothing();
    }
    const { edits, edit } = this.script.replaced(first, last, text, known);
    this.app.view.selected.selection = null;
    this.change(edits, text || TEXTS.deleted, edit);
    if (edit && play) this.app.wanted = this.app.active;
    return this.app.active;
  }

  /** Several at once, as one step: [first, last, text] of each. @param {[number, number, string][]} wanted */
  writeAll(wanted) {
    if (!wanted.length) return;
    const before = this.script.edits;
    for (const [first, last, text] of wanted) this.script.edits = this.script.replaced(first, last, text).edits;
    const after = this.script.edits;
    this.script.edits = before;
    this.change(after, TEXTS.replace_all, null);
  }

  /** The pause after token k becomes so many seconds long. */
  setPause(k, seconds) {
    const { edits, edit } = this.script.withPause(k, seconds);
    this.change(edits, TEXTS.cuts.pause, edit);
  }

  /** What was offered to be taken out goes, as one step. @param {any[]} offered changes */
  takeOut(offered) {
    const edits = this.script.withRemovals(offered);
    if (edits.length === this.script.edits.length) return;
    this.change(edits, TEXTS.clean, offered.length === 1 ? edits[edits.length - 1] : null);
  }

  /** Corrects misheard words: nothing is made, and the sound stays. */
  correct(...wanted) {
    const { tokens } = this.script;
    if (this.saver.undraft()) this.saver.save();
    const places = wanted.map(([first, last, text]) => {
      const own = tokens.slice(first, last), right = tokens[last] || null;
      return { after: first ? tokens[first - 1].id : -1, right: right && right.id, tokens: own.map((token) => token.id), was: own.map((token) => token.text).join(" "), text: plain(text) };
    }).filter((place) => place.tokens.length && place.text !== place.was);
    if (!places.length) return;
    this.#do({ correct: places, label: places[0].text });
  }

  /** Some edits are said to be good, or another take of them is heard. @param {import("./script/script.js").Edit[]} which */
  #judge(which, more, label, active) {
    const judged = (edit) => {
      const made = this.script.madeOf(edit), own = this.script.isOwn(edit) ? edit : { ...edit, take: null, accepted: false };
      return { ...own, take_of: made === edit.key ? "" : made, ...more };
    };
    this.change(this.script.edits.map((edit) => (which.includes(edit) ? judged(edit) : edit)), label, active);
  }

  /** Another take is heard, of all that are made as one. */
  choose(edit, take, active = edit) {
    this.#judge(this.script.madeWith(edit), { take }, tell(TEXTS.take, take + 1), active);
    if (active === edit && !this.app.transport.playing) this.app.hearing.playEdit(this.app.active);
  }

  accept(edit, accepted) { this.#judge([edit], { accepted }, TEXTS.accept, edit); }

  acceptAll() {
    this.#judge(this.script.edits.filter((edit) => this.script.stateOf(edit) === "made"), { accepted: true }, TEXTS.accept_all, null);
  }

  revert(edit) {
    this.change(this.script.edits.filter((each) => each !== edit), TEXTS.revert, null);
    this.app.view.focus();
  }

  rewrite(edit) {
    this.app.hearing.activate(edit, true);
    this.app.view.field.write();
  }

  /** Another take of a change; undefined if the server doesn't begin it. */
  async again(edit, how) {
    await this.saver.settled();
    const name = nameOf(edit), current = this.script.edits.find((each) => nameOf(each) === name);
    const key = current && this.script.madeOf(current);
    if (!key) return undefined;
    this.app.making.add(key);
    this.app.wants.add(key);
    this.script.failures.delete(key);
    this.app.changes.render();
    return this.app.asked(how.upload ? "said" : "takes", { key, ...how }, () => { this.app.making.delete(key); this.app.changes.render(); });
  }

  /** The transcript has the punctuation that was restored, or hasn't. */
  setMarks(marks) { this.#do({ was: { marks: !marks }, now: { marks }, label: TEXTS.marks_on }); }

  /** Finds the speakers by the sound. */
  tellSpeakers() {
    const begin = (count) => () => {
      this.app.telling = true;
      this.app.parts.refresh();
      this.app.asked("speakers", { count, label: TEXTS.speakers }, () => { this.app.telling = false; this.app.parts.refresh(); });
    };
    this.app.dialogs.ask(TEXTS.speakers_hint, [[TEXTS.any_number, begin(0)], ...[2, 3, 4].map((count) => [String(count), begin(count)])]);
  }

  /** They have been, as a step of the server's. */
  speakersTold(step) {
    this.app.telling = false;
    this.history.add(step);
  }

  /** Whoever says a turn, from token k on, is called otherwise. */
  renameSpeaker(k) {
    const { tokens } = this.script, { speaker } = tokens[k];
    const put = (own) => (text) => {
      const name = text.trim().toUpperCase();
      if (!name || name === speaker) return;
      const rows = rowsOf(own.map(({ id }) => id));
      this.#do({ was: { speakers: [[speaker, rows]] }, now: { speakers: [[name, rows]] }, label: name });
    };
    const end = tokens.findIndex((token, n) => n > k && token.speaker !== speaker);
    this.app.dialogs.ask(TEXTS.rename, [[TEXTS.everywhere, put(tokens.filter((token) => token.speaker === speaker))], [TEXTS.here, put(tokens.slice(k, end < 0 ? tokens.length : end))]], speaker);
  }

  /** A word is said otherwise from now on; changes that have it get another take. */
  async pronounce(word, said) {
    await this.saver.settled();
    await this.app.asked("pronounce", { word, said });
  }

  /** A word's edge was dragged. */
  moveWord({ id, start, end, text }, was) {
    this.#do({ was: { times: [[id, was.start, was.end]] }, now: { times: [[id, start, end]] }, label: text });
  }

  undo() { this.app.view.field.finish(true); this.history.undo(); }
  redo() { this.app.view.field.finish(true); this.history.redo(); }
}
