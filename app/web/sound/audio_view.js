// The audio view: what pointing, dragging, the wheel and keys do in it.

import { AudioDrawing } from "./audio_drawing.js";
import { drag } from "../elements.js";
import { TEXTS } from "../texts.js";
import { Axis } from "./axis.js";
import { RULER, WordLane } from "./word_lane.js";

const GRIP = 6, FINGER = 18; // pixels around an edge in which it is caught, by a finger as well

export class AudioView {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    this.app = app;
    this.axis = new Axis(host, app, () => this.drawing.drawNow());
    this.lane = new WordLane(this.axis);
    this.drawing = new AudioDrawing(this.axis, this.lane);
    this.axis.canvas.addEventListener("pointerdown", (event) => this.#press(event));
    this.axis.canvas.addEventListener("pointermove", (event) => this.#hover(event));
    this.axis.canvas.addEventListener("pointerleave", () => { this.lane.hovered = null; this.axis.tip.hidden = true; this.axis.draw(); });
    this.axis.canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.axis.canvas.addEventListener("keydown", (event) => this.#key(event));
    this.axis.overview.addEventListener("pointerdown", (event) => this.#travel(event));
  }

  #where(event) {
    const box = this.axis.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** The edge of a word at a place, if one can be caught there. */
  #edge(x, y) {
    if (!this.lane.edges || y < RULER) return null;
    const reach = y > this.lane.rows.words ? (this.coarse ? FINGER : GRIP) : 3;
    const near = this.lane.edges.filter((edge) => Math.abs(edge.x - x) <= reach && (y > this.lane.rows.words || this.#isChosen(edge)));
    return near.sort((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0] || null;
  }

  #isChosen({ k, edit }) {
    const range = this.app.view.selected.range;
    return edit ? edit === this.app.active : range && k >= range[0] && k < range[1];
  }

  #hover(event) {
    const [x, y] = this.#where(event);
    const before = this.lane.hovered;
    this.lane.hovered = this.dragging ? this.lane.hovered : this.#edge(x, y);
    this.axis.canvas.style.cursor = this.lane.hovered ? "ew-resize" : "text";
    this.axis.tip.hidden = !this.lane.hovered || this.dragging;
    if (this.lane.hovered) { this.axis.tip.textContent = this.lane.hovered.side === "pause" ? TEXTS.pause_drag : !this.lane.hovered.edit ? TEXTS.boundary : this.lane.hovered.word === null ? TEXTS.stretch : TEXTS.word_drag; this.axis.tip.style.left = `${Math.min(x + 10, this.axis.width - 260)}px`; this.axis.tip.style.top = `${y - 30}px`; }
    if (before !== this.lane.hovered) this.axis.draw();
  }

  #press(event) {
    if (!this.app.sound || event.button) return;
    const [x, y] = this.#where(event);
    this.coarse = event.pointerType === "touch";
    const edge = this.#edge(x, y);
    const moves = !edge ? this.#sweep(x, y) : edge.side === "pause" ? this.#widen(edge) : edge.edit ? this.#pull(edge) : this.#drag(edge);
    drag(this.axis.canvas, event, moves, (last) => moves.end(last.type === "pointercancel"));
  }

  /** A word's edge follows the pointer and stops at its neighbours. */
  #drag(edge) {
    const { script } = this.app;
    const token = script.tokens[edge.k], was = { start: token.start, end: token.end };
    const low = edge.side === "start" ? (edge.k ? script.tokens[edge.k - 1].end : 0) : token.start + 0.03;
    const high = edge.side === "end" ? (edge.k + 1 < script.tokens.length ? script.tokens[edge.k + 1].start : this.app.sound.seconds) : token.end - 0.03;
    return this.#dragged((x) => {
      token[edge.side] = Math.min(Math.max(this.axis.line.convert("at", "source", this.axis.at(x)) / this.axis.rate, low), high);
    }, () => { if (token[edge.side] !== was[edge.side]) this.app.editing.moveWord(token, was); });
  }

  /** While something is dragged: `move` is told of each place, `end` of the last; then it is drawn. @param {(x: number) => void} move @param {() => void} end */
  #dragged(move, end) {
    this.dragging = true;
    const moves = (event) => { move(this.#where(event)[0]); this.axis.draw(); };
    moves.end = () => { this.dragging = false; end(); this.lane.stretch = null; this.axis.draw(); };
    return moves;
  }

  /** A pause grows with the pointer to the right, and shrinks with it to the left. */
  #widen(edge) {
    return this.#dragged((x) => {
      this.lane.stretch = { at: this.axis.at(x), seconds: Math.max(0.04, edge.from + ((x - edge.x) * this.axis.scale) / this.axis.rate) };
    }, () => { if (this.lane.stretch) this.app.editing.setPause(edge.k, this.lane.stretch.seconds); });
  }

  /** The end of a new word, or of all of them, follows the pointer: let go, they are made that long. */
  #pull(edge) {
    return this.#dragged((x) => {
      const at = Math.max(this.axis.at(x), edge.from + 0.06 * this.axis.rate);
      this.lane.stretch = { at, seconds: (at - edge.from) / this.axis.rate };
    }, () => { if (this.lane.stretch) this.app.editing.again(edge.edit, edge.word === null ? { duration: this.lane.stretch.seconds } : { take: edge.take.number, word: edge.word, seconds: this.lane.stretch.seconds }); });
  }

  /** A click goes there; a drag selects the words that it passes. */
  #sweep(x, y) {
    const first = this.axis.at(x);
    let moved = false;
    const move = (event) => {
      const here = this.#where(event)[0];
      if (!moved && Math.abs(here - x) < 4) return;
      moved = true;
      this.app.hearing.selectSound(Math.min(first, this.axis.at(here)), Math.max(first, this.axis.at(here)));
    };
    move.end = (cancelled) => {
      if (moved || cancelled) return; // a finger that scrolls is no click
      const word = y > this.lane.rows.words ? this.lane.words().find((each) => each.first <= first && first < each.last) : null;
      if (word && word.edit) this.app.hearing.activate(word.edit, true);
      else if (word) { this.app.view.selected.select(word.k); this.app.hearing.playToken(word.k); }
      else this.app.hearing.seekAxis(first);
    };
    return move;
  }

  #wheel(event) {
    if (!this.app.sound) return;
    event.preventDefault();
    this.app.view.text.setFollows(false);
    if (event.ctrlKey || event.metaKey) return this.axis.zoom(Math.exp(-event.deltaY / 200), this.#where(event)[0]);
    this.axis.left += (Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY) * this.axis.scale;
    this.axis.clamp();
    this.axis.draw();
  }

  #travel(event) {
    const go = (moving) => {
      const box = this.axis.overview.getBoundingClientRect();
      this.axis.left = ((moving.clientX - box.left) / box.width) * this.axis.line.axis - (this.axis.width * this.axis.scale) / 2;
      this.axis.clamp();
      this.app.hearing.look(this.axis.line.convert("at", "source", this.axis.at(this.axis.width / 2)) / this.axis.rate);
      this.axis.draw();
    };
    go(event);
    this.app.view.text.setFollows(false);
    drag(this.axis.overview, event, go);
  }

  #key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.app.hearing.seekAxis(this.app.hearing.headAt() + by * this.axis.scale * 20);
  }
}
