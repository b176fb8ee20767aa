// What is done to the script: each step can be taken back.

import { applied, between, inverse, nameOf, same } from "./script/steps.js";
import { TEXTS, tell } from "./texts.js";
import { insertedAfter, plain } from "./script/wording.js";

export class Editing {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.script = app.script;
    this.history = app.history;
    this.saver = app.saver;
  }

  /** The list of edits becomes another one, as a step that can be taken back. */
  change(edits, label, active = this.app.active) {
    const { changes, characters } = this.app.limits;
    if (edits.length > changes || edits.some(({ text }) => text.length > characters)) return this.app.complain(TEXTS.too_much);
    this.remember(this.#become(edits, active, false, label), label);
  }

  /** A step that can be taken back, made now or before the page was loaded. */
  remember(step, label) {
    let last = step;
    const turn = () => {
      const back = inverse(last);
      last = this.#become(applied(back, this.script.edits), back.come.length === 1 ? back.come[0] : this.app.active, true);
    };
    this.history.add({ label, undo: turn, redo: turn });
  }

  #become(edits, active, gentle = false, label = "") {
    const step = between(this.script.edits, edits);
    if (active) this.app.active = active;
    this.adopt(edits);
    const names = new Set(edits.map(nameOf)), parted = new Set(step.gone.filter((gone) => !names.has(nameOf(gone))).map(({ made }) => made));
    for (const edit of this.script.edits) if (edit.made && parted.has(edit.made)) edit.made = edit.key || undefined;
    if (!active) this.app.active = null;
    if (step.gone.length || step.come.length) this.saver.push({ ...step, gentle, label });
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

  /** Tokens [first, last) become a text: a change. */
  write(first, last, text, play = false) {
    const drafted = this.saver.undraft();
    const nothing = () => { if (drafted) this.saver.save(); return null; };
    text = plain(text);
    if (text && !/[\p{L}\p{N}]/u.test(text)) {
      this.app.complain(tell(TEXTS.no_words, text));
      return nothing();
    }
    const ended = first === last && first && !this.script.placeAt(first - 1) && insertedAfter(this.script.tokens[first - 1].text, text);
    if (ended && !this.script.places().some((place) => place.first === first && place.last === last)) [first, text] = [first - 1, ended];
    const places = this.script.places();
    if (first === last && !text && !places.some((place) => place.first === first && place.last === last)) return nothing();
    if (text === this.script.textOf(first, last) && first !== last) {
      if (play && this.app.active) this.app.hearing.playEdit(this.app.active);
      return nothing();
    }
    const { edits, edit } = this.script.replaced(first, last, text);
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
      return { after: first ? tokens[first - 1].id : -1, right: right && right.id, ids: own.map((token) => token.id), was: own.map((token) => token.text).join(" "), text: plain(text) };
    }).filter(({ ids, was, text }) => ids.length && text !== was);
    if (!places.length) return;
    const put = (/** @type {"was"|"text"} */ what, isFirst = false) => {
      for (const place of places) this.saver.push({ correct: { after: place.after, right: place.right, tokens: isFirst ? place.ids : null, text: place[what] } });
      this.adopt(this.script.edits);
      this.app.render();
    };
    this.history.add({ label: places[0].text, undo: () => put("was"), redo: () => put("text") });
    put("text", true);
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
  async setMarks(marks) {
    const put = (on) => this.app.asked("marks", { marks: on });
    this.history.add({ label: TEXTS.marks_on, undo: () => put(!marks), redo: () => put(marks) });
    await put(marks);
  }

  /** Who says each token, [name, ids][], before and now. */
  #speakers() {
    const said = new Map(this.script.tokens.map(({ speaker }) => [speaker, []]));
    for (const { id, speaker } of this.script.tokens) said.get(speaker).push(id);
    return [...said];
  }

  #nameSpeakers(names) { return this.app.asked("speakers", { names }); }

  /** Finds the speakers by the sound. */
  tellSpeakers() {
    const begin = (count) => () => {
      this.app.telling = this.#speakers();
      this.app.parts.refresh();
      this.app.asked("speakers", { count }, () => { this.app.telling = null; this.app.parts.refresh(); });
    };
    this.app.dialogs.ask(TEXTS.speakers_hint, [[TEXTS.any_number, begin(0)], ...[2, 3, 4].map((count) => [String(count), begin(count)])]);
  }

  /** They have been. */
  speakersTold() {
    const before = this.app.telling, after = this.#speakers();
    if (before) this.history.add({ label: TEXTS.speakers, undo: () => this.#nameSpeakers(before), redo: () => this.#nameSpeakers(after) });
    this.app.telling = null;
    this.app.parts.refresh();
  }

  /** Whoever says a turn, from token k on, is called otherwise. */
  renameSpeaker(k) {
    const { tokens } = this.script, { speaker } = tokens[k];
    const put = (own) => (text) => {
      const name = text.trim().toUpperCase();
      if (!name || name === speaker) return;
      const ids = own.map(({ id }) => id);
      this.history.add({ label: name, undo: () => this.#nameSpeakers([[speaker, ids]]), redo: () => this.#nameSpeakers([[name, ids]]) });
      this.#nameSpeakers([[name, ids]]);
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
  async moveWord(token, was) {
    const now = { start: token.start, end: token.end };
    const put = (times) => this.app.asked("times", { id: token.id, ...times }, () => { Object.assign(token, was); this.app.audio.axis.draw(); });
    this.history.add({ label: token.text, undo: () => put(was), redo: () => put(now) });
    await put(now);
  }

  undo() { this.app.view.field.finish(true); this.history.undo(); }
  redo() { this.app.view.field.finish(true); this.history.redo(); }
}
