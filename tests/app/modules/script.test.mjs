// The script: what a list of changes makes of the words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./web.mjs";

const { Script } = await load("script/script.js");
const { textOf } = await load("script/recorded.js");
const { edited } = await load("sound/timeline.js");
const { TEXTS, named } = await load("texts.js");
const { found } = await load("script/wording.js");

/** Words of 0.4 s with 0.1 s between them, but for a pause of 2 s after the fourth. */
function script(text = "And you always want to see it in the end") {
  const made = new Script();
  let clock = 0;
  made.setTokens(text.split(" ").map((word, k) => {
    const token = [k, word, clock, clock + 0.4, 1, 0];
    clock += k === 3 ? 2.4 : 0.5;
    return token;
  }));
  return made;
}

function apply(made, first, last, text) {
  const { edits, edit } = made.replaced(first, last, text);
  made.edits = edits;
  return edit;
}

test("a change replaces its words and no others", () => {
  const made = script();
  apply(made, 2, 3, "never");
  assert.equal(made.text, "And you never want to see it in the end");
  apply(made, 8, 10, "");
  assert.equal(made.text, "And you never want to see it in");
  apply(made, 6, 6, "all of");
  assert.equal(made.text, "And you never want to see all of it in");
  assert.deepEqual(made.places().map(({ first, last }) => [first, last]), [[2, 3], [6, 6], [8, 10]]);
});

test("changes side by side stay two; what is made of them as one is heard and judged once", () => {
  const made = script();
  apply(made, 1, 2, "they");
  apply(made, 3, 4, "hope");
  assert.equal(made.text, "And they always hope to see it in the end");
  made.edits.forEach((edit, k) => Object.assign(edit, { key: `k${k}`, made: "both" }));
  made.takes.set("both", [{ number: 0, spans: [{ source: [600, 900], length: 500 }] }, { number: 1, spans: [] }]);
  const [one, other] = made.edits;
  assert.equal(edited(made, 9000).stretches.filter((each) => each.edit).length, 1);
  assert.deepEqual(edited(made, 9000).spanOf(other), edited(made, 9000).spanOf(one));
  Object.assign(one, { take: 1, accepted: true }); // of what it was alone
  assert.deepEqual([made.chosen(other).number, made.stateOf(one)], [0, "made"]);
  Object.assign(one, { take_of: "both" });
  assert.deepEqual([made.chosen(other).number, made.stateOf(one), made.stateOf(other)], [1, "accepted", "made"]);
});

test("words beside an insertion are typed over alone, and of a change of several words one", () => {
  const made = script();
  apply(made, 2, 2, "all");
  apply(made, 2, 3, "never");
  assert.equal(made.text, "And you all never want to see it in the end");
  apply(made, 3, 6, "hope we look");
  const { first, last, before, core, after, rest } = made.written(4, 5);
  assert.deepEqual([first, last, before, core, after, rest], [3, 6, "hope ", "we", " look", "hope look"]);
});

test("the text of words has nothing of a change beside them", () => {
  const made = script();
  apply(made, 2, 3, "never");
  assert.equal(made.textOf(1, 2), "you");
  assert.equal(made.textOf(3, 4), "want");
  assert.equal(made.textOf(1, 4), "you never want");
  apply(made, 10, 10, "at last");
  assert.equal(made.textOf(9, 10), "end");
  assert.ok(made.text.endsWith("end at last"));
});

test("the same words are no change, and take one back", () => {
  const made = script();
  assert.equal(made.replaced(2, 3, " always ").edit, null);
  apply(made, 2, 3, "never");
  assert.equal(made.replaced(2, 3, "always").edits.length, 0);
});

test("whatever is changed in whatever order, the text is what was typed last", () => {
  let seed = 7;
  const random = (count) => { seed = (seed * 48271) % 2147483647; return seed % count; };
  for (let round = 0; round < 60; round++) {
    const made = script();
    for (let n = 0; n < 6; n++) {
      const first = random(10), last = Math.min(10, first + 1 + random(3));
      const [from, to] = made.widened(first, last);
      const before = made.textOf(0, from), after = made.textOf(to, 10);
      const word = `w${n}`;
      apply(made, first, last, word);
      const said = made.text;
      assert.ok(said.includes(word));
      assert.ok(before.split(" ").filter(Boolean).every((each) => said.includes(each)), `${before} | ${said}`);
      assert.ok(after.split(" ").filter(Boolean).every((each) => said.includes(each)), `${after} | ${said}`);
    }
    const places = made.places();
    assert.equal(places.length, made.edits.length);
    for (let k = 1; k < places.length; k++) assert.ok(places[k - 1].last <= places[k].first);
  }
});

