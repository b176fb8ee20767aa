// One undo for everything: the steps that were taken, in this window or before it was loaded.

import { inverse } from "./steps.js";

/** @import { Step } from "../records" */

export class History {
  constructor() {
    this.changed = () => {};
    /** Takes a step back, or again; what became of it. @type {(step: Step) => Step} */
    this.take = (step) => step;
    /** @type {Step[]} oldest first */
    this.done = [];
    /** @type {Step[]} the last one to come again first */
    this.undone = [];
  }

  /** @param {Step[]} done @param {Step[]} undone as they are kept here */
  open(done, undone) {
    this.done = [...done];
    this.undone = [...undone];
  }

  /** Remember a step that was just taken. @param {Step} step */
  add(step) {
    this.done.push(step);
    this.undone = [];
    this.changed();
  }

  /** Forget a step that the server has refused. @param {string} name */
  drop(name) {
    for (const steps of [this.done, this.undone]) steps.splice(0, steps.length, ...steps.filter((step) => step.name !== name));
    this.changed();
  }

  /** Take the last step back; its label, or null if there is none. */
  undo() {
    return this.#move(this.done, this.undone, (step) => inverse(this.take({ ...inverse(step), undo: step.name })));
  }

  redo() {
    return this.#move(this.undone, this.done, (step) => this.take({ ...step, gentle: true, redo: step.name }));
  }

  /** @param {Step[]} from @param {Step[]} to @param {(step: Step) => Step} turned @returns {string|null|undefined} */
  #move(from, to, turned) {
    const step = from.pop();
    if (!step) return null;
    to.push({ ...turned(step), label: step.label, name: step.name });
    this.changed();
    return step.label;
  }
}
