// The script: the words of the recording, and the list of changes to them. No DOM in here.

/** @import { Correction, Edit, SentToken, TakeRecord, Token, WordFields } from "../records" */
/** @typedef {import("./recorded.js").Word} Word @typedef {{edit: Edit, first: number, last: number}} Place the tokens [first, last) that a change stands for */

import { recognised, runsOf, wordsOf } from "./recorded.js";
import { parts } from "./wording.js";

const BESIDE = 0.1; // seconds between a change and a cut in a pause beside it
/** @param {SentToken} sent @returns {Token} */
const token = ([id, text, start, end, score, pause, speaker = ""]) => ({ id, text, start, end, score: score ?? 1, waits: score === null, pause: !!pause, speaker });
const PAUSE = /^\[pause ([\d.]+)\]$/;

export class Script {
  constructor() {
    /** @type {Token[]} */
    this.tokens = [];
    /** @type {Edit[]} */
    this.edits = [];
    /** @type {Map<string|null, TakeRecord[]>} */
    this.takes = new Map();
    /** @type {Map<string|null, string>} */
    this.failures = new Map();
    /** @type {Map<number, number>} the place of a token by its id */
    this.index = new Map();
    /** True for a token, by its id, with which a paragraph begins: settled once. @type {Map<number|undefined, boolean>} */
    this.begins = new Map();
    /** A word with a lower score is marked as doubtful. */
    this.doubtfulBelow = 0;
    /** Seconds between which nothing has been listened to. @type {[number, number][]} */
    this.missing = [];
  }

  /** @param {SentToken[]} shown */
  setTokens(shown) {
    if (shown.length !== this.tokens.length || shown.some(([id], k) => id !== this.tokens[k].id)) this.begins.clear();
    this.tokens = shown.map(token);
    this.#reindex();
  }

  /** The tokens of a part instead of those that it had, or where they are spoken. @param {number[]} gone @param {SentToken[]} shown */
  setPart(gone, shown) {
    const old = new Set(gone), before = gone.filter((id) => this.index.has(id)), now = new Set(shown.map(([id]) => id));
    const others = this.tokens.filter(({ id }) => !old.has(id)), start = shown[0]?.[2];
    const at = before.length ? this.index.get(before[0]) : others.findIndex((token) => token.start > start);
    // Words that come for others begin a paragraph where the first of those did.
    shown.forEach(([id], k) => {
      if (!before.length || this.begins.has(id)) return;
      const left = k ? before.indexOf(shown[k - 1][0]) : -1, gone = k && left < 0 ? undefined : before[left + 1];
      this.begins.set(id, gone !== undefined && !now.has(gone) && !!this.begins.get(gone));
    });
    others.splice(at === undefined || at < 0 ? others.length : at, 0, ...shown.map(token));
    this.tokens = others;
    this.#reindex();
  }

  /** Words are heard at other times, as a step says. @param {WordFields["times"]} times */
  move(times = []) {
    for (const [id, start, end] of times) Object.assign(this.tokens[this.index.get(id) ?? -1] || {}, { start, end });
  }

