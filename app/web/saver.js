// Sends what is done to the script, step by step, until the server has confirmed it.

import { applied } from "./script/steps.js";
import { TEXTS, tell } from "./texts.js";
import { forget, keep, kept } from "./unsent.js";

const PATIENCE = 500, LONGEST = 2000; // milliseconds until another try, twice as long each time
const DRAFT = 300; // milliseconds until what stands in the field is kept, however long one types on

/** What is sent of an edit. @param {import("./script/script.js").Edit} edit */
const sent = ({ after, tokens, text, take, accepted, cut, recorded, take_of = "" }) => ({ after, tokens, text, take, accepted, take_of, recorded: recorded || undefined, cut: cut && { kind: cut.kind, action: cut.action, start: cut.start, end: cut.end } });

export class Saver {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.waiting = [];
    /** @type {any[]} the steps of windows that are gone, which go before this one's */
    this.left = [];
    this.leave();
  }

  /** A project is shown; the list is the server's, with what it has not been told yet. */
  opened({ revision, edits, corrections = [] }) {
    this.revision = revision;
    this.correcting = corrections;
    this.known = Math.max(this.known, revision);
    return this.merged(edits);
  }

  /** A project is left. What its server was not told is kept. */
  leave() {
    clearTimeout(this.timer);
    clearTimeout(this.retry);
    // Whose steps are counted: this window's, while it shows one project.
    this.page = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.count = 0;
    /** @type {any[]} the corrections that the server has not carried out */
    this.correcting = [];
    /** @type {any[]} those that the server has not confirmed */
    this.steps = [];
    this.dirty = false; // whether there is more to be sent: the field, the settings
    this.drafted = undefined; // what stands in the field; null once it is gone, undefined if there was none
    this.state = "";
    this.timer = this.tries = this.revision = this.known = 0;
    for (const done of this.waiting.splice(0)) done();
  }

  get pending() { return this.busy || this.dirty || this.steps.length > 0 || (!!this.app.project && this.left.length > 0); }

  /** A list of the server's with the steps that it has not taken. */
  merged(edits) {
    return [...this.left, ...this.steps].reduce((list, step) => (step.come ? applied(step, list) : list), edits);
  }

  /** The corrections that the words have not had yet. */
  get corrections() { return [...this.correcting, ...[...this.left, ...this.steps].flatMap(({ correct }) => correct || [])]; }

  /** Whether the server answers. */
  reached(answers) {
    if (!answers) return this.#tell(TEXTS.offline);
    if (this.state === TEXTS.offline) this.#tell(this.pending ? TEXTS.saving : "");
    this.tries = 0;
    this.flush();
    this.#send();
  }

  /** The project was saved, by this window or another one. */
  heard(revision) {
    this.known = Math.max(this.known, revision);
    if (this.known > this.revision && !this.busy) this.app.refresh();
  }

  #tell(state) {
    this.state = state;
    this.app.parts.refresh();
  }

  /** Sends a step that was taken; the step with its name. @param {import("./script/steps.js").Step} step */
  push(step) {
    this.steps.push({ ...step, gone: step.gone.map(sent), come: step.come.map(sent), n: ++this.count });
    this.save();
    return { ...step, name: `${this.page} ${this.count}` };
  }

  save() {
    this.dirty = true;
    keep("unsent", `${this.app.project} ${this.page}`, { project: this.app.project, ...this.#script() });
    this.#send();
  }

  /** What is to be sent. */
  #script() {
    return { page: this.page, steps: this.steps, draft: this.drafted, settings: this.app.settings?.values || {} };
  }

  /**
   * Sends what windows that are gone have left here; one that lives sends it as well, to no harm. What of `shown` the
   * server doesn't take now is shown meanwhile, and goes before what is done later; the error, if there is one.
   */
  async flush(shown = this.app.project) {
    const left = [];
    let problem = null;
    for (const [key, { project, ...script }] of await kept("unsent")) {
      if (script.page === this.page) continue;
      const told = script.steps ? await this.app.server.ask(`/projects/${project}/script`, script).catch((error) => ({ error })) : {};
      if (!told.error) await forget("unsent", key);
      else if (project === shown && !(told.error.status >= 400 && told.error.status < 500)) {
        left.push(...script.steps);
        problem = told.error;
      }
    }
    this.left = left;
    return problem;
  }

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
    const drafted = !!this.drafted;
    if (drafted) this.drafted = null;
    return drafted;
  }

  async #send() {
    const { app, page } = this, { project } = app;
    if (this.busy || !project || !this.pending) return;
    clearTimeout(this.retry);
    this.busy = true;
    this.dirty = false;
    const script = this.#script(), last = this.count;
    if (!this.tries) this.#tell(TEXTS.saving);
    const problem = this.left.length ? await this.flush() : null;
    const told = problem ? { error: problem } : await app.server.ask(`/projects/${project}/script`, script).catch((error) => ({ error }));
    this.busy = false;
    if (this.page !== page) {
      if (!told.error) forget("unsent", `${project} ${page}`);
    } else if (told.error) {
      this.dirty = true;
      this.#tell(told.error.status ? tell(TEXTS.unsaved, told.error.message || told.error.status) : TEXTS.offline);
      this.retry = setTimeout(() => this.#send(), Math.min(PATIENCE * 2 ** ++this.tries, LONGEST));
      return;
    } else this.#confirmed(told, script, last);
    if (this.pending) this.#send();
    else for (const done of this.waiting.splice(0)) done();
  }

  #confirmed({ revision, edits, corrections, refused = [] }, { draft }, last) {
    const { app } = this, isNext = revision === this.revision + 1;
    this.tries = 0;
    this.steps = this.steps.filter((step) => step.n > last);
    for (const n of refused) app.history.drop(`${this.page} ${n}`);
    if (draft === null && this.drafted === null) this.drafted = undefined;
    if (!this.pending) forget("unsent", `${app.project} ${this.page}`);
    this.#tell(this.pending || this.timer ? TEXTS.saving : TEXTS.saved);
    if (revision > this.revision) app.editing.adopt(this.opened({ revision, edits, corrections }));
    app.render();
    if (!isNext || this.known > this.revision) app.refresh();
  }

  /** When everything is saved, or another project is shown. */
  settled() {
    return this.pending ? new Promise((done) => this.waiting.push(done)) : Promise.resolve();
  }
}
