// Windows on one project of a server that takes steps as the real one does, without a page.

import { load } from "./web.mjs";

const { Editing } = await load("editing.js");
const { State } = await load("state.js");
const { Saver } = await load("saver.js");
const { Refusal } = await load("server.js");
const { applied } = await load("script/steps.js");

/** What is done in a window, without what shows it. */
export class Window extends State {
  constructor(server, project) {
    super(server);
    this.project = project;
    this.saver = new Saver(this, (edits) => this.editing.adopt(edits));
    this.editing = new Editing(this, this.saver, { playEdit() {} }, {});
  }
}

/** `refuses` is the status of every answer to what is sent; 0 for none at all. */
export class FakeServer {
  constructor() {
    this.refuses = 200;
    this.revision = 0;
    this.edits = [];
    this.seen = {};
    this.sent = [];
    this.corrections = [];
    this.windows = [];
  }

  async ask(path, data) {
    if (this.refuses !== 200 && (data || !this.refuses)) throw new Refusal(this.refuses ? "The disk is full." : "", this.refuses);
    if (data) {
      this.sent.push(structuredClone(data));
      for (const { n, correct, ...step } of data.steps) {
        if (n <= (this.seen[data.page] || 0)) continue;
        this.seen[data.page] = n;
        this.corrections.push(...(correct || []).map(({ text }) => text));
        this.edits = applied(step, this.edits);
      }
      this.revision++;
      if (data.draft !== undefined) this.draft = data.draft;
    }
    return structuredClone({ revision: this.revision, edits: this.edits.map((edit) => ({ ...edit, key: edit.text })), takes: {}, failures: {}, making: [] });
  }

  /** A window that shows the project, for the first time or again. */
  async window(words = "And you always want to see it in the end") {
    const made = new Window(this, "p");
    made.script.setTokens(words.split(" ").map((word, k) => [k, word, k, k + 0.4, 1, 0]));
    made.reload = () => this.ask("").then((told) => { if (told.revision >= made.saver.revision) made.editing.adopt(made.saver.opened(told)); }, () => {});
    made.texts = () => made.script.edits.map((edit) => edit.text).sort();
    await made.saver.flush();
    if (this.refuses) await made.reload();
    this.windows.push(made);
    return made;
  }

  /** Tells every window that the project was saved. */
  tell() { for (const each of this.windows) each.saver.heard(this.revision); }
}
