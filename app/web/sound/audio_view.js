// The audio view: what pointing, dragging, the wheel and keys do in it.

import { AudioDrawing } from "./audio_drawing.js";
import { drag } from "../elements.js";
import { Axis } from "./axis.js";
import { TrackLabels } from "./track_labels.js";
import { RULER, WordLane } from "./word_lane.js";

const GRIP = 6, FINGER = 18; // pixels around an edge in which it is caught, by a finger as well

/** @typedef {import("./word_lane.js").Edge} Edge @typedef {import("./word_lane.js").WordEdge} WordEdge @typedef {import("./word_lane.js").PauseEdge} PauseEdge @typedef {import("./word_lane.js").NewEdge} NewEdge */
/** @typedef {{move: (event: PointerEvent) => void, end: (cancelled: boolean) => void}} Drag what follows the pointer */

export class AudioView {
  /**
   * @param {HTMLElement} host @param {import("../state.js").State} state @param {import("../editing.js").Editing} editing
   * @param {import("../hearing.js").Hearing} hearing @param {import("../script/script_view.js").ScriptView} view
   */
  constructor(host, state, editing, hearing, view) {
    this.state = state;
    this.editing = editing;
    this.hearing = hearing;
    this.view = view;
    this.dragging = false;
    this.coarse = false; // whether a finger points
    this.axis = new Axis(host, state, () => hearing.headAt(), () => this.drawing.drawNow());
    this.lane = new WordLane(this.axis);
    this.tracks = new TrackLabels(host, this.axis, hearing);
    this.drawing = new AudioDrawing(this.axis, this.lane, hearing, (height) => this.tracks.place(height));
    this.axis.canvas.addEventListener("pointerdown", (event) => this.#press(event));
    this.axis.canvas.addEventListener("pointermove", (event) => this.#hover(event));
    this.axis.canvas.addEventListener("pointerleave", () => { this.lane.hovered = null; this.axis.tip.hidden = true; this.axis.draw(); });
    this.axis.canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.axis.canvas.addEventListener("keydown", (event) => this.#key(event));
    this.axis.overview.addEventListener("pointerdown", (event) => this.#travel(event));
  }

  /** Where that is in it. @param {MouseEvent} event @returns {[x: number, y: number]} */
  #where(event) {
    const box = this.axis.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** The edge of a word at a place, if one can be caught there. @param {number} x @param {number} y */
  #edge(x, y) {
    if (y < RULER) return null;
    const reach = y > this.lane.rows.words ? (this.coarse ? FINGER : GRIP) : 3;
    const near = this.lane.edges.filter((edge) => Math.abs(edge.x - x) <= reach && (y > this.lane.rows.words || this.#isChosen(edge)));
    return near.sort((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0] || null;
  }

  /** @param {Edge} edge */
  #isChosen(edge) {
    const { active, range } = this.state;
    return edge.edit ? edge.edit === active : range && edge.k >= range[0] && edge.k < range[1];
  }

  /** @param {PointerEvent} event */
  #hover(event) {
    const [x, y] = this.#where(event);
    const before = this.lane.hovered;
    this.lane.hovered = this.dragging ? this.lane.hovered : this.#edge(x, y);
    this.axis.canvas.style.cursor = this.lane.hovered ? "ew-resize" : "text";
    const short = y > this.lane.rows.words && this.lane.short.find(({ a, b }) => a <= x && x < b);
    const tip = this.lane.hovered ? this.lane.hovered.hint : short ? short.text : "";
    this.axis.tip.hidden = !tip || this.dragging;
    if (tip) {
      this.axis.tip.textContent = tip;
      Object.assign(this.axis.tip.style, { left: `${Math.max(0, Math.min(x + 10, this.axis.width - this.axis.tip.offsetWidth))}px`, top: `${y - 30}px` });
    }
    if (before !== this.lane.hovered) this.axis.draw();
  }

  /** @param {PointerEvent} event */
  #press(event) {
    if (!this.state.sound || event.button) return;
    const [x, y] = this.#where(event);
    this.coarse = event.pointerType === "touch";
    const edge = this.#edge(x, y);
    const moves = !edge ? this.#sweep(x, y) : edge.side === "pause" ? this.#widen(edge) : edge.edit ? this.#pull(edge) : this.#drag(edge);
    drag(this.axis.canvas, event, moves.move, (last) => moves.end(last.type === "pointercancel"));
  }

  /** A word's edge follows the pointer and stops at its neighbours. @param {WordEdge} edge */
  #drag(edge) {
    const { script, sound } = this.state;
    const token = script.tokens[edge.k], was = { start: token.start, end: token.end };
    const low = edge.side === "start" ? (edge.k ? script.tokens[edge.k - 1].end : 0) : token.start + 0.03;
    const high = edge.side === "end" ? (edge.k + 1 < script.tokens.length ? script.tokens[edge.k + 1].start : sound?.seconds ?? Infinity) : token.end - 0.03;
    return this.#dragged((x) => {
      token[edge.side] = Math.min(Math.max(this.axis.line.convert("at", "source", this.axis.at(x)) / this.axis.rate, low), high);
    }, () => { if (token[edge.side] !== was[edge.side]) this.editing.moveWord(token, was); });
  }

