// The audio view's drawing: waveform before and after on one axis, spectrogram, ruler, the whole below.

import { TEXTS, clock } from "../texts.js";
import { RULER, WORDS } from "./word_lane.js";

const GAP = 6, MEL = 88, GUTTER = 42;
export const FOLDED = 104, UNFOLDED = 240; // pixels of the sound without and with its spectrogram
const SILENT = 0.03; // of full scale: what is no louder stays small
const STEPS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800];

/** @typedef {import("./word_lane.js").Pen} Pen @typedef {import("./timeline.js").Stretch} Stretch */

/** @param {HTMLCanvasElement} canvas */
const penOf = (canvas) => /** @type {Pen} */ (canvas.getContext("2d"));

export class AudioDrawing {
  /** @param {import("./axis.js").Axis} axis @param {import("./word_lane.js").WordLane} lane @param {import("../hearing.js").Hearing} hearing @param {(height: number) => void} placed is told the height of all waves */
  constructor(axis, lane, hearing, placed) {
    this.placed = placed;
    /** @type {Map<number|undefined, number>} of all tracks or each, in what is drawn */
    this.gains = new Map();
    this.axis = axis;
    this.lane = lane;
    this.hearing = hearing;
    this.state = axis.state;
  }

  drawNow() {
    const dpr = this.axis.canvas.width / this.axis.width;
    const pen = penOf(this.axis.canvas);
    const height = this.axis.canvas.clientHeight, width = this.axis.width;
    pen.setTransform(dpr, 0, 0, dpr, 0, 0);
    pen.clearRect(0, 0, width, height);
    const style = getComputedStyle(this.axis.canvas);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
    this.lane.colours = { ink: colour("ink"), faint: colour("faint"), line: colour("line"), wave: colour("wave"), come: colour("come"), gone: colour("gone"), now: colour("accent"), chosen: colour("chosen"), panel: colour("panel") };
    const mel = height >= UNFOLDED ? MEL : 0, lane = this.lane.hasWords ? WORDS : 0;
    const waves = height - RULER - (mel && mel + GAP) - (lane && lane + GAP);
    const { tracks, side } = this.state, shown = side === "edited" ? "out" : "source";
    const two = !tracks.length && this.axis.line.stretches.some((each) => each.edit);
    this.lane.rows = { wave: RULER, waves, mel: RULER + waves + GAP, melHeight: mel, words: height - lane };
    this.gains.clear();
    this.#selection(pen);
    this.#ruler(pen, width);
    for (const each of this.lane.visible()) {
      if (two) {
        this.#wave(pen, each, "source", RULER, waves / 2 - 1);
        this.#wave(pen, each, "out", RULER + waves / 2 + 1, waves / 2 - 1);
      } else if (!tracks.length) this.#wave(pen, each, "out", RULER, waves);
      tracks.forEach((_, track) => this.#wave(pen, each, shown, RULER + (track * waves) / tracks.length, waves / tracks.length - 2, { track, colour: this.state.heard[track] ? colour(`voice-${track % 6}`) : this.lane.colours.line }));
      if (mel) this.#spectrogram(pen, each, this.lane.rows.mel, mel);
    }
    if (two && waves >= 60) this.#lanes(pen, waves);
    this.placed(waves);
    if (mel) this.#hertz(pen, width);
    this.lane.edges = [];
    if (lane) { this.lane.drawWords(pen); this.lane.drawPauses(pen); }
    this.lane.drawStretched(pen, height);
    this.#head(pen, height);
    this.#overview(dpr);
  }

  /** @param {Pen} pen */
  #selection(pen) {
    const { colours } = this.lane;
    const height = this.axis.canvas.clientHeight;
    for (const [first, last] of this.hearing.selectedSpans()) {
      pen.fillStyle = colours.chosen;
      pen.fillRect(this.axis.x(first), RULER, Math.max(2, this.axis.x(last) - this.axis.x(first)), height - RULER);
    }
  }

