// Which words of a text are recorded, and where. No DOM in here.

import { parts } from "./wording.js";

/**
 * A word as it stands in the script: `id` is of the token that it is recorded as, or its number in what another `file`
 * says; -1 for one that was typed.
 * @typedef {{text: string, id: number, file?: string}} Word
 */
/** @import { Edit, RecordedWords, Token } from "../records" */

const CLIPBOARD = "application/x-a3t-words"; // what is copied within a project says where it is recorded
const keyOf = (/** @type {Word} */ { text }) => parts(text).core.toLowerCase();

/** A text's words, recorded as those `known` ones are that it has, in their order. @param {string} text @param {Word[]} known @returns {Word[]} */
export function recognised(text, known) {
  /** @type {Word[]} */
  const words = text.split(" ").filter(Boolean).map((each) => ({ text: each, id: -1 }));
  const [a, b] = [words, known].map((list) => list.map(keyOf));
  let first = 0, last = 0;
  while (first < Math.min(a.length, b.length) && a[first] === b[first]) first++;
  while (last < Math.min(a.length, b.length) - first && a[a.length - 1 - last] === b[b.length - 1 - last]) last++;
  const rows = a.length - last - first, columns = b.length - last - first;
  const common = Array.from({ length: rows + 1 }, () => new Uint16Array(columns + 1));
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) common[i][j] = a[first + i] === b[first + j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  }
  const take = (/** @type {number} */ i, /** @type {number} */ j) => Object.assign(words[i], { id: known[j].id }, known[j].file ? { file: known[j].file } : {});
  for (let k = 0; k < first; k++) take(k, k);
  for (let k = 1; k <= last; k++) take(a.length - k, b.length - k);
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (a[first + i] === b[first + j]) take(first + i++, first + j++);
    else if (common[i + 1][j] >= common[i][j + 1]) i++;
    else j++;
  }
  return words;
}

/** Where the words are recorded; null if that is where the change's own tokens are, in their order. @param {Word[]} words @param {number[]} tokens @returns {RecordedWords[]|null} */
export function runsOf(words, tokens) {
  const places = words.filter(({ id }) => id >= 0).map(({ id, file }) => (file ? -1 : tokens.indexOf(id)));
  if (places.every((place, k) => place > (k ? places[k - 1] : -1))) return null;
  /** @type {RecordedWords[]} */
  const runs = [];
  words.forEach(({ id, file = "" }, at) => {
    const run = runs[runs.length - 1];
    if (id < 0) return;
    if (run && run.at + run.tokens.length === at && (run.file || "") === file) run.tokens.push(id);
    else runs.push({ at, tokens: [id], ...(file ? { file } : {}) });
  });
  return runs;
}

/** The words of an edit. @param {Edit} edit @param {Token[]} tokens those that it replaces @returns {Word[]} */
export function wordsOf({ text, recorded }, tokens) {
  if (/^\[pause [\d.]+\]$/.test(text)) return []; // nothing is said
  if (!recorded) return recognised(text, tokens);
  /** @type {Word[]} */
  const words = text.split(" ").filter(Boolean).map((each) => ({ text: each, id: -1 }));
  for (const { at, tokens, file } of recorded) tokens.forEach((id, k) => { if (words[at + k]) Object.assign(words[at + k], { id }, file ? { file } : {}); });
  return words;
}

/** @param {Word[]} words */
export const textOf = (words) => words.map(({ text }) => text).join(" ");

/** @param {DataTransfer} board @param {string|null} project @param {Word[]} words */
export function copy(board, project, words) {
  board.setData("text/plain", textOf(words));
  board.setData(CLIPBOARD, JSON.stringify({ project, words }));
}

/** Where words on the clipboard are recorded, if they are this project's. @param {DataTransfer} board @param {string|null} project @returns {Word[]} */
export function copied(board, project) {
  const own = board.getData(CLIPBOARD);
  if (!own) return [];
  const { project: from, words } = JSON.parse(own);
  return from === project ? words : [];
}
