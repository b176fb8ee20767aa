// The row of words below the waves: their edges, and the pauses between them, that can be dragged.

import { TEXTS } from "../texts.js";

const LEAST = 56; // pixels of a second
export const RULER = 20, WORDS = 24; // heights; the waves take the rest

/** @import { Edit, TakeRecord } from "../records" */
/**
 * What can be caught at x, with a hint what that does: an end of token k, the pause after it, or the end of a new word. from: where
 * this begins, on the axis; the pause's seconds. word: its number among the take's, null for all of them.
 * @typedef {{x: number, k: number, side: "start"|"end", hint: string, edit?: undefined}} WordEdge @typedef {{x: number, k: number, side: "pause", hint: string, edit?: undefined, from: number}} PauseEdge
 * @typedef {{x: number, k: -1, side: "end", hint: string, edit: Edit, from: number, word: number|null, take: TakeRecord}} NewEdge @typedef {WordEdge|PauseEdge|NewEdge} Edge
 * A word on the axis: token k of the recording, or one of a take.
 * @typedef {{first: number, last: number, text: string, k: number, edit: null}} OwnWord
 * @typedef {{first: number, last: number, text: string, k: -1, edit: Edit, isLast: boolean, start: number, number: number, take: TakeRecord}} NewerWord
 */
/** @typedef {"ink"|"faint"|"line"|"wave"|"come"|"gone"|"now"|"chosen"|"panel"} Colour @typedef {CanvasRenderingContext2D} Pen */

export class WordLane {
  /** @param {import("./axis.js").Axis} axis */
  constructor(axis) {
    this.axis = axis;
    this.state = axis.state;
    /** @type {Edge|null} the one under the pointer */
    this.hovered = null;
    /** @type {{at: number, seconds: number}|null} what is being dragged longer or shorter */
    this.stretch = null;
    /** @type {{a: number, b: number, text: string}[]} words that had no room for all of them, as they were drawn last */
    this.short = [];
    /** @type {Edge[]} as they were drawn last */
    this.edges = [];
    /** Where the rows are, as they were drawn last. */
    this.rows = { wave: 0, waves: 0, mel: 0, melHeight: 0, words: 0 };
    this.colours = /** @type {Record<Colour, string>} */ ({});
  }

  /** The stretches of the axis that are in the view. */
  visible() {
    const right = this.axis.left + this.axis.width * this.axis.scale;
    return this.axis.line.stretches.filter((each) => each.at < right && each.at + each.length > this.axis.left);
  }

  /** The words in the view. */
  words() {
    /** @type {(OwnWord|NewerWord)[]} */
    const found = [];
    const { script } = this.state;
    const right = this.axis.at(this.axis.width);
    for (const each of this.visible()) {
      if (each.edit) {
        const take = script.chosen(each.edit);
        if (!take) continue;
        for (const [number, word] of take.words.entries()) {
          const span = take.spans.slice(0, word.span).reduce((sum, one) => sum + one.length, 0);
          if (span !== each.from) continue;
          const isLast = word === take.words[take.words.length - 1] && take.spans.length === 1;
          const start = each.at + take.words[0].start * this.axis.rate;
          found.push({ isLast, start, number, take, first: each.at + word.start * this.axis.rate, last: each.at + word.end * this.axis.rate, text: word.text, k: -1, edit: each.edit });
        }
        continue;
      }
      const begin = Math.max(0, script.tokenAt((each.source + Math.max(0, this.axis.left - each.at)) / this.axis.rate));
      for (let k = begin; k < script.tokens.length; k++) {
        const token = script.tokens[k];
        const first = each.at + token.start * this.axis.rate - each.source, last = each.at + token.end * this.axis.rate - each.source;
        if (first > Math.min(right, each.at + each.length)) break;
        if (last <= each.at || token.waits || this.state.replaced.has(k)) continue;
        found.push({ first, last, text: token.text, k, edit: null });
      }
    }
    return found;
  }

  /** Whether a second has room for its words. */
  get hasWords() { return this.axis.rate / this.axis.scale >= LEAST; }

