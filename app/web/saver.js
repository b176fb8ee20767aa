// Sends what is done to the script, step by step, until the server has confirmed it.

import { applied } from "./script/steps.js";
import { TEXTS, tell } from "./texts.js";
import { forget, keep, kept } from "./unsent.js";

/** @import { Change, Correction, Draft, Edit, SavedScript, SentScript, Step, UntoldEdit } from "./records" */
/** @typedef {SentScript & {project: string|null}} Unsent */

const PATIENCE = 500, LONGEST = 2000; // milliseconds until another try, twice as long each time
const DRAFT = 300; // milliseconds until what stands in the field is kept, however long one types on

/** What is sent of an edit. @param {Change} edit @returns {Change} */
const sent = ({ after, tokens, text, take, accepted, cut, recorded, at, rivals, take_of = "" }) => ({ after, tokens, text, take, accepted, take_of, at, rivals: rivals?.length ? rivals.map(sent) : undefined, recorded: recorded || undefined, cut: cut && { kind: cut.kind, action: cut.action, start: cut.start, end: cut.end } });

export class Saver {
  /** @param {import("./state.js").State} state @param {(edits: UntoldEdit[]) => void} adopt shows another list of edits */
  constructor(state, adopt) {
    this.state = state;
    this.adopt = adopt;
    /** @type {(() => void)[]} */
    this.waiting = [];
    /** @type {Step<Change>[]} the steps of windows that are gone, which go before this one's */
    this.left = [];
    this.busy = false;
    /** @type {ReturnType<typeof setTimeout>|0|undefined} */
    this.timer = 0;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.retry = undefined;
    /** Whose steps are counted: this window's, while it shows one project. */
    this.page = "";
    this.count = 0;
    /** @type {Correction[]} the corrections that the server has not carried out */
    this.correcting = [];
    /** @type {Step<Change>[]} those that the server has not confirmed */
    this.steps = [];
    this.dirty = false; // whether there is more to be sent: the field, the settings
    /** @type {Draft|null|undefined} what stands in the field; null once it is gone, undefined if there was none */
    this.drafted = undefined;
    this.status = "";
    this.tries = this.revision = this.known = 0;
    this.ahead = 0; // seconds that the server's clock is ahead of this one
    this.leave();
  }

  /** A project is shown; the list is the server's, with what it has not been told yet. @param {{revision: number, edits: Edit[], corrections?: Correction[], now?: number}} told */
  opened({ revision, edits, corrections = [], now = Date.now() / 1000 }) {
    this.ahead = now - Date.now() / 1000;
    this.revision = revision;
    this.correcting = corrections;
    this.known = Math.max(this.known, revision);
    return this.merged(edits);
  }

  /** A project is left. What its server was not told is kept. */
  leave() {
    clearTimeout(this.timer || undefined);
    clearTimeout(this.retry);
    const page = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    Object.assign(this, { page, count: 0, correcting: [], steps: [], dirty: false, drafted: undefined, status: "", timer: 0, tries: 0, revision: 0, known: 0, ahead: 0 });
    for (const done of this.waiting.splice(0)) done();
  }

  get pending() { return this.busy || this.dirty || this.steps.length > 0 || (!!this.state.project && this.left.length > 0); }

  /** The time by the server's clock, seconds. */
  get now() { return Date.now() / 1000 + this.ahead; }

  /** A list of the server's with the steps that it has not taken. @param {UntoldEdit[]} edits */
  merged(edits) {
    return [...this.left, ...this.steps].reduce((list, step) => (step.come ? applied(step, list) : list), edits);
  }

  /** The corrections that the words have not had yet. */
  get corrections() { return [...this.correcting, ...[...this.left, ...this.steps].flatMap(({ correct }) => correct || [])]; }

  /** Whether the server answers. @param {boolean} answers */
  reached(answers) {
    if (!answers) return this.#tell(TEXTS.offline);
    if (this.status === TEXTS.offline) this.#tell(this.pending ? TEXTS.saving : "");
    this.tries = 0;
    this.flush();
    this.#send();
  }

  /** The project was saved, by this window or another one. @param {number} revision */
  heard(revision) {
    this.known = Math.max(this.known, revision);
    if (this.known > this.revision && !this.busy) this.state.reload();
  }

