// The audio view's drawing: waveform before and after on one axis, spectrogram, words with edges.

import { make } from "./elements.js";
import { Pictures } from "./pictures.js";
import { TEXTS, clock } from "./texts.js";

export const RULER = 20, WORDS = 24; // heights; the waves take the rest
const GAP = 6, MEL = 88;
const FINEST = 900; // pixels of a second, at most
const STEPS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800];

export class AudioDrawing {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    this.app = app;
    this.left = 0; // samples of the axis
    this.scale = 1; // samples of a pixel
    /** @type {any} the edge under the pointer */
    this.hovered = null;
    /** @type {{at: number, seconds: number}|null} what is being dragged longer or shorter */
    this.stretch = null;
    /** @type {any[]} what can be caught, as it was drawn last */
    this.edges = [];
    this.canvas = /** @type {HTMLCanvasElement} */ (make("canvas", { class: "sound", tabindex: "0", role: "img", "aria-label": TEXTS.audio }));
    this.overview = /** @type {HTMLCanvasElement} */ (make("canvas", { class: "overview", "aria-hidden": "true" }));
    this.tip = make("div", { class: "tip", hidden: true });
    host.append(this.canvas, this.overview, this.tip);
    this.pictures = new Pictures(app, () => this.draw());
    new ResizeObserver(() => { this.#sized(); this.draw(); }).observe(this.canvas);
    // Light and dark are a class of the page's body.
    new MutationObserver(() => this.draw()).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  }

  get rate() { return this.app.sound.sample_rate; }
  get line() { return this.app.timeline; }
  get width() { return this.canvas.clientWidth || 1; }
  x(at) { return (at - this.left) / this.scale; }
  at(x) { return this.left + x * this.scale; }

  #sized() {
    for (const canvas of [this.canvas, this.overview]) {
      const dpr = Math.min(window.devicePixelRatio || 1, 2);
      canvas.width = Math.max(1, canvas.clientWidth * dpr);
      canvas.height = Math.max(1, canvas.clientHeight * dpr);
    }
  }

  /** Another recording: all of it, or its first half minute. */
  reset() {
    this.pictures.clear();
    this.#sized();
    if (this.app.sound) this.show(0, Math.min(this.line.axis, 30 * this.rate));
  }

  show(first, last) {
    this.scale = Math.max((last - first) / this.width, this.rate / FINEST);
    this.left = first;
    this.clamp();
    this.draw();
  }

  whole() { this.show(0, this.line.axis); }

  zoom(factor, x = null) {
    const head = this.x(this.app.headAt());
    const around = x ?? (head >= 0 && head <= this.width ? head : this.width / 2);
    const fixed = this.at(around);
    this.scale = Math.min(Math.max(this.scale / factor, this.rate / FINEST), this.line.axis / this.width);
    this.left = fixed - around * this.scale;
    this.clamp();
    this.draw();
  }

  /** Keeps the view within the recording. */
  clamp() {
    this.left = Math.max(0, Math.min(this.left, this.line.axis - this.width * this.scale));
  }

  /** Brings a stretch of the axis into the view, if it isn't there. */
  reveal(first, last) {
    const right = this.left + this.width * this.scale;
    if (first < this.left || last > right) {
      const span = Math.max(last - first, 0);
      if (span > right - this.left) this.show(first - span * 0.1, last + span * 0.1);
      else { this.left = (first + last) / 2 - (this.width * this.scale) / 2; this.clamp(); this.draw(); }
    }
  }

  /** While it plays the view turns a page before the head leaves it. */
  follow() {
    const x = this.x(this.app.headAt());
    if (x > this.width * 0.92 || x < 0) {
      this.left += (x - this.width * 0.12) * this.scale;
      this.clamp();
    }
    this.draw();
  }

  // ---- drawing ----------------------------------------------------------------------------------

  draw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => { this.waiting = 0; if (this.app.sound && this.line) this.#draw(); });
  }

