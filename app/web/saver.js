// Keeps the server's list of edits the same as the page's, whatever happens in between.

import { TEXTS } from "./texts.js";
import { forget, keep, unsent } from "./unsent.js";

const PATIENCE = 1500; // milliseconds until another try
const DRAFT = 300; // milliseconds until what stands in the field is kept, however long one types on

/** What is sent of an edit. @param {import("./script.js").Edit} edit */
const sent = ({ after, tokens, text, take, accepted, cut }) => ({ after, tokens, text, take, accepted, cut: cut && { kind: cut.kind, action: cut.action, start: cut.start, end: cut.end } });

export class Saver {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.dirty = false;
    this.state = "";
    this.revision = 0;
    this.waiting = [];
    this.drafted = null;
  }

  opened(revision) {
    this.revision = revision;
    this.dirty = false;
  }

  /** Whether the server answers. */
  reached(answers) {
    if (answers && this.state === TEXTS.offline) this.#tell(this.dirty ? TEXTS.saving : "");
    if (!answers) this.#tell(TEXTS.offline);
  }

  heard(revision) {
    if (revision > this.revision && !this.dirty && !this.busy) this.app.open(this.app.project);
  }

  #tell(state) {
    this.state = state;
    this.app.parts.refresh();
  }

  save() {
    this.dirty = true;
    keep(this.app.project, this.#script());
    this.#send();
  }

  /** What is to be sent. */
  #script() {
    return { revision: this.revision, draft: this.drafted, settings: window.a3tSettings || {}, edits: this.app.script.edits.map(sent) };
  }

  /**
   * What this browser kept of a project and the server never had; null if there is nothing.
   * @param {any} state the server's
   */
  async left(state) {
    const kept = await unsent(state.id);
    if (!kept) return null;
    const told = (edits) => JSON.stringify(edits.map(sent));
    if (told(kept.edits) === told(state.edits) && (kept.draft?.text || "") === (state.draft?.text || "")) { forget(state.id); return null; }
    return { ...kept, isNext: kept.revision === state.revision };
  }

  /** What was kept is not wanted any more. */
  drop() { forget(this.app.project); }

  /** What stands in the field, so that nothing typed is lost: {first, last, text, mode}. */
  draft(draft) {
    this.drafted = draft;
    if (this.state !== TEXTS.offline) this.#tell(TEXTS.saving);
    this.timer = this.timer || setTimeout(() => { this.timer = 0; this.save(); }, DRAFT);
  }

  /**
   * The field is gone. Whoever calls this saves what becomes of what stood there, so that one of
   * both is always kept; returns whether there was anything.
   */
  undraft() {
    clearTimeout(this.timer);
    this.timer = 0;
    const drafted = this.drafted !== null;
    this.drafted = null;
    return drafted;
  }

  async #send() {
    if (this.busy || !this.dirty) return;
    this.busy = true;
    this.dirty = false;
    const { app } = this;
    const { project } = app, edits = app.script.edits;
    if (this.state !== TEXTS.offline) this.#tell(TEXTS.saving);
    try {
      const told = await app.server.ask(`/projects/${project}/script`, this.#script());
      this.revision = told.revision;
      edits.forEach((edit, k) => { edit.key = told.keys[k]; });
      if (!this.dirty) forget(project);
      this.#tell(this.dirty || this.timer ? TEXTS.saving : TEXTS.saved);
      app.keyed();
    } catch (error) {
      if (error.status === 409) { this.busy = false; app.complain(error.message); return app.open(project); }
      if (error.status) { forget(project); app.complain(error.message); }
      else {
        this.dirty = true;
        this.#tell(TEXTS.offline);
        setTimeout(() => this.#send(), PATIENCE);
      }
    }
    this.busy = false;
    if (this.dirty && this.state !== TEXTS.offline) this.#send();
    else if (!this.dirty) for (const done of this.waiting.splice(0)) done();
  }

  /** When everything is saved. */
  settled() {
    return this.busy || this.dirty ? new Promise((done) => this.waiting.push(done)) : Promise.resolve();
  }
}
