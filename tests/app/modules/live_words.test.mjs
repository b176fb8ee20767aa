// What is said is sent while it is said, in its order, and a server that fails takes nothing but the words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, settle } from "./web.mjs";

const { LiveWords } = await load("start/live_words.js");
const RATE = 8000, block = () => new Float32Array(400).fill(0.25);

/** Answers, once it may, with the number of samples as a word. */
function slow() {
  const sent = [], waiting = [];
  return {
    sent,
    go: async () => { while (waiting.length) { waiting.shift()(); await settle(); } },
    async ask(path, data) {
      if (path === "/live") return { id: "n" };
      const count = Buffer.from(data.samples, "base64").length / 2;
      sent.push([path, count, data.last]);
      await new Promise((done) => waiting.push(done));
      return { final: [[String(count), 0, 1]], provisional: [["perhaps", 1, 2]], late: true };
    },
  };
}

test("one request at a time, of five seconds at most, until everything is heard", async () => {
  const server = slow(), shown = [];
  const live = new LiveWords(server, RATE, (...words) => shown.push(words));
  for (let k = 0; k < 240; k++) { live.hear(block()); await settle(); } // twelve seconds
  assert.deepEqual(server.sent, [["/live/n", 2400, false]]);
  const ended = live.end();
  await server.go();
  const words = (await ended).map(([word]) => word);
  assert.deepEqual(server.sent.map(([, count]) => count), [2400, 40_000, 40_000, 240 * 400 - 82_400]);
  assert.deepEqual(server.sent.map(([, , last]) => last), [false, false, false, true]);
  assert.deepEqual(words, server.sent.map(([, count]) => String(count)));
  assert.deepEqual(shown[0], ["2400", "perhaps", true]);
});

test("without an answer the recording goes on without words", async () => {
  const live = new LiveWords({ ask: () => Promise.reject(new Error()) }, RATE, () => assert.fail());
  for (let k = 0; k < 20; k++) { live.hear(block()); await settle(); }
  assert.equal(live.blocks.length < 20, true);
  assert.deepEqual(await live.end(), []);
});