test("a pause is made shorter and longer, and as it was", () => {
  const made = script();
  const shorter = made.withPause(3, 0.5);
  assert.equal(shorter.edit.cut.kind, "pause");
  assert.ok(Math.abs(shorter.edit.cut.end - shorter.edit.cut.start - 1.5) < 1e-9);
  made.edits = shorter.edits;
  assert.ok(Math.abs(made.pauseAfter(3) - 0.5) < 1e-9);
  const longer = made.withPause(3, 3);
  assert.equal(longer.edits.length, 1);
  assert.equal(longer.edit.text, "[pause 1.00]");
  made.edits = longer.edits;
  assert.ok(Math.abs(made.pauseAfter(3) - 3) < 1e-9);
  assert.equal(made.withPause(3, 2).edits.length, 0);
  assert.equal(made.text.replace("[pause 1.00] ", ""), script().text);
});

test("a cut in a pause stays beside words that change, and goes where there is no room", () => {
  const made = script();
  made.edits = made.withPause(3, 0.5).edits;
  apply(made, 3, 4, "hope");
  assert.equal(made.edits.length, 2);
  made.edits = made.withPause(3, 0.02).edits;
  apply(made, 4, 5, "for");
  assert.ok(made.edits.every(({ cut }) => cut === null));
});

test("what is offered is taken once, and what touches becomes one", () => {
  const made = script();
  const removal = (k, start, end) => ({ after: k - 1, tokens: [k], text: "", take: null, accepted: false, key: null, cut: { kind: "filler", action: "cut", start, end } });
  const offers = [removal(1, 0.45, 0.95), removal(2, 0.95, 1.45), removal(7, 4.4, 5.3)];
  made.edits = made.withRemovals(offers);
  assert.deepEqual(made.edits.map(({ tokens }) => tokens), [[1, 2], [7]]);
  assert.deepEqual([made.edits[0].cut.start, made.edits[0].cut.end], [0.45, 1.45]);
  assert.equal(made.withRemovals(offers).length, 2);
  assert.ok(!made.isFree(offers[0]));
});

test("a correction moves no change that is elsewhere", () => {
  const made = script();
  apply(made, 2, 3, "never");
  made.setPart(made.tokens.map(({ id }) => id), [[0, "And", 0, 0.4, 1, 0], [1, "you", 0.5, 0.9, 1, 0], [2, "always", 1, 1.4, 1, 0], [77, "wish", 1.5, 1.9, 1, 0]]);
  assert.equal(made.text, "And you never wish");
});

test("paragraphs hold every word once, and end where something is missing", () => {
  const words = Array.from({ length: 400 }, (_, k) => `word${k}${k % 30 === 29 ? "." : ""}`).join(" ");
  const made = script(words);
  const flat = made.paragraphs().flatMap(([first, last]) => Array.from({ length: last - first }, (_, k) => first + k));
  assert.deepEqual(flat, Array.from({ length: 400 }, (_, k) => k));
  const few = script();
  few.missing = [[2.2, 3.4]];
  assert.deepEqual(few.paragraphs(), [[0, 4], [4, 10]]);
});

test("paragraphs stay where they are when a word is corrected", () => {
  const made = script(Array.from({ length: 200 }, (_, k) => `word${k}${k % 10 === 9 ? "." : ""}`).join(" "));
  const before = made.paragraphs(), at = before[1][0];
  const shown = made.tokens.map(({ id, text, start, end }) => [id, text, start, end, 1, 0]);
  const all = [...shown.map(([id]) => id), 900, 901];
  made.setPart(all, [...shown.slice(0, 5), [900, "New", 2.5, 2.7, 1, 0], [901, "York", 2.7, 2.9, 1, 0], ...shown.slice(6)]);
  assert.deepEqual(made.paragraphs().map(([first]) => first), before.map(([first]) => first && first + 1));
  made.setPart(all, [...shown.slice(0, at), [902, "Then", shown[at][2], shown[at][3], 1, 0], ...shown.slice(at + 1)]);
  assert.deepEqual(made.paragraphs(), before);
});