  #reindex() {
    this.index = new Map(this.tokens.map((token, k) => [token.id, k]));
  }

  /** Shows corrections that the words have not had yet. @param {Correction[]} waiting */
  correct(waiting) {
    for (const token of this.tokens) if (token.heard !== undefined) { token.text = token.heard; delete token.heard; }
    for (const { after, right, tokens, text } of waiting) {
      const own = tokens?.length && tokens.every((id) => this.index.has(id)) ? tokens : null;
      const first = own ? this.index.get(own[0]) : after === -1 ? 0 : (this.index.get(after) ?? NaN) + 1;
      const last = own ? (first ?? NaN) + own.length : right === null ? this.tokens.length : this.index.get(right);
      if (first !== undefined && last !== undefined) for (let k = first; k < last; k++) Object.assign(this.tokens[k], { heard: this.tokens[k].heard ?? this.tokens[k].text, text: k === first ? text : "" });
    }
  }

  /** Where the edits are, in order; those whose words are gone are left out. @returns {Place[]} */
  places() {
    return this.edits.flatMap((edit) => this.placeOf(edit) || []).sort((a, b) => a.first - b.first || a.last - b.last);
  }

  /** The place whose edit holds token k, if any. @param {number} k */
  placeAt(k) {
    return this.places().find(({ first, last }) => first <= k && k < last) || null;
  }

  /** A range of tokens, widened so that it cuts no edit in two. @param {number} first @param {number} last @returns {[number, number]} */
  widened(first, last) {
    for (const place of this.places()) {
      if (place.first < last && first < place.last) {
        first = Math.min(first, place.first);
        last = Math.max(last, place.last);
      }
    }
    return [first, last];
  }

  /** The words of tokens [first, last) in the edited script. @param {number} first @param {number} last @returns {Word[]} */
  words(first, last) {
    /** @type {Word[]} */
    const words = [];
    let at = first;
    for (const place of this.places()) {
      if (!this.#isWithin(place, first, last)) continue;
      words.push(...this.tokens.slice(at, Math.max(at, place.first)), ...wordsOf(place.edit, this.tokens.slice(place.first, place.last)));
      at = Math.max(at, place.last);
    }
    return words.concat(this.tokens.slice(at, last)).filter(({ text }) => text).map(({ text, id, file }) => ({ text, id, ...(file ? { file } : {}) }));
  }

  /** The text of tokens [first, last) in the edited script. @param {number} first @param {number} last */
  textOf(first, last) { return this.words(first, last).map(({ text }) => text).join(" "); }

  /**
   * What is typed over [first, last): the tokens, widened; the words that stand for what is selected (of a change of
   * several words those at the same place) as `core`, with what is said `before` and `after` them; and all but these.
   * @param {number} first @param {number} last
   */
  written(first, last) {
    const [begin, end] = this.widened(first, last), words = this.textOf(begin, end).split(" ").filter(Boolean);
    const place = this.placeAt(first), inside = place && first < last && place.last >= last && (first > begin || last < end);
    const at = (/** @type {number} */ k) => Math.round(((k - begin) / (end - begin)) * words.length);
    const from = inside ? Math.min(at(first), Math.max(words.length - 1, 0)) : 0;
    const to = inside ? Math.min(Math.max(at(last), from + 1), words.length) : words.length;
    const { before, core, after } = parts(words.slice(from, to).join(" ")), left = words.slice(0, from), right = words.slice(to);
    return { first: begin, last: end, before: [...left, before].join(" "), core, after: [after, ...right].join(" "), rest: [...left, ...right].join(" ") };
  }

  /** True if a change belongs to tokens [first, last); an insertion does where nothing but it is looked at, and at the ends of the whole. @param {Place} place @param {number} first @param {number} last */
  #isWithin(place, first, last) {
    if (place.first < place.last) return place.first < last && first < place.last;
    const atEnd = first === last ? place.first === first : first === 0 && last === this.tokens.length;
    return atEnd || first < place.first && place.first < last;
  }

  /** The whole edited text. */
  get text() {
    return this.textOf(0, this.tokens.length);
  }

  /**
   * The list of edits with tokens [first, last) replaced by `text`; an insertion if the range is
   * empty. Edits that it covers give way to it. Of the text's words those are recorded that are `known`.
   * @param {number} first @param {number} last @param {string} text @param {Word[]|null} known @returns {{edits: Edit[], edit: Edit|null}}
   */
  replaced(first, last, text, known = null) {
    [first, last] = this.widened(first, last);
    known = known || this.words(first, last);
    text = text.trim().replace(/\s+/g, " ");
    const places = this.places();
    const isCut = (/** @type {Place} */ { edit, first: from, last: to }) => edit.cut && from === to;
    const covered = places.filter((place) => !isCut(place) && this.#isWithin(place, first, last));
    let edits = this.edits.filter((edit) => !covered.some((place) => place.edit === edit));
    // A cut in a pause stays beside new words if there is room for the joints of both.
    const crowded = places.filter((place) => isCut(place) && place.first >= first && place.first <= last && (first < place.first && place.first < last || this.#apart(place, first, last) < BESIDE));
    edits = edits.filter((edit) => !crowded.some((place) => place.edit === edit));
    if (text === this.tokens.slice(first, last).map((token) => token.text).join(" ")) return { edits, edit: null };
    const tokens = this.tokens.slice(first, last).map((token) => token.id);
    const edit = {
      after: first === 0 ? -1 : this.tokens[first - 1].id, tokens,
      text, take: null, accepted: false, key: null, cut: null, recorded: runsOf(recognised(text, known), tokens) || undefined,
    };
    return { edits: [...edits, edit], edit };
  }

  /** Seconds between a cut in a pause and the words [first, last) beside it. @param {Place} place @param {number} first @param {number} last */
  #apart({ edit: { cut } }, first, last) {
    if (first === last || !cut) return 0;
    return cut.end <= this.tokens[first].start ? this.tokens[first].start - cut.end : cut.start - this.tokens[last - 1].end;
  }

  /** Seconds at which what is replaced begins and ends. @param {Place} place */
  span({ edit: { cut }, first, last }) {
    const times = first < last ? [this.tokens[first].start, this.tokens[last - 1].end] : [];
    if (cut) times.push(cut.start, cut.end);
    if (!times.length) times.push(first ? this.tokens[first - 1].end : 0, first < this.tokens.length ? this.tokens[first].start : Infinity);
    return [Math.min(...times), Math.max(...times)];
  }

  /** Where an edit is, [first, last) of the tokens; null if its words are gone. @param {Edit} edit @returns {Place|null} */
  placeOf(edit) {
    const before = edit.after === -1 ? -1 : this.index.get(edit.after);
    if (before === undefined) return null;
    const first = before + 1;
    return edit.tokens.every((id, k) => this.index.get(id) === first + k) ? { edit, first, last: first + edit.tokens.length } : null;
  }

  /** Whether a change that is offered touches none that is there. @param {Edit} edit */
  isFree(edit) {
    const place = this.placeOf(edit);
    if (!place) return false;
    const [start, end] = this.span(place);
    return this.places().every((other) => {
      const [since, until] = this.span(other);
      return (other.last <= place.first || other.first >= place.last) && (until <= start + 1e-6 || since >= end - 1e-6);
    });
  }

  /**
   * The list of edits with changes that take something out, those that touch each other as one.
   * @param {Edit[]} offered @returns {Edit[]}
   */
  withRemovals(offered) {
    /** @type {Place[]} */
    const added = [];
    const wanted = offered.flatMap((edit) => (this.isFree(edit) && this.placeOf(edit)) || []).sort((a, b) => a.first - b.first || this.span(a)[0] - this.span(b)[0]);
    for (const place of wanted) {
      const before = added[added.length - 1];
      if (before && place.first <= before.last && this.span(place)[0] - this.span(before)[1] < BESIDE && before.edit.text === place.edit.text) {
        added[added.length - 1] = this.#united(before, place);
      } else added.push(place);
    }
    return [...this.edits, ...added.map(({ edit }) => ({ ...edit, take: null, accepted: false, key: null }))];
  }

  /** Two changes that take out what lies side by side, as one. @param {Place} a @param {Place} b @returns {Place} */
  #united(a, b) {
    const first = Math.min(a.first, b.first), last = Math.max(a.last, b.last);
    const [start, end] = [Math.min(this.span(a)[0], this.span(b)[0]), Math.max(this.span(a)[1], this.span(b)[1])];
    const was = a.edit.cut || b.edit.cut, cut = was && { ...was, start, end };
    const edit = { ...a.edit, after: first ? this.tokens[first - 1].id : -1, tokens: this.tokens.slice(first, last).map((token) => token.id), cut };
    return { edit, first, last };
  }

  /**
   * The list of edits with the pause after token k so many seconds long, and the edit that does it;
   * null if it is as long as it was.
   * @param {number} k @param {number} seconds @returns {{edits: Edit[], edit: Edit|null}}
   */
  withPause(k, seconds) {
    const edits = this.edits.filter((edit) => edit !== this.pauseEdit(k));
    const [start, end] = [this.tokens[k].end, this.tokens[k + 1].start];
    const by = seconds - (end - start);
    const base = { after: this.tokens[k].id, tokens: [], take: null, accepted: false, key: null };
    if (Math.abs(by) < 0.02) return { edits, edit: null };
    const edit = by > 0
      ? { ...base, text: `[pause ${Math.min(by, 10).toFixed(2)}]`, cut: null }
      : { ...base, text: "", cut: { kind: "pause", action: "cut", start: (start + end + by) / 2, end: (start + end - by) / 2 } };
    return { edits: [...edits, edit], edit };
  }

  /** The length of the pause after token k, edits included. @param {number} k */
  pauseAfter(k) {
    const edit = this.pauseEdit(k);
    return this.tokens[k + 1].start - this.tokens[k].end + (edit ? this.growth(edit) : 0);
  }

  /** The edit that makes the pause after token k longer or shorter, if there is one. @param {number} k */
  pauseEdit(k) {
    return this.edits.find((edit) => edit.after === this.tokens[k].id && this.isPause(edit)) || null;
  }

  /** Whether an edit is of a pause alone. @param {Edit} edit */
  isPause(edit) {
    return !edit.tokens.length && (PAUSE.test(edit.text) || !edit.text && edit.cut !== null && edit.cut.kind === "pause");
  }

  /** Whether words are hidden by silence, or a tone. @param {Edit} edit */
  isHidden(edit) { return edit.tokens.length > 0 && PAUSE.test(edit.text); }

  /** Whether an edit has words to be said. @param {Edit} edit */
  isSpoken(edit) { return !!edit.text && !PAUSE.test(edit.text); }

  /** The seconds by which an edit of a pause makes it longer; less than 0 for shorter. @param {Edit} edit */
  growth(edit) {
    const longer = PAUSE.exec(edit.text);
    return longer ? Number(longer[1]) : edit.cut ? edit.cut.start - edit.cut.end : 0;
  }

  /** Whether a change waits for the times of its place. @param {Pick<Place, "first"|"last">} place */
  waits({ first, last }) { return this.tokens.slice(Math.max(0, first - 1), last + 1).some(({ waits }) => waits); }

  /** The key of an edit's takes, null until the server has told it. @param {Edit} edit */
  madeOf(edit) { return edit.made || edit.key; }

  /** An edit and those that are made as one with it. @param {Edit} edit */
  madeWith(edit) {
    const made = this.madeOf(edit);
    return made ? this.edits.filter((each) => this.madeOf(each) === made) : [edit];
  }

  /** True if an edit's take and acceptance are of what is made of it now. @param {Edit} edit */
  isOwn(edit) { return (edit.take_of || edit.key) === this.madeOf(edit); }

  /** The takes of an edit, the first made first. @param {Edit} edit */
  takesOf(edit) {
    return this.takes.get(this.madeOf(edit)) || [];
  }

  /** The take that is heard, null while there is none. @param {Edit} edit */
  chosen(edit) {
    const takes = this.takesOf(edit), wanted = this.madeWith(edit).find((each) => each.take !== null && this.isOwn(each));
    return takes.find((take) => take.number === wanted?.take) || takes[0] || null;
  }

  /** The takes that can be chosen: of those that differ in length alone the one that is heard, or the last. @param {Edit} edit */
  choices(edit) {
    /** @type {Map<number, TakeRecord>} */
    const groups = new Map(), chosen = this.chosen(edit);
    for (const take of this.takesOf(edit)) if (groups.get(take.base ?? take.number) !== chosen) groups.set(take.base ?? take.number, take);
    return [...groups.values()];
  }

  /** How far an edit is. @param {Edit} edit @returns {"failed"|"making"|"made"|"accepted"} */
  stateOf(edit) {
    if (this.takesOf(edit).length) return edit.accepted && this.isOwn(edit) ? "accepted" : "made";
    return this.failures.has(this.madeOf(edit)) ? "failed" : "making";
  }

  /** The token that is spoken at a time, or the last one before it; -1 before the first. @param {number} seconds */
  tokenAt(seconds) {
    return this.tokens.findLastIndex(({ start }) => start <= seconds);
  }

  /** Whether some of the recording between two tokens has not been listened to. @param {number} k */
  #isBroken(k) {
    return !this.tokens[k].waits && !this.tokens[k - 1].waits && this.missing.some(([start]) => this.tokens[k - 1].end - 0.5 <= start && start < this.tokens[k].start);
  }

  /** Whether somebody else speaks from token k on. @param {number} k */
  #turnsAt(k) {
    return k < this.tokens.length && this.tokens[k].speaker !== this.tokens[k - 1].speaker;
  }

  /** Tokens [first, end) of each paragraph: they end at long pauses, and where somebody else speaks. */
  paragraphs() {
    /** @type {[number, number][]} */
    const found = [];
    let first = 0;
    for (let k = 1; k <= this.tokens.length; k++) {
      const gap = k === this.tokens.length ? Infinity : this.tokens[k].waits || this.tokens[k - 1].waits ? 0 : this.tokens[k].start - this.tokens[k - 1].end;
      const words = k - first;
      const ended = /[.!?…]["'”’)]*$/.test(this.tokens[k - 1].text);
      const next = this.tokens[k]?.id, fits = gap <= 1.2 || words <= 5;
      if (gap < Infinity && !this.begins.has(next)) this.begins.set(next, !fits || (words > 45 && (ended || gap > 0.5)) || (words > 90 && gap > 0.2) || words > 140);
      if (gap === Infinity || this.begins.get(next) || this.#isBroken(k) || this.#turnsAt(k)) {
        found.push([first, k]);
        first = k;
      }
    }
    return found;
  }
}