  /** @param {string} status */
  #tell(status) {
    this.status = status;
    this.state.refresh();
  }

  /** Sends a step that was taken; the step with its name. @param {Step} step @returns {Step} */
  push(step) {
    for (const edit of step.come) edit.at = edit.at || this.now;
    this.steps.push({ ...step, gone: step.gone.map(sent), come: step.come.map(sent), n: ++this.count });
    this.save();
    return { ...step, name: `${this.page} ${this.count}` };
  }

  save() {
    this.dirty = true;
    keep("unsent", `${this.state.project} ${this.page}`, { project: this.state.project, ...this.#script() });
    this.#send();
  }

  /** What is to be sent. @returns {SentScript} */
  #script() {
    return { page: this.page, steps: this.steps, draft: this.drafted, settings: this.state.settings };
  }

  /** The script as the server has it after this, or the error. @param {string|null} project @param {SentScript} script @returns {Promise<SavedScript & {error?: undefined}|{error: import("./server.js").Refusal}>} */
  #told(project, script) {
    return this.state.server.ask(`/projects/${project}/script`, script).catch((/** @type {import("./server.js").Refusal} */ error) => ({ error }));
  }

  /**
   * Sends what windows that are gone have left here; one that lives sends it as well, to no harm. What of `shown` the
   * server doesn't take now is shown meanwhile, and goes before what is done later; the error, if there is one.
   */
  async flush(shown = this.state.project) {
    /** @type {Step<Change>[]} */
    const left = [];
    let problem = null;
    for (const [key, { project, ...script }] of /** @type {[string, Unsent][]} */ (await kept("unsent"))) {
      if (script.page === this.page) continue;
      const error = script.steps && (await this.#told(project, script)).error;
      if (!error) await forget("unsent", key);
      else if (project === shown && !(error.status >= 400 && error.status < 500)) {
        left.push(...script.steps);
        problem = error;
      }
    }
    this.left = left;
    return problem;
  }

  /** What stands in the field, so that nothing typed is lost. @param {Draft} draft */
  draft(draft) {
    this.drafted = draft;
    if (this.status !== TEXTS.offline) this.#tell(TEXTS.saving);
    this.timer = this.timer || setTimeout(() => { this.timer = 0; this.save(); }, DRAFT);
  }

  /**
   * The field is gone. Whoever calls this saves what becomes of what stood there, so that one of
   * both is always kept; returns whether there was anything.
   */
  undraft() {
    clearTimeout(this.timer || undefined);
    this.timer = 0;
    const drafted = !!this.drafted;
    if (drafted) this.drafted = null;
    return drafted;
  }

  async #send() {
    const { page } = this, { project } = this.state;
    if (this.busy || !project || !this.pending) return;
    clearTimeout(this.retry);
    this.busy = true;
    this.dirty = false;
    const script = this.#script(), last = this.count;
    if (!this.tries) this.#tell(TEXTS.saving);
    const problem = this.left.length ? await this.flush() : null;
    const told = problem ? { error: problem } : await this.#told(project, script);
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

  /** @param {SavedScript} told @param {SentScript} sent @param {number} last the number of its last step */
  #confirmed({ revision, edits, corrections, now, refused = [] }, { draft }, last) {
    const { state } = this, isNext = revision === this.revision + 1;
    this.tries = 0;
    this.steps = this.steps.filter(({ n = 0 }) => n > last);
    for (const n of refused) state.history.drop(`${this.page} ${n}`);
    if (draft === null && this.drafted === null) this.drafted = undefined;
    if (!this.pending) forget("unsent", `${state.project} ${this.page}`);
    this.#tell(this.pending || this.timer ? TEXTS.saving : TEXTS.saved);
    if (revision > this.revision) this.adopt(this.opened({ revision, edits, corrections, now }));
    state.render();
    if (!isNext || this.known > this.revision) state.reload();
  }

  /** When everything is saved, or another project is shown. @returns {Promise<void>} */
  settled() {
    return this.pending ? new Promise((done) => { this.waiting.push(done); }) : Promise.resolve();
  }
}
