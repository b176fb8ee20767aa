// Two windows on one project of a real server: random steps, near enough to each other to be made
// as one, while they are loaded again, lose the network, or are refused, and the server is killed ("kill" is printed, and a line awaited). Prints what both show.

import { createInterface } from "node:readline/promises";
import { disk, load } from "./web.mjs";
import { Window } from "./windows.mjs";

const { Server, Refusal } = await load("server.js");
const [address, project, cookie, count, kills, chance, file, said] = process.argv.slice(2);
/** What another recording says. @type {import("../../../app/web/script/recorded.js").Word[]} */
const other = said.split(" ").map((text, id) => ({ text, id, file }));
const killed = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
let seed = Number(chance);
const random = (below) => { seed = (seed * 48271) % 2147483647; return seed % below; };
const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** The server through one window's network. */
class Network extends Server {
  refuses = 200; // with this status: 0 for no network; others refuse what is to be changed alone
  async reach(path, given = {}) {
    if (this.refuses !== 200 && (!this.refuses || given.method)) throw new Refusal("No room.", this.refuses);
    return super.reach(path, { ...given, headers: { ...given.headers, cookie } });
  }
}

/** @type {Record<string, number>} the last step of each page */
const last = {};
/** @type {object[]} every step that was taken, in either window */
const taken = [];
async function opened() {
  const made = new Window(new Network(address), project), push = made.saver.push.bind(made.saver);
  made.saver.push = (step) => {
    const told = push(step);
    taken.push(structuredClone(made.saver.steps.at(-1)));
    return told;
  };
  made.reload = async () => {
    const state = await made.server.ask(`/projects/${project}`).catch(() => null);
    if (!state) return;
    made.script.setTokens(state.tokens);
    if (state.revision >= made.saver.revision) made.editing.adopt(made.saver.opened(state));
  };
  for (;;) {
    await made.saver.flush();
    await made.reload();
    if (made.script.tokens.length) return made;
    await wait(100);
  }
}

const windows = [await opened(), await opened()];
for (let n = 0; n < Number(count); n++) {
  const which = n % 2, made = windows[which], { edits, tokens } = made.script;
  const edit = edits[random(edits.length || 1)], first = random(tokens.length);
  const until = Math.min(tokens.length, first + 1 + random(3)), to = random(tokens.length + 1);
  /** @param {import("../../../app/web/script/recorded.js").Word[]} words */
  const paste = (words) => {
    const there = made.script.words(to, to), all = [...words, ...there];
    if (words.length && all.length < 20) made.editing.write(to, to, all.map(({ text }) => text).join(" "), false, all);
  };
  switch (random(17)) {
    case 0: case 1: made.editing.undo(); break;
    case 2: made.editing.redo(); break;
    case 3: if (edit) made.editing.accept(edit, !edit.accepted); break;
    case 4: if (!made.script.placeAt(first)) made.editing.correct([first, first + 1, ["see", "want", "degree", "the"][random(4)]]); break;
    case 5: made.server.refuses = made.server.refuses === 200 ? [0, 502, 507][random(3)] : 200; break;
    case 6: if (!random(4)) { last[made.saver.page] = made.saver.count; windows[which] = await opened(); } break;
    case 7: await made.reload(); break;
    case 8: if (edit) made.editing.choose(edit, random(2), null); break;
    case 9: case 10: { // moved, or copied
      const words = made.script.words(...made.script.widened(first, until));
      if (random(2)) made.editing.write(first, until, "");
      paste(words);
      break;
    }
    case 11: paste(other.slice(first, first + 1 + random(4))); break;
    case 12: {
      const edit = { after: first ? tokens[first - 1].id : -1, tokens: [tokens[first].id], text: "[pause 0.3]", take: null, accepted: false, key: null, cut: null };
      if (made.script.isFree(edit)) made.editing.takeOut([edit]);
      break;
    }
    default: made.editing.write(first, Math.min(tokens.length, first + random(3)), ["never", "often", "seldom", "they", "rarely"][random(5)]);
  }
  if ((n + 1) % Math.ceil(Number(count) / (Number(kills) + 1)) === 0 && n + 1 < Number(count)) { console.log("kill"); await killed.next(); }
  await wait(random(40));
}
for (const [which, made] of windows.entries()) { // each leaves a change, at either end
  const at = which ? made.script.tokens.length - 1 : 0;
  made.editing.write(at, at + 1, which ? "rarely" : "never");
  made.server.refuses = 200;
  made.saver.reached(true);
  await made.saver.settled();
  last[made.saver.page] = made.saver.count;
  await made.saver.flush();
}
console.log("done"); // and every correction is awaited
await killed.next();
for (const made of windows) await made.reload();
const shown = windows.map((made) => [made.script.tokens.map(({ id, text }) => [id, text]), made.script.edits.map((edit) => [edit.key, edit.take, edit.accepted, edit.made, made.script.isOwn(edit)])]);
const told = JSON.stringify({ shown, last, taken, kept: disk.unsent.size });
process.stdout.write(`${told}\n`, () => process.exit(0)); // a long line leaves a pipe in parts
