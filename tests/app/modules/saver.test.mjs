// What is done is sent step by step, kept until the server has confirmed it, and merged with what other windows do.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { disk, load, settle } from "./web.mjs";
import { FakeServer } from "./windows.mjs";

const { TEXTS } = await load("texts.js");
const { Refusal } = await load("server.js");

beforeEach(() => disk.unsent.clear());
const clocked = (does) => async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try { await does(async (seconds) => { for (let k = 0; k < 4 * seconds; k++) { mock.timers.tick(250); await settle(); } }); } finally { mock.timers.reset(); }
};

test("a field is kept while one types on without a pause", clocked(async (wait) => {
  const server = new FakeServer(), made = await server.window();
  for (let k = 1; k <= 20; k++) {
    made.saver.draft({ first: 1, last: 1, text: "x".repeat(k), mode: "edit" });
    await wait(0.25);
  }
  assert.ok(server.sent.length >= 5);
  assert.ok(server.draft.text.length >= 16);
}));

test("a field's end and its change are sent together", async () => {
  const server = new FakeServer(), made = await server.window();
  made.saver.draft({ first: 1, last: 1, text: "never", mode: "edit" });
  made.editing.write(2, 3, "never");
  await settle();
  assert.equal(server.sent.length, 1);
  assert.equal(server.sent[0].draft, null);
  assert.deepEqual([made.script.edits[0].text, made.script.edits[0].key], ["never", "never"]);
});

for (const status of [0, 409, 422, 502]) {
  test(`after the answer ${status} a change is kept and tried again until it is confirmed`, clocked(async (wait) => {
    const server = new FakeServer(), made = await server.window();
    server.refuses = status;
    made.editing.write(2, 3, "never");
    await settle();
    assert.equal(disk.unsent.size, 1);
    assert.ok(made.saver.status.startsWith(status ? TEXTS.unsaved.slice(0, 10) : TEXTS.offline), made.saver.status);
    await wait(120);
    assert.equal(disk.unsent.size, 1);
    server.refuses = 200;
    await wait(31);
    assert.deepEqual(server.edits.map((edit) => edit.text), ["never"]);
    assert.equal(made.saver.status, TEXTS.saved);
    assert.equal(disk.unsent.size, 0);
    await made.saver.settled();
  }));
}

test("what a window that is gone has left is sent, once", async () => {
  const server = new FakeServer(), made = await server.window();
  server.refuses = 502;
  made.editing.write(2, 3, "never");
  made.saver.draft({ first: 5, last: 5, text: "hear", mode: "edit" });
  made.saver.save();
  await settle();
  server.refuses = 200;
  const next = await server.window();
  assert.deepEqual(next.texts(), ["never"]);
  assert.equal(server.draft.text, "hear");
  await made.saver.reached(true); // it was not gone after all
  await settle();
  assert.deepEqual([server.edits.length, disk.unsent.size], [1, 0]);
});

test("what is done earlier arrives before what is typed over it, in a window that is loaded again", clocked(async (wait) => {
  const server = new FakeServer(), gone = await server.window();
  server.refuses = 502;
  gone.editing.write(2, 3, "wealth");
  await settle();
  const made = await server.window();
  assert.deepEqual(made.texts(), ["wealth"]); // shown, though no server has it
  made.editing.write(2, 3, "treasure");
  await settle();
  server.refuses = 200;
  await wait(31);
  assert.deepEqual([server.edits.map(({ text }) => text), made.saver.status, disk.unsent.size], [["treasure"], TEXTS.saved, 0]);
  const again = await server.window();
  assert.deepEqual(again.texts(), ["treasure"]);
}));

test("a correction made offline arrives, and can be taken back before it does", clocked(async (wait) => {
  const server = new FakeServer(), made = await server.window();
  server.refuses = 0;
  made.editing.correct([5, 6, "sea"]);
  assert.equal(made.script.text, "And you always want to sea it in the end"); // shown at once
  await wait(10);
  server.refuses = 200;
  await wait(31);
  assert.deepEqual(server.corrections, ["sea"]);
  made.editing.undo();
  await settle();
  assert.deepEqual(server.corrections, ["sea", "see"]);
  assert.equal(made.script.text, "And you always want to see it in the end");
  assert.deepEqual(server.sent.at(-1).steps[0].correct, [{ after: 4, right: 6, tokens: null, text: "see", was: "sea" }]);
}));

test("to take one change back leaves the others as they are", async () => {
  const server = new FakeServer(), made = await server.window();
  made.editing.write(2, 3, "never");
  await settle();
  made.editing.write(8, 9, "an");
  const takes = () => server.edits.map(({ text, take }) => [text, take]);
  made.editing.choose(made.script.edits[0], 2, null); // another take of the first, which has been made meanwhile: a step as well
  await settle();
  made.editing.undo();
  await settle();
  assert.deepEqual(takes(), [["never", null], ["an", null]]);
  made.editing.undo();
  await settle();
  assert.deepEqual(takes(), [["never", null]]);
  made.editing.redo();
  await settle();
  assert.deepEqual(made.texts(), ["an", "never"]);
});

