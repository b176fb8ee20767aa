// How the recording and its takes lie on one line: what is played, and one axis for both.

/** @import { Edit } from "../records" */
/**
 * A stretch that is played without a break: of the original ("source"), or of a take.
 * @typedef {{out: number, length: number, take: string|null, from: number}} Piece
 * A stretch of the common axis: a change has both lengths, and is as long as the longer one.
 * @typedef {{at: number, length: number, source: number, sourceLength: number, out: number, outLength: number, edit: Edit|null, take: string|null, from: number}} Stretch
 * @typedef {{source: [number, number], length: number, take: string, from: number, edit: Edit}} Patch
 * @typedef {"source"|"out"|"at"} Axis of the original, of what is played, or of both
 */

export class Timeline {
  /** @param {number} samples of the original @param {Patch[]} patches in order @param {Map<Edit, string>} takes of edits */
  constructor(samples, patches = [], takes = new Map(patches.map(({ edit, take }) => [edit, take]))) {
    this.takes = takes;
    /** @type {Stretch[]} */
    this.stretches = [];
    let source = 0, out = 0, at = 0;
    /** @param {number} sourceLength @param {number} outLength @param {Partial<Stretch>} more */
    const add = (sourceLength, outLength, more) => {
      const length = Math.max(sourceLength, outLength);
      if (!length) return;
      this.stretches.push({ at, length, source, sourceLength, out, outLength, edit: null, take: null, from: 0, ...more });
      at += length; source += sourceLength; out += outLength;
    };
    for (const patch of patches) {
      if (patch.source[0] < source) continue; // two changes that touch: the first is heard
      add(patch.source[0] - source, patch.source[0] - source, {});
      add(patch.source[1] - patch.source[0], patch.length, { edit: patch.edit, take: patch.take, from: patch.from });
    }
    add(samples - source, samples - source, {});
    this.samples = samples;
    this.length = out;
    this.axis = at;
  }

  /** Whether another timeline plays the same. @param {Timeline} other */
  same(other) {
    return this.stretches.length === other.stretches.length && this.stretches.every((each, k) => {
      const its = other.stretches[k];
      return each.out === its.out && each.source === its.source && each.outLength === its.outLength && each.take === its.take;
    });
  }

  /** What is played, in order. @returns {Piece[]} */
  pieces() {
    return this.stretches.filter((each) => each.outLength).map((each) => ({
      out: each.out, length: each.outLength, take: each.take, from: each.take === null ? each.source : each.from,
    }));
  }

  /** @param {Axis} from @param {Axis} to @param {number} place */
  convert(from, to, place) {
    const sizes = /** @type {const} */ ({ source: "sourceLength", out: "outLength", at: "length" });
    // Of those that begin at one place, all but the last are empty here.
    const each = this.stretches.findLast((stretch) => stretch[from] <= place) || this.stretches[0];
    if (!each) return 0;
    const size = each[sizes[from]], share = size ? Math.min(1, Math.max(0, (place - each[from]) / size)) : 0;
    const inside = each.take === null || from === "at" || to === "at" ? Math.min(place - each[from], each[sizes[to]]) : share * each[sizes[to]];
    return each[to] + Math.max(0, inside);
  }

  /** @param {number} source */
  outOf(source) { return this.convert("source", "out", source); }
  /** @param {number} out */
  sourceOf(out) { return this.convert("out", "source", out); }

  /** The stretch in which an edit is heard, all its patches together: [out first, out last], or null. @param {Edit} edit @returns {[number, number]|null} */
  spanOf(edit) {
    const take = this.takes.get(edit), own = take ? this.stretches.filter((each) => each.take === take) : [];
    if (!own.length) return null;
    const last = own[own.length - 1];
    return [own[0].out, last.out + last.outLength];
  }
}

/**
 * The recording with the chosen takes of a script in it.
 * @param {import("../script/script.js").Script} script @param {number} samples @returns {Timeline}
 */
export function edited(script, samples) {
  /** @type {Patch[]} */
  const patches = [];
  /** @type {Map<Edit, string>} */
  const takes = new Map();
  const heard = new Set();
  for (const { edit } of script.places()) {
    const chosen = script.chosen(edit);
    if (!chosen) continue;
    const take = `${script.madeOf(edit)}-${chosen.number}`;
    takes.set(edit, take);
    let from = 0;
    for (const span of heard.has(take) ? [] : chosen.spans) {
      patches.push({ ...span, take, from, edit });
      from += span.length;
    }
    heard.add(take);
  }
  patches.sort((a, b) => a.source[0] - b.source[0]);
  return new Timeline(samples, patches, takes);
}
