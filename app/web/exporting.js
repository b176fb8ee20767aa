// What is taken home: it waits for what is being made and listened to, and says for what.

import { TEXTS, named, tell } from "./texts.js";

export class Exporting {
  /** @param {import("./state.js").State} state @param {import("./saver.js").Saver} saver @param {import("./sound/film.js").Film} film */
  constructor(state, saver, film) {
    this.state = state;
    this.script = state.script;
    this.saver = saver;
    this.film = film;
    /** @type {{part: string, begun: boolean}|null} */
    this.wanted = null;
  }

  /** One part of what can be taken home, "" for everything; once more ends the waiting. @param {string} part */
  async export(part) {
    if (this.wanted) return this.stopExport();
    this.state.finish();
    const wanted = this.wanted = { part, begun: false };
    this.state.refresh();
    await this.saver.settled();
    if (this.wanted === wanted) this.exportNext();
  }

  stopExport() {
    this.wanted = null;
    this.state.refresh();
  }

  /** The server may have been started anew meanwhile: it is asked once more. */
  resume() {
    if (!this.wanted?.begun) return;
    this.wanted.begun = false;
    this.exportNext();
  }

  get hasFilm() { return !this.film.host.hidden; }

  /** What a part waits for, "" for nothing: the sound is there before every word is known. @param {string} part */
  waitsFor(part) {
    const waiting = this.script.places().filter(({ edit }) => this.script.stateOf(edit) === "making").length;
    if (waiting) return tell(TEXTS.waits_made, TEXTS.edits(waiting));
    const { listening } = this.state;
    return !["audio", "film"].includes(part) && listening && !listening.done && !listening.problem ? tell(TEXTS.waits_heard, Math.round(100 * listening.share)) : "";
  }

  /** Something was made, or listened to. */
  async exportNext() {
    const { state, wanted } = this;
    state.refresh();
    if (!wanted || wanted.begun || this.saver.pending) return;
    const failed = this.script.places().find(({ edit }) => this.script.stateOf(edit) === "failed");
    const problem = failed ? tell(TEXTS.export_failed, named(this.script, failed.edit) || this.script.tokens.slice(failed.first, failed.last).map(({ text }) => text).join(" ")) : wanted.part === "film" && !this.waitsFor(wanted.part) && this.film.problem;
    if (problem) {
      this.stopExport();
      state.complain(problem);
    } else if (!this.waitsFor(wanted.part)) {
      wanted.begun = true;
      await state.ask("export", { part: wanted.part, kind: state.settings.kind, loudness: state.settings.loudness, muted: [...state.muted], film: wanted.part === "film" }, () => this.stopExport());
    }
    state.refresh();
  }

  /** It is ready. */
  fetchExport() {
    if (!this.wanted) return;
    const link = document.createElement("a");
    link.href = `${this.state.server.root}/projects/${this.state.project}/download?part=${this.wanted.part}`;
    link.download = "";
    this.stopExport();
    document.body.append(link);
    link.click();
    link.remove();
  }
}
