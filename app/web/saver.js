// Keeps the server's list of edits the same as the page's, whatever happens in between.

import { TEXTS } from "./texts.js";

const PATIENCE = 1500; // milliseconds until another try
const DRAFT = 300; // milliseconds after a key until what stands in the field is kept

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
    this.#send();
  }

  /** What stands in the field, so that nothing typed is lost: {first, last, text}, or null. */
  draft(draft) {
    clearTimeout(this.timer);
    if (draft === null && this.drafted === null) return;
    this.drafted = draft;
    if (draft === null) this.save();
    else this.timer = setTimeout(() => this.save(), DRAFT);
  }

  async #send() {
    if (this.busy || !this.dirty) return;
    this.busy = true;
    this.dirty = false;
    const { app } = this;
    const { project } = app, edits = app.script.edits;
    if (this.state !== TEXTS.offline) this.#tell(TEXTS.saving);
    try {
      const told = await app.server.ask(`/projects/${project}/script`, {
        revision: this.revision, draft: this.drafted, settings: window.a3tSettings || {},
        edits: edits.map(({ after, tokens, text, take, accepted, cut }) => ({ after, tokens, text, take, accepted, cut })),
      });
      this.revision = told.revision;
      edits.forEach((edit, k) => { edit.key = told.keys[k]; });
      this.#tell(this.dirty ? TEXTS.saving : TEXTS.saved);
      app.keyed();
    } catch (error) {
      if (error.status === 409) { this.busy = false; app.complain(error.message); return app.open(project); }
      if (error.status) app.complain(error.message);
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
