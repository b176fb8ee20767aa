// Punctuation and word search in the edited script. No DOM in here.

const MARKS = /^([("'“‘[]*)(.*?)([.,;:!?…"'”’)\]]*)$/su;
const ENDED = /[.!?…]["'”’)]*$/;

/** A text without signs that nobody sees. @param {string} text */
export const plain = (text) => text.replace(/\s+/g, " ").replace(/[\p{Cf}\p{Cc}]/gu, "").trim();

/**
 * What was typed between the marks of its place: a mark that it ends with takes the place of theirs, and without it
 * they say nothing. @param {string} text @param {string} before @param {string} after
 */
export function typedBetween(text, before, after) {
  if (!after || !text.endsWith(after)) return plain(text) === before.trim() ? "" : text;
  const typed = text.slice(0, text.length - after.length).trimEnd();
  if (!plain(typed.startsWith(before) ? typed.slice(before.length) : typed)) return "";
  return typed + (/[.,;:!?…]$/.test(typed) ? after.replace(/^[.,;:!?…]+/, "") : after);
}

/** Whether a text is all in capitals. @param {string} text */
export const isShouted = (text) => /\p{Lu}{4}/u.test(text) && !/\p{Ll}/u.test(text);

/** What was typed, written as its place asks: in capitals among capitals, with a capital where a sentence begins. @param {string} text @param {string} before what is said before it @param {string} old what it replaces, or stands beside */
export function asWritten(text, before, old) {
  if (isShouted(old) && !isShouted(text)) return text.toUpperCase();
  const begins = (!before || ENDED.test(before)) && /^["'“‘(]*\p{Lu}/u.test(old);
  return begins ? text.replace(/^(["'“‘(]*)(\p{Ll})/u, (all, marks, letter) => marks + letter.toUpperCase()) : text;
}

/** A word, or several: the marks before it, itself, those after it. @param {string} text */
export function parts(text) {
  const [, before, core, after] = /** @type {RegExpExecArray} */ (MARKS.exec(text));
  return core ? { before, core, after } : { before: "", core: text, after: "" };
}

/**
 * Words inserted after others stand before their full stop, unless they are sentences of their own:
 * what the word before is replaced by, or null if nothing is. @param {string} old @param {string} text
 */
export function insertedAfter(old, text) {
  const { before, core, after } = parts(old);
  if (!after || !text || ENDED.test(text) || text.startsWith("[")) return null;
  return `${before}${core} ${text}${parts(text).after ? "" : after}`;
}

/**
 * Where a text stands among the words as they are edited, whatever marks are between them: the tokens
 * [first, last) that hold it, all that these say, and where in that it is.
 * @typedef {{first: number, last: number, said: string, from: number, to: number}} Found
 * @param {import("./script.js").Script} script @param {string} wanted @returns {Found[]}
 */
export function found(script, wanted) {
  const words = wanted.trim().split(/\s+/u).filter(Boolean).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!words.length) return [];
  /** @type {{at: number, end: number, first: number, last: number}[]} */
  const items = [];
  let text = "", k = 0;
  /** @param {string} said @param {number} first @param {number} last */
  const add = (said, first, last) => { if (said) { items.push({ at: text.length, end: text.length + said.length, first, last }); text += `${said} `; } };
  for (const { edit, first, last } of [...script.places(), { edit: null, first: script.tokens.length, last: 0 }]) {
    for (; k < first; k++) add(script.tokens[k].text, k, k + 1);
    if (edit && script.isSpoken(edit)) add(edit.text, first, last);
    k = Math.max(k, last);
  }
  let n = 0;
  return [...text.matchAll(new RegExp(words.join("[^\\p{L}\\p{N}]+"), "giu"))].map((match) => {
    const from = match.index, to = from + match[0].length;
    while (items[n].end <= from) n++;
    let m = n;
    while (items[m].end < to) m++;
    const start = items[n].at;
    return { first: items[n].first, last: items[m].last, said: text.slice(start, items[m].end), from: from - start, to: to - start };
  });
}

/** What stands there with other words instead; places that share a word are one. @param {Found[]} places @param {string} other @returns {[number, number, string][]} */
export function withOther(places, other) {
  /** @type {[number, number, string][]} */
  const made = [];
  let rest = "", at = 0; // what follows the last place in its words, and where that begins in them
  for (const { first, last, said, from, to } of places) {
    const before = made[made.length - 1], shared = before && first < before[1] && before[0] <= first;
    if (shared && before[0] === first && before[1] === last) {
      before[2] = before[2].slice(0, before[2].length - rest.length) + said.slice(at, from) + other + said.slice(to);
    } else if (!shared) made.push([first, last, said.slice(0, from) + other + said.slice(to)]);
    else continue;
    [rest, at] = [said.slice(to), to];
  }
  return made;
}