test("words that wait for their times keep their ids and paragraphs when these come", () => {
  const words = Array.from({ length: 200 }, (_, k) => `word${k}${k % 10 === 9 ? "." : ""}`), made = script();
  made.missing = [[0, 100]];
  made.setTokens(words.map((word, k) => [k, word, k / 2, (k + 1) / 2, null, 0]));
  const before = made.paragraphs(), { edits } = made.replaced(60, 61, "other");
  made.edits = edits;
  assert.ok(made.waits(made.places()[0]) && before.length > 2);
  made.setPart([50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61], words.slice(50, 62).map((word, k) => [50 + k, word, 30 + 2 * k, 31 + 2 * k, 0.9, 0]));
  assert.deepEqual([made.paragraphs(), made.waits(made.places()[0]), made.tokens.length], [before, false, 200]);
  assert.deepEqual(made.tokens.map(({ id }) => id), words.map((_, k) => k));
});

test("a paragraph is one speaker's", () => {
  const made = new Script();
  const words = [["Hello", "ANNA"], ["there.", "ANNA"], ["Fine,", "BOB"], ["thanks.", "BOB"]];
  made.setTokens(words.map(([word, name], k) => [k, word, 0.5 * k, 0.5 * k + 0.4, 1, 0, name]));
  assert.deepEqual(made.paragraphs(), [[0, 2], [2, 4]]);
  assert.deepEqual(script().paragraphs(), [[0, 10]]);
});

test("words that are moved, copied and pasted say where they are recorded, and only typed ones don't", () => {
  let seed = 11;
  const random = (count) => { seed = (seed * 48271) % 2147483647; return seed % count; };
  const made = script(), said = new Map(made.tokens.map(({ id, text }) => [id, text]));
  /** @type {import("../../../app/web/script/recorded.js").Word[]} */
  let board = [];
  for (let round = 0; round < 600; round++) {
    const [first, last] = made.widened(...[random(9)].flatMap((from) => [from, from + 1 + random(2)]));
    const known = made.words(first, last), own = known.map(({ text }) => text), cut = random(4);
    if (round % 40 === 39) made.edits = [];
    else if (random(3) === 0) board = known;
    else if (random(3) === 0) board = [{ text: "elsewhere", id: random(5), file: "said-1.wav" }];
    else if (random(2) && known.length < 12) made.edits = made.replaced(last, last, textOf([...board, ...made.words(last, last)]), [...board, ...made.words(last, last)]).edits;
    else made.edits = made.replaced(first, last, random(2) ? "" : [...own.slice(0, cut), "typed", ...own.slice(cut + 1)].join(" "), known).edits;
    for (const { text, id, file } of made.words(0, 10)) {
      assert.equal(id < 0, text === "typed", made.text);
      assert.ok(id < 0 || (file ? text === "elsewhere" : said.get(id) === text), made.text);
    }
  }
});

test("a hidden word is a struck one: nothing is said for it, and no notation is shown", () => {
  const made = script();
  for (const action of ["mute", "bleep"]) {
    const edit = { after: 0, tokens: [1], text: "[pause 0.5375]", take: null, accepted: false, key: null, cut: action === "mute" ? null : { kind: "word", action, start: 0.5, end: 0.9 } };
    made.edits = [edit];
    assert.equal(named(made, edit), TEXTS.hidden[action]);
    assert.deepEqual([made.isSpoken(edit), made.isPause(edit)], [false, false]);
    assert.equal(made.textOf(0, 3), "And always");
    assert.equal(made.written(1, 2).core, "");
    assert.equal(made.replaced(1, 2, "you").edits.length, 0);
    assert.deepEqual(found(made, "pause"), []);
  }
});

test("however often a take is made longer, it is one choice", () => {
  const made = script(), edit = apply(made, 2, 3, "never");
  Object.assign(edit, { key: "k", take: 5 });
  const take = (number, base) => ({ number, pace: 1, ...(base === undefined ? {} : { base }) });
  made.takes.set("k", [take(0), take(1), take(2, 0), take(3, 0), take(4, 1), take(5, 0), take(6, 0)]);
  assert.deepEqual(made.choices(edit).map(({ number }) => number), [5, 4]);
});
