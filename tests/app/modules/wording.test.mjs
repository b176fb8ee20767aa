// Punctuation belongs to the place; what is looked for is found in what is said; a click is heard from its word on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, settle } from "./web.mjs";
import { FakeServer } from "./windows.mjs";

const { asWritten, isShouted, parts, found, typedBetween, withOther } = await load("script/wording.js");
const { Hearing } = await load("hearing.js");
const { Timeline } = await load("sound/timeline.js");
const TEXT = "They came with the barons. “Who is it?” he said: profane. We cannot";

const says = (made) => made.script.text;

test("nothing else is taken for capitals", () => {
  assert.deepEqual(["AND YOU ALWAYS", "ÉTÉ ÉTÉS", "NASA said", "A B", "1990"].map(isShouted), [true, true, false, false, false]);
});

test("the marks of a word are apart from it", () => {
  assert.deepEqual(parts("“Who"), { before: "“", core: "Who", after: "" });
  assert.deepEqual(parts("it?”"), { before: "", core: "it", after: "?”" });
  assert.deepEqual(parts("wasn't"), { before: "", core: "wasn't", after: "" });
  assert.deepEqual(parts("profane. We"), { before: "", core: "profane. We", after: "" });
});

test("words that are inserted before a full stop stand before it, sentences behind", async () => {
  const made = await new FakeServer().window(TEXT);
  made.editing.write(5, 5, "of old");
  assert.ok(says(made).startsWith("They came with the barons of old. “Who is it?”"));
  made.editing.undo();
  made.editing.write(5, 5, "Nobody knew.");
  assert.ok(says(made).startsWith("They came with the barons. Nobody knew. “Who"));
});

test("a typed mark takes the place of the word's, and a text without words is refused, not a deletion", async () => {
  assert.equal(typedBetween("tower.,", "", ","), "tower.");
  assert.equal(typedBetween("“tower?.”", "“", ".”"), "“tower?”");
  assert.equal(typedBetween("tower,", "", ","), "tower,");
  assert.equal(typedBetween("hope  look", "hope ", " look"), "hope look");
  assert.equal(typedBetween("“.”", "“", ".”"), ""); // the word is gone
  const made = await new FakeServer().window(TEXT), told = [];
  made.complain = (sentence) => told.push(sentence);
  for (const text of ["—", "...", "🙂"]) made.editing.write(4, 5, text);
  assert.deepEqual([made.script.edits.length, told.length], [0, 3]);
  made.editing.write(4, 5, "ba\u200bkers");
  assert.equal(made.script.edits[0].text, "bakers");
});

test("parts of words, words in a row whatever is between them, and new words are found", async () => {
  const made = await new FakeServer().window(TEXT);
  const at = (wanted) => found(made.script, wanted).map(({ first, last }) => [first, last]);
  assert.deepEqual(at("baron"), [[4, 5]]);
  assert.deepEqual(at("it he"), [[7, 9]]);
  assert.deepEqual(at("s"), [[4, 5], [6, 7], [9, 10]]);
  assert.deepEqual(at("(x"), []);
  made.editing.write(1, 2, "went away");
  assert.deepEqual(at("AWAY with"), [[1, 3]]);
  assert.deepEqual(at("came"), []);
});

test("what is found is replaced, marks and the rest of the words as they were, in both modes", async () => {
  const server = new FakeServer(), made = await server.window(TEXT);
  made.editing.writeAll(withOther(found(made.script, "a"), "o"));
  assert.equal(says(made), "They come with the borons. “Who is it?” he soid: profone. We connot");
  made.editing.undo();
  assert.equal(says(made), TEXT);
  assert.deepEqual(withOther(found(made.script, "n"), "m").map(([, , text]) => text), ["baroms.", "profame.", "cammot"]);
  made.editing.correct(...withOther(found(made.script, "we can"), "we could"));
  await settle();
  assert.deepEqual(server.corrections, ["we couldnot"]);
});

test("a word is played from its own beginning, and is the one that is lit", async () => {
  const made = await new FakeServer().window(TEXT);
  for (const rate of [8000, 44100, 48000]) {
    made.sound = { sample_rate: rate, channels: 1, samples: 20 * rate, seconds: 20 };
    made.script.setTokens(TEXT.split(" ").map((word, k) => [k, word, 0.1 + k * 0.3334, 0.4334 + k * 0.3334, 1, 0]));
    let from = 0;
    made.transport = { timeline: new Timeline(20 * rate), play: (first) => { from = first; }, get place() { return from; } };
    const hearing = new Hearing(made);
    for (let k = 0; k < 13; k++) {
      hearing.playTokens(k, k + 1);
      assert.equal(hearing.heardToken(), k);
      assert.ok(from / rate - made.script.tokens[k].start < 0.001);
    }
  }
});

test("a typed word is written as its place asks", () => {
  assert.equal(asWritten("never", "", "And"), "Never");
  assert.equal(asWritten("“never", "it.", "And you"), "“Never");
  assert.equal(asWritten("never", "it", "Anna"), "never");
  assert.equal(asWritten("never", "", "and"), "never");
  assert.equal(asWritten("never again", "AND", "YOU ALWAYS"), "NEVER AGAIN");
  assert.equal(asWritten("", "", "And"), "");
});
