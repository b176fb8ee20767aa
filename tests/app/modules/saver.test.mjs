// What is typed is sent, however long one types on, and kept while the server can't be reached.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { load } from "./web.mjs";

globalThis.window = globalThis;
const { Saver } = await load("saver.js");
const { Refusal } = await load("server.js");
const { TEXTS } = await load("texts.js");

/** An app whose server answers as `answer` says. */
function app(answer) {
  const sent = [], said = [];
  const made = {
    project: "p", script: { edits: [] }, sent, said, opened: 0,
    parts: { refresh: () => {} }, keyed: () => {}, complain: (sentence) => said.push(sentence), open: () => { made.opened++; },
    server: { ask: async (path, data) => { sent.push(structuredClone(data)); return answer(sent.length, data); } },
  };
  made.saver = new Saver(made);
  made.saver.opened(0);
  return made;
}
const saved = (count, data) => ({ revision: count, keys: data.edits.map(() => "k") });
const settle = async () => { for (let k = 0; k < 20; k++) await Promise.resolve(); };

test("a field is kept while one types on without a pause", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const made = app(saved);
  for (let k = 1; k <= 20; k++) {
    made.saver.draft({ first: 1, last: 1, text: "x".repeat(k), mode: "edit" });
    mock.timers.tick(100);
    await settle();
  }
  assert.ok(made.sent.length >= 5);
  assert.ok(made.sent.at(-1).draft.text.length >= 16);
  mock.timers.reset();
});

test("a field's end and its change are sent together", async () => {
  const made = app(saved);
  made.saver.draft({ first: 1, last: 1, text: "never", mode: "edit" });
  assert.equal(made.saver.undraft(), true);
  made.script.edits = [{ after: 0, tokens: [1], text: "never", take: null, accepted: false, cut: null }];
  made.saver.save();
  await settle();
  assert.equal(made.sent.length, 1);
  assert.equal(made.sent[0].draft, null);
  assert.equal(made.sent[0].edits[0].text, "never");
  assert.equal(made.script.edits[0].key, "k");
});

test("without a server it tries again until it is back", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const made = app((count, data) => { if (count < 4) throw new Refusal("", 0); return saved(count, data); });
  made.saver.save();
  await settle();
  assert.equal(made.saver.state, TEXTS.offline);
  for (let k = 0; k < 4; k++) { mock.timers.tick(2000); await settle(); }
  assert.equal(made.sent.length, 4);
  assert.equal(made.saver.state, TEXTS.saved);
  await made.saver.settled();
  mock.timers.reset();
});

test("a project that was changed elsewhere is opened anew", async () => {
  const made = app(() => { throw new Refusal("Another window", 409); });
  made.saver.save();
  await settle();
  assert.deepEqual([made.said, made.opened], [["Another window"], 1]);
});
