// When learning the voice is worth an offer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./web.mjs";

const { Script } = await load("script/script.js");
const { isWorthLearning } = await load("panels/learning_view.js");

/** 600 words of half a second, three of them changed and made; by several speakers, or cut short. */
function script({ speakers = [""], words = 600, made = 3, text = "never" } = {}) {
  const found = new Script();
  found.setTokens(Array.from({ length: words }, (_, k) => [k, "word", 0.6 * k, 0.6 * k + 0.5, 1, 0, speakers[k % speakers.length]]));
  for (let k = 0; k < 3; k++) found.edits = found.replaced(10 * k, 10 * k + 1, text).edits;
  found.edits.forEach((edit, k) => {
    edit.key = `k${k}`;
    if (k < made) found.takes.set(edit.key, [{ number: 0, spans: [] }]);
  });
  return found;
}

test("five minutes of one person's speech and three new words are worth it, and nothing less", () => {
  assert.ok(isWorthLearning(script()));
  assert.ok(isWorthLearning(script({ speakers: ["ANNA"] })));
  for (const less of [{ words: 599 }, { made: 2 }, { speakers: ["ANNA", "BEN"] }, { text: "" }]) assert.ok(!isWorthLearning(script(less)), JSON.stringify(less));
});
