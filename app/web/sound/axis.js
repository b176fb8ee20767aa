// The axis that the recording and its edit share: which of it is in view, and how far it is zoomed.

import { make } from "../elements.js";
import { Pictures } from "./pictures.js";
import { TEXTS } from "../texts.js";

const FINEST = 900; // pixels of a second, at most

export class Axis {
  /** @param {HTMLElement} host @param {import("../state.js").State} state @param {() => number} headAt where the playhead is @param {() => void} drawn draws it all */
  constructor(host, state, headAt, drawn) {
    this.state = state;
    this.headAt = headAt;
    this.drawn = drawn;
    this.waiting = 0; // the next frame, in which it is drawn
    this.left = 0; // samples of the axis
    this.scale = 1; // samples of a pixel
    this.width = 1; // pixels
    this.canvas = make("canvas", { class: "sound", tabindex: "0", role: "img", "aria-label": TEXTS.audio });
    this.overview = make("canvas", { class: "overview", "aria-hidden": "true" });
    this.tip = make("div", { class: "tip", hidden: true });
    host.append(this.canvas, this.overview, this.tip);
    this.pictures = new Pictures(state, () => this.draw());
    new ResizeObserver(() => { this.#sized(); if (this.state.sound) this.clamp(); this.draw(); }).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  /** Draws it all anew, before the next frame is shown. */
  draw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => { this.waiting = 0; if (this.state.sound) this.drawn(); });
  }

  get rate() { return this.state.rate; }
  get line() { return this.state.timeline; }
  /** @param {number} at */
  x(at) { return (at - this.left) / this.scale; }
  /** @param {number} x */
  at(x) { return this.left + x * this.scale; }

  #sized() {
    this.width = this.canvas.clientWidth || 1; // asked for once: it would lay out the page for every key
    for (const canvas of [this.canvas, this.overview]) {
      const dpr = Math.min(window.devicePixelRatio || 1, 2);
      canvas.width = Math.max(1, canvas.clientWidth * dpr);
      canvas.height = Math.max(1, canvas.clientHeight * dpr);
    }
  }

  /** Another recording: all of it, or as much as has room for its words. */
  reset() {
    this.pictures.clear();
    this.#sized();
    if (this.state.sound) this.show(0, Math.min(this.line.axis, 10 * this.rate));
  }

  /** @param {number} first @param {number} last */
  show(first, last) {
    this.scale = Math.max((last - first) / this.width, this.rate / FINEST);
    this.left = first;
    this.clamp();
    this.draw();
  }

  whole() { this.show(0, this.line.axis); }

  /** @param {number} factor @param {number|null} x what stays where it is */
  zoom(factor, x = null) {
    const head = this.x(this.headAt());
    const around = x ?? (head >= 0 && head <= this.width ? head : this.width / 2);
    const fixed = this.at(around);
    this.scale = Math.min(Math.max(this.scale / factor, this.rate / FINEST), this.line.axis / this.width);
    this.left = fixed - around * this.scale;
    this.clamp();
    this.draw();
  }

  /** Keeps the view within the recording. */
  clamp() {
    this.scale = Math.min(this.scale, this.line.axis / this.width);
    this.left = Math.max(0, Math.min(this.left, this.line.axis - this.width * this.scale));
  }

  /** Brings a stretch of the axis into the view, if it isn't there. @param {number} first @param {number} last */
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
    const x = this.x(this.headAt());
    if (x > this.width * 0.92 || x < 0) {
      this.left += (x - this.width * 0.12) * this.scale;
      this.clamp();
    }
    this.draw();
  }
}
