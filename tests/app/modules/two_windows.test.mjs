// Random steps in two windows, often without a network: both end alike, and nothing typed is lost.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load, settle } from "./web.mjs";
import { FakeServer } from "./windows.mjs";

const { Refusal } = await load("server.js");
const { nameOf } = await load("script/steps.js");
const TEXT = "And you always want to see it in the superlative degree", TYPED = ["never", "often", "seldom", "they", "rarely"];

/** A window behind a network of its own, whose steps are kept in `taken`. */
async function opened(server, taken) {
  const made = await server.window(TEXT), push = made.saver.push.bind(made.saver);
  made.refuses = 200;
  made.server = { async ask(path, data) {
    if (made.refuses !== 200 && (data || !made.refuses)) throw new Refusal("No room.", made.refuses);
    return server.ask(path, data);
  } };
  made.reload = () => made.server.ask("").then((told) => { if (told.revision >= made.saver.revision) made.editing.adopt(made.saver.opened(told)); }, () => {});
  made.saver.push = (step) => {
    const told = push(step);
    taken.push(structuredClone(made.saver.steps.at(-1)));
    return told;
  };
  return made;
}

function act(made, random) {
  const { edits, tokens } = made.script, edit = edits[random(edits.length || 1)], first = random(tokens.length), until = Math.min(tokens.length, first + 1 + random(3)), to = random(tokens.length + 1);
  switch (random(12)) {
    case 0: case 1: return made.editing.undo();
    case 2: return made.editing.redo();
    case 3: return edit && made.editing.accept(edit, !edit.accepted);
    case 4: return edit && made.editing.choose(edit, random(2), null);
    case 5: made.refuses = made.refuses === 200 ? [0, 502, 507][random(3)] : 200; return;
    case 6: case 7: { // moved, or copied
      const words = made.script.words(...made.script.widened(first, until));
      if (random(2)) made.editing.write(first, until, "");
      const all = [...words, ...made.script.words(to, to)];
      return words.length && all.length < 20 && made.editing.write(to, to, all.map(({ text }) => text).join(" "), false, all);
    }
    default: made.editing.write(first, Math.min(tokens.length, first + random(3)), TYPED[random(TYPED.length)]);
  }
}

for (let run = 1; run <= 3; run++) {
  test(`of 200 random steps in two windows nothing is lost: ${run}`, async () => {
    let seed = 7919 * run + 1;
    const random = (below) => { seed = (seed * 48271) % 2147483647; return seed % below; };
    const server = new FakeServer(), taken = [], windows = [await opened(server, taken), await opened(server, taken)];
    for (let n = 0; n < 200; n++) {
      act(windows[n % 2], random);
      if (random(3)) continue;
      await settle();
      server.tell();
      await settle();
    }
    for (const made of windows) {
      made.refuses = 200;
      made.saver.reached(true);
      await made.saver.settled();
    }
    for (const made of windows) await made.reload();
    const [shown, other] = windows.map((made) => made.script.edits.map(nameOf));
    assert.deepEqual(shown, other);
    const known = [...server.edits, ...taken.flatMap(({ gone }) => gone)].flatMap((change) => [change, ...(change.rivals || [])]).map(nameOf);
    assert.deepEqual(taken.flatMap(({ come }) => come).filter((change) => !known.includes(nameOf(change))), []);
    for (const made of windows) made.saver.leave();
  });
}
