// One undo for everything: texts, takes, boundaries, corrections.

/** @typedef {{label: string, undo: () => void, redo: () => void}} Step */

export class History {
  constructor() {
    /** @type {Step[]} */
    this.done = [];
    /** @type {Step[]} */
    this.undone = [];
    this.changed = () => {};
  }

  /** Remember a step that was just taken. @param {Step} step */
  add(step) {
    this.done.push(step);
    this.undone = [];
    this.changed();
  }

  /** Take the last step back; its label, or null if there is none. */
  undo() {
    return this.#move(this.done, this.undone, "undo");
  }

  redo() {
    return this.#move(this.undone, this.done, "redo");
  }

  #move(from, to, how) {
    const step = from.pop();
    if (!step) return null;
    step[how]();
    to.push(step);
    this.changed();
    return step.label;
  }
}
