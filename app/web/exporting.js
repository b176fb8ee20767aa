// What is taken home: it waits for what is being made and listened to, and says for what.

import { TEXTS, tell } from "./texts.js";

export class Exporting {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.script = app.script;
    this.saver = app.saver;
    /** @type {{part: string, begun: boolean}|null} */
    this.wanted = null;
  }

  /** One part of what can be taken home, "" for everything; once more ends the waiting. @param {string} part */
  async export(part) {
    if (this.wanted) return this.stopExport();
    this.app.view.field.finish(true);
    const wanted = this.wanted = { part, begun: false };
    this.app.parts.refresh();
    await this.saver.settled();
    if (this.wanted === wanted) this.exportNext();
  }

  stopExport() {
    this.wanted = null;
    this.app.parts.refresh();
  }

  /** What it waits for, "" for nothing. */
  get waitsFor() {
    const waiting = this.script.places().filter(({ edit }) => this.script.stateOf(edit) === "making").length;
    if (waiting) return tell(TEXTS.waits_made, TEXTS.edits(waiting));
    const { listening } = this.app;
    return listening && !listening.done && !listening.problem ? tell(TEXTS.waits_heard, Math.round(100 * listening.share)) : "";
  }

  /** Something was made, or listened to. */
  async exportNext() {
    const wanted = this.wanted;
    this.app.parts.refresh();
    if (!wanted || wanted.begun || this.saver.pending) return;
    const failed = this.script.places().find(({ edit }) => this.script.stateOf(edit) === "failed");
    const problem = failed ? tell(TEXTS.export_failed, failed.edit.text) : wanted.part === "film" && !this.waitsFor && this.app.film.problem;
    if (problem) {
      this.stopExport();
      this.app.complain(problem);
    } else if (!this.waitsFor) {
      wanted.begun = true;
      await this.app.asked("export", { kind: this.app.settings.values.kind, loudness: this.app.settings.values.loudness, film: wanted.part === "film" }, () => this.stopExport());
    }
    this.app.parts.refresh();
  }

  /** It is ready. */
  fetchExport() {
    if (!this.wanted) return;
    const link = document.createElement("a");
    link.href = `${this.app.server.root}/projects/${this.app.project}/download?part=${this.wanted.part}`;
    link.download = "";
    this.stopExport();
    this.app.host.append(link);
    link.click();
    link.remove();
  }
}
