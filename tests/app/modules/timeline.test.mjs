// What is played, and the axis that the original and the edit share.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./web.mjs";

const { Timeline } = await load("sound/timeline.js");
const { Transport } = await load("sound/transport.js");
const { History } = await load("script/history.js");
const { TEXTS, clock, tell } = await load("texts.js");

const EDIT = {};
const patch = (first, last, length) => ({ source: [first, last], length, take: "t", from: 0, edit: EDIT });

test("pieces play every sample of the edit once, in order", () => {
  const line = new Timeline(1000, [patch(100, 200, 50), patch(400, 400, 80), patch(600, 700, 0)]);
  assert.equal(line.length, 1000 - 50 + 80 - 100);
  let out = 0;
  for (const piece of line.pieces()) { assert.equal(piece.out, out); out += piece.length; }
  assert.equal(out, line.length);
  assert.deepEqual(line.pieces().map(({ take }) => take), [null, "t", null, "t", null, null]);
});

test("outside the changes a place and its image are the same sample, there and back", () => {
  const line = new Timeline(1000, [patch(100, 200, 50), patch(400, 400, 80), patch(600, 700, 0)]);
  for (let source = 0; source < 1000; source += 7) {
    if ((source >= 100 && source < 200) || (source >= 600 && source < 700)) continue;
    assert.equal(line.sourceOf(line.outOf(source)), source);
  }
});

test("every conversion keeps the order of places", () => {
  const line = new Timeline(1000, [patch(100, 200, 150), patch(400, 400, 80), patch(600, 700, 10)]);
  for (const [from, size] of [["source", 1000], ["out", line.length], ["at", line.axis]]) {
    for (const to of ["source", "out", "at"]) {
      let before = -1;
      for (let place = 0; place <= size; place += 5) {
        const image = line.convert(from, to, place);
        assert.ok(image >= before, `${from} ${place} → ${to}`);
        before = image;
      }
    }
  }
});

test("the axis has room for the longer of both", () => {
  const line = new Timeline(1000, [patch(100, 200, 150), patch(600, 700, 10)]);
  assert.equal(line.axis, 1000 + 50);
  assert.deepEqual(line.spanOf(EDIT), [100, 660]);
});

test("steps are taken back and forth, and a new one ends what was undone", () => {
  const history = new History();
  const taken = [];
  history.take = (step) => { taken.push([step.now.marks, step.undo || step.redo]); return step; };
  const step = (name, marks) => ({ gone: [], come: [], was: { marks: !marks }, now: { marks }, label: name, name });
  for (const name of ["1", "2", "3"]) history.add(step(name, true));
  assert.equal(history.undo(), "3");
  assert.equal(history.redo(), "3");
  assert.deepEqual(taken, [[false, "3"], [true, "3"]]);
  history.undo();
  history.undo();
  history.drop("1");
  history.add(step("9", true));
  assert.equal(history.redo(), null);
  assert.deepEqual(history.done.map(({ name }) => name), ["9"]);
});

test("times and sentences", () => {
  assert.equal(clock(3723), "1:02:03");
  assert.equal(clock(59.95, true), "0:59.9");
  assert.equal(tell("{} of {}", 1, 2), "1 of 2");
  assert.equal(TEXTS.edits(1), "1 change");
});

test("a change that is made while its sound can't be fetched stops what plays, and says so", async () => {
  const transport = new Transport({ bytes: async () => { throw new Error("no network"); } }), told = [];
  transport.open("p", { sample_rate: 100, channels: 1, samples: 1000 });
  transport.timeline = new Timeline(1000);
  const param = { value: 1, cancelScheduledValues() {}, setValueAtTime() {}, linearRampToValueAtTime() {} };
  transport.run = { context: { currentTime: 0 }, gain: { gain: param, disconnect() {} }, nodes: [], scheduled: [], speed: 1, at: 0, next: 100 };
  await new Promise((done) => {
    transport.failed = () => { told.push("failed"); done(); };
    transport.setTimeline(new Timeline(1000, [patch(100, 200, 50)]));
  });
  assert.deepEqual([told, transport.playing], [["failed"], false]);
});