  /** @param {Pen} pen */
  drawWords(pen) {
    const { colours } = this;
    const top = this.rows.words;
    pen.textAlign = "center";
    this.short = [];
    const { range } = this.state, { fontFamily } = getComputedStyle(this.axis.canvas);
    for (const word of this.words()) {
      const a = this.axis.x(word.first), b = this.axis.x(word.last), room = b - a;
      const chosen = range && word.k >= range[0] && word.k < range[1];
      if (room < 3) continue;
      pen.font = `12px ${fontFamily}`;
      if (pen.measureText(word.text).width > room - 3) pen.font = `10px ${fontFamily}`;
      pen.fillStyle = word.edit ? colours.come : colours.faint;
      pen.globalAlpha = word.edit ? 0.16 : 0.1;
      pen.fillRect(a + 0.5, top + 3, room - 1, WORDS - 5);
      pen.globalAlpha = 1;
      pen.fillStyle = word.edit ? colours.come : chosen ? colours.now : colours.ink;
      const text = room > 8 ? fitted(pen, word.text, room - 3) : "";
      if (text) pen.fillText(text, (a + b) / 2, top + 16);
      if (text !== word.text) this.short.push({ a, b, text: word.text });
      if (word.edit && room > 8) {
        // The last word's end is that of them all.
        this.edges.push({ x: b, k: -1, side: "end", hint: word.isLast ? TEXTS.stretch : TEXTS.word_drag, edit: word.edit, from: word.isLast ? word.start : word.first, word: word.isLast ? null : word.number, take: word.take });
        if (word.edit === this.state.active) grip(pen, colours.come, b, top);
      }
      if (word.k >= 0 && room > 8) {
        this.edges.push({ x: a, k: word.k, side: "start", hint: TEXTS.boundary }, { x: b, k: word.k, side: "end", hint: TEXTS.boundary });
        const caught = this.hovered?.k === word.k ? this.hovered.side : null;
        for (const [x, side] of /** @type {[number, string][]} */ ([[a, "start"], [b, "end"]])) {
          if (!chosen && caught !== side) continue;
          pen.fillStyle = colours.now;
          pen.fillRect(x - 0.75, RULER, 1.5, top - RULER + 3);
          grip(pen, colours.now, x, top);
        }
      }
    }
  }

  /** A handle in each pause that is long enough to be caught. @param {Pen} pen */
  drawPauses(pen) {
    const { script, replaced } = this.state, { colours } = this;
    const at = (/** @type {number} */ seconds) => this.axis.x(this.axis.line.convert("source", "at", seconds * this.axis.rate));
    const right = this.axis.line.convert("at", "source", this.axis.at(this.axis.width)) / this.axis.rate;
    for (let k = Math.max(0, script.tokenAt(this.axis.line.convert("at", "source", this.axis.left) / this.axis.rate)); k + 1 < script.tokens.length && script.tokens[k].end < right; k++) {
      if (replaced.has(k) || replaced.has(k + 1) || script.waits({ first: k + 1, last: k + 1 })) continue;
      const a = at(script.tokens[k].end), b = at(script.tokens[k + 1].start), x = (a + b) / 2;
      if (b - a < 22) continue;
      this.edges.push({ x, k, side: "pause", hint: TEXTS.pause_drag, from: script.pauseAfter(k) });
      const caught = this.hovered && this.hovered.side === "pause" && this.hovered.k === k;
      pen.fillStyle = script.pauseEdit(k) ? colours.come : caught ? colours.now : colours.faint;
      pen.globalAlpha = caught ? 1 : 0.55;
      pen.beginPath();
      for (const by of [-1, 1]) { const y = this.rows.words + 11.5; pen.moveTo(x + by * 8, y); pen.lineTo(x + by * 3, y - 4); pen.lineTo(x + by * 3, y + 4); }
      pen.fill();
      pen.globalAlpha = 1;
    }
  }

  /** Where the new words would end, while their edge is dragged. @param {Pen} pen @param {number} height */
  drawStretched(pen, height) {
    if (!this.stretch) return;
    const x = this.axis.x(this.stretch.at);
    pen.fillStyle = this.colours.come;
    pen.fillRect(x - 1, RULER, 2, height - RULER);
    pen.textAlign = "left";
    pen.fillText(`${this.stretch.seconds.toFixed(2)} s`, x + 6, RULER + 14);
  }
}

/** @param {Pen} pen @param {string} colour @param {number} x @param {number} top */
function grip(pen, colour, x, top) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(x - 3.5, top + 5, 7, 13, 3);
  pen.fill();
}

/** As much of a word as there is room for. @param {Pen} pen @param {string} text @param {number} room */
function fitted(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  for (let length = text.length - 1; length > 1; length--) {
    const part = `${text.slice(0, length)}…`;
    if (pen.measureText(part).width <= room) return part;
  }
  return "";
}