  #draw() {
    const dpr = this.canvas.width / this.width;
    const pen = this.canvas.getContext("2d");
    const height = this.canvas.clientHeight, width = this.width;
    pen.setTransform(dpr, 0, 0, dpr, 0, 0);
    pen.clearRect(0, 0, width, height);
    const style = getComputedStyle(this.canvas);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    this.colours = { ink: colour("ink"), faint: colour("faint"), line: colour("line"), wave: colour("wave"), come: colour("come"), gone: colour("gone"), now: colour("accent"), chosen: colour("chosen"), panel: colour("panel") };
    const mel = height > 230 ? MEL : height > 170 ? 56 : 0;
    const waves = height - RULER - mel - WORDS - 2 * GAP;
    const two = this.line.stretches.some((each) => each.edit);
    this.rows = { wave: RULER, waves, mel: RULER + waves + GAP, melHeight: mel, words: height - WORDS };
    this.#selection(pen);
    this.#ruler(pen, width);
    for (const each of this.#visible()) {
      if (two) {
        this.#wave(pen, each, "source", RULER, waves / 2 - 1);
        this.#wave(pen, each, "out", RULER + waves / 2 + 1, waves / 2 - 1);
      } else this.#wave(pen, each, "out", RULER, waves);
      if (mel) this.#spectrogram(pen, each, this.rows.mel, mel);
    }
    if (two) this.#lanes(pen, waves);
    if (mel) this.#hertz(pen, width);
    this.#words(pen);
    this.#pauses(pen);
    this.#stretched(pen, height);
    this.#head(pen, height);
    this.#overview(dpr);
  }

  #visible() {
    const right = this.left + this.width * this.scale;
    return this.line.stretches.filter((each) => each.at < right && each.at + each.length > this.left);
  }

  #selection(pen) {
    const { colours } = this;
    const height = this.canvas.clientHeight;
    for (const [first, last] of this.app.selectedSpans()) {
      pen.fillStyle = colours.chosen;
      pen.fillRect(this.x(first), RULER, Math.max(2, this.x(last) - this.x(first)), height - RULER);
    }
  }

  #ruler(pen, width) {
    const { colours, rate } = this;
    const step = STEPS.find((each) => (each * rate) / this.scale >= 76) || 3600;
    const out = (x) => this.line.convert("at", "out", this.at(x)) / rate;
    pen.font = "11px var(--studio-font), sans-serif";
    pen.font = `11px ${getComputedStyle(this.canvas).fontFamily}`;
    pen.fillStyle = colours.faint;
    pen.strokeStyle = colours.line;
    pen.lineWidth = 1;
    pen.textAlign = "left";
    const last = out(width);
    for (let n = Math.ceil(out(0) / step); n * step <= last; n++) {
      const x = Math.round(this.x(this.line.convert("out", "at", n * step * rate))) + 0.5;
      line(pen, x, 0, x, RULER - 4);
      if (x < width - 30) pen.fillText(clock(n * step, step < 1), x + 4, 11);
    }
    line(pen, 0, RULER - 3.5, width, RULER - 3.5);
  }

  #wave(pen, each, lane, top, height) {
    const size = lane === "source" ? each.sourceLength : each.outLength;
    if (!size || height < 4) return;
    const from = Math.max(0, this.x(each.at)), until = Math.min(this.width, this.x(each.at + size));
    if (until <= from) return;
    const { colours } = this;
    if (each.edit) {
      pen.fillStyle = lane === "source" ? colours.gone : colours.come;
      pen.globalAlpha = each.edit === this.app.active ? 0.22 : 0.13;
      pen.fillRect(from, top, Math.max(1.5, until - from), height);
      pen.globalAlpha = 1;
    }
    pen.fillStyle = each.edit ? (lane === "source" ? colours.gone : colours.come) : colours.wave;
    if (lane === "source" && !each.edit) pen.globalAlpha = 0.45;
    const middle = top + height / 2, half = (height / 2 - 2) * this.pictures.gain();
    const peaks = lane === "out" && each.take !== null
      ? this.pictures.takePeaks(each.take, each.from, each.outLength, this.scale)
      : this.pictures.peaks(this.scale);
    for (let x = Math.floor(from); x < until; x++) {
      const inside = this.at(x) - each.at;
      const [low, high] = peaks(lane === "out" && each.take !== null ? inside : each.source + inside);
      pen.fillRect(x, middle - high * half, 1, Math.max(1, (high - low) * half));
    }
    pen.globalAlpha = 1;
  }

  #spectrogram(pen, each, top, height) {
    const edited = this.app.side === "edited";
    const size = edited ? each.outLength : each.sourceLength;
    if (!size) return;
    pen.save();
    pen.beginPath();
    pen.rect(this.x(each.at), top, size / this.scale, height);
    pen.clip();
    if (edited && each.take !== null) {
      const image = this.pictures.takeImage(each.take);
      if (image) {
        const whole = this.pictures.takeLength(each.take) || each.outLength;
        pen.drawImage(image, this.x(each.at - each.from), top, whole / this.scale, height);
      }
    } else {
      for (const tile of this.pictures.tiles(this.scale, each.source + Math.max(0, this.left - each.at), each.source + Math.min(size, this.at(this.width) - each.at))) {
        pen.imageSmoothingEnabled = true;
        pen.drawImage(tile.image, this.x(each.at + tile.first - each.source), top, (tile.last - tile.first) / this.scale, height);
      }
    }
    pen.restore();
  }

  #lanes(pen, waves) {
    pen.font = `600 10px ${getComputedStyle(this.canvas).fontFamily}`;
    pen.textAlign = "left";
    const label = (text, y) => {
      pen.fillStyle = this.colours.panel;
      pen.globalAlpha = 0.85;
      pen.fillRect(4, y - 10, pen.measureText(text).width + 8, 14);
      pen.globalAlpha = 1;
      pen.fillStyle = this.colours.faint;
      pen.fillText(text, 8, y);
    };
    label(TEXTS.original, RULER + 13);
    label(TEXTS.edited, RULER + waves / 2 + 14);
  }

  #hertz(pen, width) {
    const top = Math.min(8000, this.rate / 2), mel = (hertz) => 2595 * Math.log10(1 + hertz / 700);
    pen.font = `10px ${getComputedStyle(this.canvas).fontFamily}`;
    pen.textAlign = "right";
    const { mel: y, melHeight: height } = this.rows;
    for (const hertz of [500, 1000, 2000, 4000]) {
      if (hertz >= top) continue;
      const at = y + height * (1 - mel(hertz) / mel(top));
      pen.fillStyle = "rgb(255 255 255 / 0.35)";
      pen.fillRect(width - 6, at, 6, 1);
      pen.fillStyle = "rgb(255 255 255 / 0.92)";
      pen.fillText(hertz < 1000 ? `${hertz} Hz` : `${hertz / 1000} kHz`, width - 9, at + 3.5);
    }
  }

  /** The words on the axis: {first, last, text, k} for the recording's own, {first, last, text} for new ones. */
  words() {
    const found = [];
    const { script } = this.app;
    const right = this.at(this.width);
    for (const each of this.#visible()) {
      if (each.edit) {
        const take = script.chosen(each.edit);
        if (!take) continue;
        for (const [number, word] of take.words.entries()) {
          const span = take.spans.slice(0, word.span).reduce((sum, one) => sum + one.length, 0);
          if (span !== each.from) continue;
          const isLast = word === take.words[take.words.length - 1] && take.spans.length === 1;
          const start = each.at + take.words[0].start * this.rate;
          found.push({ isLast, start, number, take, first: each.at + word.start * this.rate, last: each.at + word.end * this.rate, text: word.text, k: -1, edit: each.edit });
        }
        continue;
      }
      const begin = Math.max(0, script.tokenAt((each.source + Math.max(0, this.left - each.at)) / this.rate));
      for (let k = begin; k < script.tokens.length; k++) {
        const token = script.tokens[k];
        const first = each.at + token.start * this.rate - each.source, last = each.at + token.end * this.rate - each.source;
        if (first > Math.min(right, each.at + each.length)) break;
        if (last <= each.at || this.app.isReplaced(k)) continue;
        found.push({ first, last, text: token.text, k, edit: null });
      }
    }
    return found;
  }

  #words(pen) {
    const { colours } = this;
    const top = this.rows.words;
    pen.font = `12px ${getComputedStyle(this.canvas).fontFamily}`;
    pen.textAlign = "center";
    this.edges = [];
    const range = this.app.view.range;
    for (const word of this.words()) {
      const a = this.x(word.first), b = this.x(word.last), room = b - a;
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
  #pauses(pen) {
    const { script } = this.app, { colours } = this;
    const at = (seconds) => this.x(this.line.convert("source", "at", seconds * this.rate));
    const right = this.line.convert("at", "source", this.at(this.width)) / this.rate;
    for (let k = Math.max(0, script.tokenAt(this.line.convert("at", "source", this.left) / this.rate)); k + 1 < script.tokens.length && script.tokens[k].end < right; k++) {
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
  #stretched(pen, height) {
    if (!this.stretch) return;
    const x = this.x(this.stretch.at);
    pen.fillStyle = this.colours.come;
    pen.fillRect(x - 1, RULER, 2, height - RULER);
    pen.textAlign = "left";
    pen.fillText(`${this.stretch.seconds.toFixed(2)} s`, x + 6, RULER + 14);
  }

  #head(pen, height) {
    const x = this.x(this.app.headAt());
    if (x < -2 || x > this.width + 2) return;
    pen.fillStyle = this.colours.now;
    pen.fillRect(x - 0.75, 8, 1.5, height - 8);
    pen.beginPath();
    pen.moveTo(x - 5, 2); pen.lineTo(x + 5, 2); pen.lineTo(x, 10);
    pen.fill();
  }

  #overview(dpr) {
    const pen = this.overview.getContext("2d");
    const width = this.overview.clientWidth, height = this.overview.clientHeight;
    if (!width || !height) return;
    pen.setTransform(dpr, 0, 0, dpr, 0, 0);
    pen.clearRect(0, 0, width, height);
    const scale = this.line.axis / width;
    const peaks = this.pictures.peaks(scale);
    pen.fillStyle = this.colours.wave;
    pen.globalAlpha = 0.5;
    for (let x = 0; x < width; x++) {
      const [low, high] = peaks(this.line.convert("at", "source", x * scale));
      const half = (height / 2) * this.pictures.gain();
      pen.fillRect(x, height / 2 - high * half, 1, Math.max(1, (high - low) * half));
    }
    pen.globalAlpha = 1;
    for (const each of this.line.stretches) {
      if (!each.edit) continue;
      pen.fillStyle = this.colours.come;
      pen.fillRect(each.at / scale, 0, Math.max(2, each.length / scale), height);
    }
    pen.fillStyle = this.colours.now;
    pen.fillRect(this.app.headAt() / scale, 0, 1.5, height);
    pen.strokeStyle = this.colours.now;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.roundRect(this.left / scale + 0.75, 0.75, Math.max(6, (this.width * this.scale) / scale - 1.5), height - 1.5, 3);
    pen.stroke();
  }
}

function grip(pen, colour, x, top) {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(x - 3.5, top + 5, 7, 13, 3);
  pen.fill();
}

function line(pen, x, y, to, until) {
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(to, until);
  pen.stroke();
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