  /** @param {Pen} pen @param {number} width */
  #ruler(pen, width) {
    const { colours } = this.lane, { rate } = this.axis;
    const step = STEPS.find((each) => (each * rate) / this.axis.scale >= 76) || 3600;
    const out = (/** @type {number} */ x) => this.axis.line.convert("at", "out", this.axis.at(x)) / rate;
    pen.font = `11px ${getComputedStyle(this.axis.canvas).fontFamily}`;
    pen.fillStyle = colours.faint;
    pen.strokeStyle = colours.line;
    pen.lineWidth = 1;
    pen.textAlign = "left";
    const last = out(width);
    for (let n = Math.ceil(out(0) / step); n * step <= last; n++) {
      const x = Math.round(this.axis.x(this.axis.line.convert("out", "at", n * step * rate))) + 0.5;
      line(pen, x, 0, x, RULER - 4);
      if (x < width - 30) pen.fillText(clock(n * step, step < 1), x + 4, 11);
    }
    line(pen, 0, RULER - 3.5, width, RULER - 3.5);
  }

  /** By how much the waves in the view are drawn higher, so that they fill their place. @param {number} [track] */
  #gain(track) {
    let gain = this.gains.get(track);
    if (gain === undefined) {
      const { axis } = this, peaks = axis.pictures.peaks(axis.scale, track);
      gain = gainOf(Array.from({ length: Math.ceil(axis.width) }, (_, x) => peaks(axis.line.convert("at", "source", axis.at(x)))));
      this.gains.set(track, gain);
    }
    return gain;
  }

  /** @param {Pen} pen @param {Stretch} each @param {"source"|"out"} lane @param {number} top @param {number} height @param {{track: number, colour: string}|null} own one of several tracks */
  #wave(pen, each, lane, top, height, own = null) {
    const size = lane === "source" ? each.sourceLength : each.outLength;
    if (!size || height < 4) return;
    const from = Math.max(0, this.axis.x(each.at)), until = Math.min(this.axis.width, this.axis.x(each.at + size));
    if (until <= from) return;
    const { colours } = this.lane;
    if (each.edit) {
      pen.fillStyle = lane === "source" ? colours.gone : colours.come;
      pen.globalAlpha = each.edit === this.state.active ? 0.22 : 0.13;
      pen.fillRect(from, top, Math.max(1.5, until - from), height);
      pen.globalAlpha = 1;
    }
    pen.fillStyle = own ? own.colour : each.edit ? (lane === "source" ? colours.gone : colours.come) : colours.wave;
    if (lane === "source" && !each.edit && !own) pen.globalAlpha = 0.45;
    const middle = top + height / 2, half = (height / 2 - 2) * this.#gain(own?.track);
    const peaks = lane === "out" && each.take !== null
      ? this.axis.pictures.takePeaks(each.take, each.from, each.outLength, this.axis.scale, own?.track)
      : this.axis.pictures.peaks(this.axis.scale, own?.track);
    for (let x = Math.floor(from); x < until; x++) {
      const inside = this.axis.at(x) - each.at;
      const [low, high] = peaks(lane === "out" && each.take !== null ? inside : each.source + inside);
      pen.fillRect(x, middle - high * half, 1, Math.max(1, (high - low) * half));
    }
    pen.globalAlpha = 1;
  }

  /** @param {Pen} pen @param {Stretch} each @param {number} top @param {number} height */
  #spectrogram(pen, each, top, height) {
    const edited = this.state.side === "edited";
    const size = edited ? each.outLength : each.sourceLength;
    if (!size) return;
    pen.save();
    pen.beginPath();
    pen.rect(this.axis.x(each.at), top, size / this.axis.scale, height);
    pen.clip();
    if (edited && each.take !== null) {
      const image = this.axis.pictures.takeImage(each.take);
      if (image) {
        const whole = this.axis.pictures.takeLength(each.take) || each.outLength;
        pen.drawImage(image, this.axis.x(each.at - each.from), top, whole / this.axis.scale, height);
      }
    } else {
      for (const tile of this.axis.pictures.tiles(this.axis.scale, each.source + Math.max(0, this.axis.left - each.at), each.source + Math.min(size, this.axis.at(this.axis.width) - each.at))) {
        pen.imageSmoothingEnabled = true;
        pen.drawImage(tile.image, this.axis.x(each.at + tile.first - each.source), top, (tile.last - tile.first) / this.axis.scale, height);
      }
    }
    pen.restore();
  }

  /** @param {Pen} pen @param {number} waves */
  #lanes(pen, waves) {
    pen.font = `600 10px ${getComputedStyle(this.axis.canvas).fontFamily}`;
    pen.textAlign = "left";
    const label = (/** @type {string} */ text, /** @type {number} */ y) => {
      pen.fillStyle = this.lane.colours.panel;
      pen.globalAlpha = 0.85;
      pen.fillRect(4, y - 10, pen.measureText(text).width + 8, 14);
      pen.globalAlpha = 1;
      pen.fillStyle = this.lane.colours.faint;
      pen.fillText(text, 8, y);
    };
    label(TEXTS.original, RULER + 13);
    label(TEXTS.edited, RULER + waves / 2 + 14);
  }

  /** @param {Pen} pen @param {number} width */
  #hertz(pen, width) {
    const top = Math.min(8000, this.axis.rate / 2), mel = (/** @type {number} */ hertz) => 2595 * Math.log10(1 + hertz / 700);
    pen.font = `10px ${getComputedStyle(this.axis.canvas).fontFamily}`;
    pen.textAlign = "right";
    const { mel: y, melHeight: height } = this.lane.rows;
    pen.fillStyle = this.lane.colours.panel;
    pen.fillRect(width - GUTTER, y, GUTTER, height);
    for (const hertz of [500, 1000, 2000, 4000]) {
      if (hertz >= top) continue;
      const at = y + height * (1 - mel(hertz) / mel(top));
      pen.fillStyle = this.lane.colours.faint;
      pen.fillRect(width - GUTTER, at, 4, 1);
      pen.fillText(hertz < 1000 ? `${hertz} Hz` : `${hertz / 1000} kHz`, width, at + 3.5);
    }
  }

  /** @param {Pen} pen @param {number} height */
  #head(pen, height) {
    const x = this.axis.x(this.hearing.headAt());
    if (x < -2 || x > this.axis.width + 2) return;
    pen.fillStyle = this.lane.colours.now;
    pen.fillRect(x - 0.75, 8, 1.5, height - 8);
    pen.beginPath();
    pen.moveTo(x - 5, 2); pen.lineTo(x + 5, 2); pen.lineTo(x, 10);
    pen.fill();
  }

  /** @param {number} dpr */
  #overview(dpr) {
    const pen = penOf(this.axis.overview);
    const width = this.axis.overview.clientWidth, height = this.axis.overview.clientHeight;
    if (!width || !height) return;
    pen.setTransform(dpr, 0, 0, dpr, 0, 0);
    pen.clearRect(0, 0, width, height);
    const scale = this.axis.line.axis / width;
    const peaks = this.axis.pictures.peaks(scale), pairs = Array.from({ length: width }, (_, x) => peaks(this.axis.line.convert("at", "source", x * scale)));
    const half = (height / 2) * gainOf(pairs);
    pen.fillStyle = this.lane.colours.wave;
    pen.globalAlpha = 0.5;
    for (const [x, [low, high]] of pairs.entries()) {
      pen.fillRect(x, height / 2 - high * half, 1, Math.max(1, (high - low) * half));
    }
    pen.globalAlpha = 1;
    for (const each of this.axis.line.stretches) {
      if (!each.edit) continue;
      pen.fillStyle = this.lane.colours.come;
      pen.fillRect(each.at / scale, 0, Math.max(2, each.length / scale), height);
    }
    pen.fillStyle = this.lane.colours.now;
    pen.fillRect(this.hearing.headAt() / scale, 0, 1.5, height);
    pen.strokeStyle = this.lane.colours.now;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.roundRect(this.axis.left / scale + 0.75, 0.75, Math.max(6, (this.axis.width * this.axis.scale) / scale - 1.5), height - 1.5, 3);
    pen.stroke();
  }
}

/** @param {[lowest: number, highest: number][]} pairs of a view's pixels */
const gainOf = (pairs) => 0.95 / pairs.reduce((most, [low, high]) => Math.max(most, high, -low), SILENT);

/** @param {Pen} pen @param {number} x @param {number} y @param {number} to @param {number} until */
function line(pen, x, y, to, until) {
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(to, until);
  pen.stroke();
}
