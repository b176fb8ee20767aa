// What changes something besides the script is kept until the server has confirmed it, and sent again.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { disk, load, settle } from "./web.mjs";

const { Requests } = await load("requests.js");
const { Refusal } = await load("server.js");

beforeEach(() => disk.requests.clear());

/** A server that answers with these statuses, one after the other. */
function server(...statuses) {
  const sent = [];
  return { sent, async upload(file) { sent.push(file.name); return "u"; }, async ask(path, data) {
    sent.push([path, data.name, data.upload]);
    const status = statuses.shift() ?? 200;
    if (status !== 200) throw new Refusal(status >= 400 && status < 500 ? "No." : "", status);
    return { done: true };
  } };
}

test("a rename and a file are sent until they arrive, and kept meanwhile", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const told = [], one = server(0, 502), made = new Requests(one, (sentence) => told.push(sentence));
    const answer = made.send({ project: "p", name: "recordings", data: { name: "New" }, file: { name: "a.wav" } });
    await settle();
    assert.deepEqual([disk.requests.size, told.length], [1, 1]);
    mock.timers.tick(500);
    await settle();
    made.wake();
    assert.deepEqual(await answer, { done: true });
    assert.deepEqual(one.sent, [1, 2, 3].flatMap(() => ["a.wav", ["/projects/p/recordings", "New", "u"]]));
    assert.deepEqual([disk.requests.size, told.length], [0, 1]);
  } finally { mock.timers.reset(); }
});

test("what is refused is said and not kept", async () => {
  const made = new Requests(server(400), () => {});
  await assert.rejects(made.send({ project: "p", name: "rename", data: {} }), { message: "No." });
  assert.equal(disk.requests.size, 0);
});

test("what a window that is gone has left is sent by the next one", async () => {
  new Requests(server(...Array(99).fill(0)), () => {}).send({ project: "p", name: "names", data: { name: "Anna" } });
  await settle();
  const next = server();
  await new Requests(next, () => {}).flush();
  assert.deepEqual(next.sent, [["/projects/p/names", "Anna", undefined]]);
  assert.equal(disk.requests.size, 0);
  setTimeout(() => process.exit(0)); // the first window tries on
});
