// The row of words below the waves: their edges, and the pauses between them, that can be dragged.

const LEAST = 56; // pixels of a second
export const RULER = 20, WORDS = 24; // heights; the waves take the rest

export class WordLane {
  /** @param {import("./axis.js").Axis} axis */
  constructor(axis) {
    this.axis = axis;
    this.app = axis.app;
    /** @type {any} the edge under the pointer */
    this.hovered = null;
    /** @type {{at: number, seconds: number}|null} what is being dragged longer or shorter */
    this.stretch = null;
    /** @type {any[]} what can be caught, as it was drawn last */
    this.edges = [];
    /** @type {any} where the rows are, and their colours, as they were drawn last */
    this.rows = this.colours = null;
  }

  /** The stretches of the axis that are in the view. */
  visible() {
    const right = this.axis.left + this.axis.width * this.axis.scale;
    return this.axis.line.stretches.filter((each) => each.at < right && each.at + each.length > this.axis.left);
  }

  /** The words on the axis: {first, last, text, k} for the recording's own, {first, last, text} for new ones. */
  words() {
    const found = [];
    const { script } = this.app;
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
        if (last <= each.at || this.app.isReplaced(k)) continue;
        found.push({ first, last, text: token.text, k, edit: null });
      }
    }
    return found;
  }

  /** Whether a second has room for its words. */
  get hasWords() { return this.axis.rate / this.axis.scale >= LEAST; }

  drawWords(pen) {
    const { colours } = this;
    const top = this.rows.words;
    pen.font = `12px ${getComputedStyle(this.axis.canvas).fontFamily}`;
    pen.textAlign = "center";
    const range = this.app.view.selected.range;
    for (const word of this.words()) {
      const a = this.axis.x(word.first), b = this.axis.x(word.last), room = b - a;
      const chosen = range && word.k >= range[0] && word.k < range[1];
      if (room < 3) continue;
      pen.fillStyle = word.edit ? colours.come : colours.faint;
      pen.globalAlpha = word.edit ? 0.16 : 0.1;
      pen.fillRect(a + 0.5, top + 3, room - 1, WORDS - 5);
      pen.globalAlpha = 1;
      pen.fillStyle = word.edit ? colours.come : chosen ? colours.now : colours.ink;
      if (room > 10) {
        const text = fitted(pen, word.text, room - 6);
        if (text) pen.fillText(text, (a + b) / 2, top + 16);
      }
      if (word.edit && room > 8) {
        // The last word's end is that of them all.
        this.edges.push({ x: b, k: -1, side: "end", edit: word.edit, from: word.isLast ? word.start : word.first, word: word.isLast ? null : word.number, take: word.take });
        if (word.edit === this.app.active) grip(pen, colours.come, b, top);
      }
      if (word.k >= 0 && room > 8) {
        this.edges.push({ x: a, k: word.k, side: "start" }, { x: b, k: word.k, side: "end" });
        const caught = this.hovered && !this.hovered.edit && this.hovered.k === word.k ? this.hovered.side : null;
        for (const [x, side] of /** @type {[number, string][]} */ ([[a, "start"], [b, "end"]])) {
          if (!chosen && caught !== side) continue;
          pen.fillStyle = colours.now;
          pen.fillRect(x - 0.75, RULER, 1.5, top - RULER + 3);
          grip(pen, colours.now, x, top);
        }
      }
    }
  }

  /** A handle in each pause that is long enough to be caught. */
  drawPauses(pen) {
    const { script } = this.app, { colours } = this;
    const at = (seconds) => this.axis.x(this.axis.line.convert("source", "at", seconds * this.axis.rate));
    const right = this.axis.line.convert("at", "source", this.axis.at(this.axis.width)) / this.axis.rate;
    for (let k = Math.max(0, script.tokenAt(this.axis.line.convert("at", "source", this.axis.left) / this.axis.rate)); k + 1 < script.tokens.length && script.tokens[k].end < right; k++) {
      if (this.app.isReplaced(k) || this.app.isReplaced(k + 1)) continue;
      const a = at(script.tokens[k].end), b = at(script.tokens[k + 1].start), x = (a + b) / 2;
      if (b - a < 22) continue;
      this.edges.push({ x, k, side: "pause", edit: null, from: script.pauseAfter(k) });
      const caught = this.hovered && this.hovered.side === "pause" && this.hovered.k === k;
      pen.fillStyle = script.pauseEdit(k) ? colours.come : caught ? colours.now : colours.faint;
      pen.globalAlpha = caught ? 1 : 0.55;
      pen.beginPath();
      for (const by of [-1, 1]) { const y = this.rows.words + 11.5; pen.moveTo(x + by * 8, y); pen.lineTo(x + by * 3, y - 4); pen.lineTo(x + by * 3, y + 4); }
      pen.fill();
      pen.globalAlpha = 1;
    }
  }

  /** Where the new words would end, while their edge is dragged. */
  drawStretched(pen, height) {
    if (!this.stretch) return;
    const x = this.axis.x(this.stretch.at);
    pen.fillStyle = this.colours.come;
    pen.fillRect(x - 1, RULER, 2, height - RULER);
    pen.textAlign = "left";
    pen.fillText(`${this.stretch.seconds.toFixed(2)} s`, x + 6, RULER + 14);
  }
}

function grip(pen, colour, x, top) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(x - 3.5, top + 5, 7, 13, 3);
  pen.fill();
}

/** As much of a word as there is room for. */
function fitted(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  for (let length = text.length - 1; length > 1; length--) {
    const part = `${text.slice(0, length)}…`;
    if (pen.measureText(part).width <= room) return part;
  }
  return "";
}