test("of two windows each takes back its own", async () => {
  const server = new FakeServer();
  const [a, b] = [await server.window(), await server.window()];
  a.editing.write(2, 3, "never");
  b.editing.write(5, 6, "hear"); // at the same time
  await settle();
  server.tell();
  await settle();
  assert.deepEqual([a.texts(), b.texts()], [["hear", "never"], ["hear", "never"]]);
  b.editing.accept(b.script.edits.find(({ text }) => text === "never"), true);
  await settle();
  a.editing.undo();
  await settle();
  server.tell();
  await settle();
  assert.deepEqual([a.texts(), b.texts()], [["hear"], ["hear"]]);
  a.editing.redo();
  b.editing.write(2, 3, "seldom"); // over what comes back
  await settle();
  a.editing.undo();
  await settle();
  server.tell();
  await settle();
  assert.deepEqual([a.texts(), b.texts()], [["hear", "seldom"], ["hear", "seldom"]]);
});

test("whatever two windows do, both end with the server's list", clocked(async (wait) => {
  let seed = 11;
  const random = (count) => { seed = (seed * 48271) % 2147483647; return seed % count; };
  const server = new FakeServer();
  const words = Array.from({ length: 60 }, (_, k) => `word${k}`).join(" ");
  const windows = [await server.window(words), await server.window(words)];
  for (let n = 0; n < 150; n++) {
    const which = random(2), made = windows[which], edit = made.script.edits[random(made.script.edits.length || 1)];
    const word = `w${n}`;
    switch (random(9)) {
      case 0: made.editing.undo(); break;
      case 1: made.editing.redo(); break;
      case 2: if (edit) made.editing.accept(edit, !edit.accepted); break;
      case 3: if (edit) made.editing.choose(edit, random(4), false); break;
      case 4: server.refuses = [0, 502, 200, 200][random(4)]; break;
      case 5: if (!random(4)) windows[which] = await server.window(words); break; // loaded again
      case 6: server.tell(); break;
      default: {
        const first = random(58);
        made.editing.write(first, first + random(3), word);
        assert.ok(made.texts().some((text) => text.split(" ").includes(word)), word);
      }
    }
    if (random(2)) await wait(0.25);
  }
  server.refuses = 200;
  await wait(40);
  for (const each of windows) await each.saver.flush();
  server.tell();
  await wait(40);
  for (const each of windows) await each.reload();
  const list = (edits) => edits.map(({ text, take, accepted }) => `${text} ${take} ${accepted}`).sort();
  assert.ok(server.edits.length > 1);
  for (const each of windows) assert.deepEqual(list(each.script.edits), list(server.edits));
  assert.equal(disk.unsent.size, 0);
}));

test("of two changes of one place the one that was typed later stays, and the other is kept with it, and said", async () => {
  const clock = Date.now, server = new FakeServer();
  let time = 0;
  Date.now = () => ++time * 1000;
  try {
    const [away, here] = [await server.window(), await server.window()];
    const told = [];
    away.complain = (sentence) => told.push(sentence);
    away.server = { ask: async () => { throw new Refusal("", 0); } };
    away.editing.write(2, 3, "alpha");
    await settle();
    here.editing.write(2, 3, "beta");
    await settle();
    away.server = server;
    away.saver.reached(true);
    await settle();
    server.tell();
    await settle();
    for (const window of [away, here]) {
      assert.deepEqual(window.texts(), ["beta"]);
      assert.deepEqual(window.script.edits[0].rivals.map(({ text }) => text), ["alpha"]);
    }
    assert.match(told.join(), /alpha/);
    here.editing.instead(here.script.edits[0], here.script.edits[0].rivals[0]);
    await settle();
    assert.deepEqual([here.texts(), here.script.edits[0].rivals.map(({ text }) => text)], [["alpha"], ["beta"]]);
    assert.deepEqual(server.edits.map(({ text }) => text), ["alpha"]);
  } finally { Date.now = clock; }
});

test("what can't be said is refused on every way in", async () => {
  const server = new FakeServer(), made = await server.window(), told = [];
  made.complain = (sentence) => told.push(sentence);
  made.limits.characters = 40;
  for (const text of ["…", "x".repeat(41)]) {
    made.editing.write(1, 2, text);
    made.editing.write(2, 2, text);
    made.editing.writeAll([[1, 2, "never"], [3, 4, text]]);
    made.editing.correct([1, 2, text]);
  }
  await settle();
  assert.deepEqual([made.texts(), server.corrections, told.length], [[], [], 8]);
});