  /** While something is dragged: `move` is told of each place, `end` of the last; then it is drawn. @param {(x: number) => void} move @param {() => void} end @returns {Drag} */
  #dragged(move, end) {
    this.dragging = true;
    return {
      move: (event) => { move(this.#where(event)[0]); this.axis.draw(); },
      end: () => { this.dragging = false; end(); this.lane.stretch = null; this.axis.draw(); },
    };
  }

  /** A pause grows with the pointer to the right, and shrinks with it to the left. @param {PauseEdge} edge */
  #widen(edge) {
    return this.#dragged((x) => {
      this.lane.stretch = { at: this.axis.at(x), seconds: Math.max(0.04, edge.from + ((x - edge.x) * this.axis.scale) / this.axis.rate) };
    }, () => { if (this.lane.stretch) this.editing.setPause(edge.k, this.lane.stretch.seconds); });
  }

  /** The end of a new word, or of all of them, follows the pointer: let go, they are made that long. @param {NewEdge} edge */
  #pull(edge) {
    return this.#dragged((x) => {
      const at = Math.max(this.axis.at(x), edge.from + 0.06 * this.axis.rate);
      this.lane.stretch = { at, seconds: (at - edge.from) / this.axis.rate };
    }, () => { if (this.lane.stretch) this.editing.again(edge.edit, edge.word === null ? { take: edge.take.number, duration: this.lane.stretch.seconds } : { take: edge.take.number, word: edge.word, seconds: this.lane.stretch.seconds }); });
  }

  /** A click goes there; a drag selects the words that it passes. @param {number} x @param {number} y @returns {Drag} */
  #sweep(x, y) {
    const first = this.axis.at(x), { hearing } = this;
    let moved = false;
    return {
      move: (event) => {
        const here = this.#where(event)[0], at = this.axis.at(here);
        if (!moved && Math.abs(here - x) < 4) return;
        moved = true;
        this.#select(Math.min(first, at), Math.max(first, at));
      },
      end: (cancelled) => {
        if (moved || cancelled) return; // a finger that scrolls is no click
        const word = y > this.lane.rows.words ? this.lane.words().find((each) => each.first <= first && first < each.last) : null;
        if (word && word.edit) hearing.activate(word.edit, true);
        else if (word) { this.view.selected.select(word.k); hearing.playToken(word.k); }
        else hearing.seekAxis(first);
      },
    };
  }

  /** A stretch of the axis is selected: so are the words whose middles it holds. @param {number} first @param {number} last */
  #select(first, last) {
    const { line, rate } = this.axis;
    const [a, b] = [first, last].map((at) => line.convert("at", "source", at) / rate);
    const inside = this.state.script.tokens.flatMap(({ start, end }, k) => ((start + end) / 2 >= a && (start + end) / 2 <= b ? [k] : []));
    if (inside.length) this.view.selected.select(inside[0], inside[inside.length - 1], false);
    this.state.sweep = [first, last];
    this.axis.draw();
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    if (!this.state.sound) return;
    event.preventDefault();
    this.view.text.setFollows(false);
    if (event.ctrlKey || event.metaKey) return this.axis.zoom(Math.exp(-event.deltaY / 200), this.#where(event)[0]);
    this.axis.left += (Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY) * this.axis.scale;
    this.axis.clamp();
    this.axis.draw();
  }

  /** @param {PointerEvent} event */
  #travel(event) {
    const go = (/** @type {MouseEvent} */ moving) => {
      const box = this.axis.overview.getBoundingClientRect();
      this.axis.left = ((moving.clientX - box.left) / box.width) * this.axis.line.axis - (this.axis.width * this.axis.scale) / 2;
      this.axis.clamp();
      this.hearing.look(this.axis.line.convert("at", "source", this.axis.at(this.axis.width / 2)) / this.axis.rate);
      this.axis.draw();
    };
    go(event);
    this.view.text.setFollows(false);
    drag(this.axis.overview, event, go);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.hearing.seekAxis(this.hearing.headAt() + by * this.axis.scale * 20);
  }
}
