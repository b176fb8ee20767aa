// The audio view: what pointing, dragging, the wheel and keys do in it.

import { AudioDrawing } from "./audio_drawing.js";
import { drag } from "../elements.js";
import { TEXTS } from "../texts.js";
import { RULER } from "./word_lane.js";

const GRIP = 6, FINGER = 18; // pixels around an edge in which it is caught, by a finger as well

export class AudioView extends AudioDrawing {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    super(host, app);
    this.canvas.addEventListener("pointerdown", (event) => this.#press(event));
    this.canvas.addEventListener("pointermove", (event) => this.#hover(event));
    this.canvas.addEventListener("pointerleave", () => { this.hovered = null; this.tip.hidden = true; this.draw(); });
    this.canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.canvas.addEventListener("keydown", (event) => this.#key(event));
    this.overview.addEventListener("pointerdown", (event) => this.#travel(event));
  }

  #where(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** The edge of a word at a place, if one can be caught there. */
  #edge(x, y) {
    if (!this.edges || y < RULER) return null;
    const reach = y > this.rows.words ? (this.coarse ? FINGER : GRIP) : 3;
    const near = this.edges.filter((edge) => Math.abs(edge.x - x) <= reach && (y > this.rows.words || this.#isChosen(edge)));
    return near.sort((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0] || null;
  }

  #isChosen({ k, edit }) {
    const range = this.app.view.range;
    return edit ? edit === this.app.active : range && k >= range[0] && k < range[1];
  }

  #hover(event) {
    const [x, y] = this.#where(event);
    const before = this.hovered;
    this.hovered = this.dragging ? this.hovered : this.#edge(x, y);
    this.canvas.style.cursor = this.hovered ? "ew-resize" : "text";
    this.tip.hidden = !this.hovered || this.dragging;
    if (this.hovered) { this.tip.textContent = this.hovered.side === "pause" ? TEXTS.pause_drag : !this.hovered.edit ? TEXTS.boundary : this.hovered.word === null ? TEXTS.stretch : TEXTS.word_drag; this.tip.style.left = `${Math.min(x + 10, this.width - 260)}px`; this.tip.style.top = `${y - 30}px`; }
    if (before !== this.hovered) this.draw();
  }

  #press(event) {
    if (!this.app.sound || event.button) return;
    const [x, y] = this.#where(event);
    this.coarse = event.pointerType === "touch";
    const edge = this.#edge(x, y);
    const moves = !edge ? this.#sweep(x, y) : edge.side === "pause" ? this.#widen(edge) : edge.edit ? this.#pull(edge) : this.#drag(edge);
    drag(this.canvas, event, moves, (last) => moves.end(last.type === "pointercancel"));
  }

  /** A word's edge follows the pointer and stops at its neighbours. */
  #drag(edge) {
    const { script } = this.app;
    const token = script.tokens[edge.k], was = { start: token.start, end: token.end };
    const low = edge.side === "start" ? (edge.k ? script.tokens[edge.k - 1].end : 0) : token.start + 0.03;
    const high = edge.side === "end" ? (edge.k + 1 < script.tokens.length ? script.tokens[edge.k + 1].start : this.app.sound.seconds) : token.end - 0.03;
    return this.#dragged((x) => {
      token[edge.side] = Math.min(Math.max(this.line.convert("at", "source", this.at(x)) / this.rate, low), high);
    }, () => { if (token[edge.side] !== was[edge.side]) this.app.moveWord(token, was); });
  }

  /** While something is dragged: `move` is told of each place, `end` of the last; then it is drawn. @param {(x: number) => void} move @param {() => void} end */
  #dragged(move, end) {
    this.dragging = true;
    const moves = (event) => { move(this.#where(event)[0]); this.draw(); };
    moves.end = () => { this.dragging = false; end(); this.stretch = null; this.draw(); };
    return moves;
  }

  /** A pause grows with the pointer to the right, and shrinks with it to the left. */
  #widen(edge) {
    return this.#dragged((x) => {
      this.stretch = { at: this.at(x), seconds: Math.max(0.04, edge.from + ((x - edge.x) * this.scale) / this.rate) };
    }, () => { if (this.stretch) this.app.setPause(edge.k, this.stretch.seconds); });
  }

  /** The end of a new word, or of all of them, follows the pointer: let go, they are made that long. */
  #pull(edge) {
    return this.#dragged((x) => {
      const at = Math.max(this.at(x), edge.from + 0.06 * this.rate);
      this.stretch = { at, seconds: (at - edge.from) / this.rate };
    }, () => { if (this.stretch) this.app.again(edge.edit, edge.word === null ? { duration: this.stretch.seconds } : { take: edge.take.number, word: edge.word, seconds: this.stretch.seconds }); });
  }

  /** A click goes there; a drag selects the words that it passes. */
  #sweep(x, y) {
    const first = this.at(x);
    let moved = false;
    const move = (event) => {
      const here = this.#where(event)[0];
      if (!moved && Math.abs(here - x) < 4) return;
      moved = true;
      this.app.selectSound(Math.min(first, this.at(here)), Math.max(first, this.at(here)));
    };
    move.end = (cancelled) => {
      if (moved || cancelled) return; // a finger that scrolls is no click
      const word = y > this.rows.words ? this.words().find((each) => each.first <= first && first < each.last) : null;
      if (word && word.edit) this.app.activate(word.edit, true);
      else if (word) { this.app.view.select(word.k); this.app.playToken(word.k); }
      else this.app.seekAxis(first);
    };
    return move;
  }

  #wheel(event) {
    if (!this.app.sound) return;
    event.preventDefault();
    this.app.view.setFollows(false);
    if (event.ctrlKey || event.metaKey) return this.zoom(Math.exp(-event.deltaY / 200), this.#where(event)[0]);
    this.left += (Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY) * this.scale;
    this.clamp();
    this.draw();
  }

  #travel(event) {
    const go = (moving) => {
      const box = this.overview.getBoundingClientRect();
      this.left = ((moving.clientX - box.left) / box.width) * this.line.axis - (this.width * this.scale) / 2;
      this.clamp();
      this.app.look(this.line.convert("at", "source", this.at(this.width / 2)) / this.rate);
      this.draw();
    };
    go(event);
    this.app.view.setFollows(false);
    drag(this.overview, event, go);
  }

  #key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.app.seekAxis(this.app.headAt() + by * this.scale * 20);
  }
}
