// What is taken home: it waits for what is being made and listened to, and says for what.

import { Editing } from "./editing.js";
import { TEXTS, tell } from "./texts.js";

export class Exporting extends Editing {
  constructor(host, server) {
    super(host, server);
    /** @type {{part: string, begun: boolean}|null} */
    this.exporting = null;
    /** @type {{share: number, done: boolean, problem: string}|null} */
    this.listening = null;
  }

  /** One part of what can be taken home, "" for everything; once more ends the waiting. @param {string} part */
  async export(part) {
    if (this.exporting) return this.stopExport();
    this.view.finish(true);
    const wanted = this.exporting = { part, begun: false };
    this.parts.refresh();
    await this.saver.settled();
    if (this.exporting === wanted) this.exportNext();
  }

  stopExport() {
    this.exporting = null;
    this.parts.refresh();
  }

  /** What it waits for, "" for nothing. */
  get waitsFor() {
    const waiting = this.script.places().filter(({ edit }) => this.script.stateOf(edit) === "making").length;
    if (waiting) return tell(TEXTS.waits_made, TEXTS.edits(waiting));
    const { listening } = this;
    return listening && !listening.done && !listening.problem ? tell(TEXTS.waits_heard, Math.round(100 * listening.share)) : "";
  }

  /** Something was made, or listened to. */
  async exportNext() {
    const wanted = this.exporting;
    this.parts.refresh();
    if (!wanted || wanted.begun || this.saver.pending) return;
    const failed = this.script.places().find(({ edit }) => this.script.stateOf(edit) === "failed");
    const problem = failed ? tell(TEXTS.export_failed, failed.edit.text) : wanted.part === "film" && !this.waitsFor && this.film.problem;
    if (problem) {
      this.stopExport();
      this.complain(problem);
    } else if (!this.waitsFor) {
      wanted.begun = true;
      await this.asked("export", { kind: (window.a3tSettings || {}).kind || "", film: wanted.part === "film" }, () => this.stopExport());
    }
    this.parts.refresh();
  }

  /** It is ready. */
  fetchExport() {
    if (!this.exporting) return;
    const link = document.createElement("a");
    link.href = `${this.server.root}/projects/${this.project}/download?part=${this.exporting.part}`;
    link.download = "";
    this.stopExport();
    this.host.append(link);
    link.click();
    link.remove();
  }
}
