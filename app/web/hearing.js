// What is heard of the script and its changes, and which change is selected.

/** @import { Edit } from "./records" */

const NEAR = 5; // seconds from where it was asked for last
const CONTEXT = 1.2; // seconds that are heard on each side of a change

export class Hearing {
  /** @param {import("./state.js").State} state */
  constructor(state) {
    this.state = state;
    this.script = state.script;
    this.transport = state.transport;
  }

  /** Where the playhead is, in samples of the original. */
  heardSource() { return this.transport.timeline.sourceOf(this.transport.place); }

  heardToken() {
    return this.state.sound ? this.script.tokenAt(this.heardSource() / this.state.rate) : -1;
  }

  /** Where the playhead is on the axis of the audio view. */
  headAt() {
    const { timeline, side } = this.state;
    return timeline.convert(side === "edited" ? "out" : "source", "at", this.transport.place);
  }

  /** Tokens [first, last) were selected, and with them perhaps a change. @param {number} first @param {number} last @param {Edit|null} edit */
  selected(first, last, edit) {
    this.state.sweep = null;
    this.state.active = edit;
    this.state.renderChanges();
    this.state.redraw();
    if (this.#waits(first, last)) this.look(this.script.tokens[first].start);
    else if (last > first && this.state.sound && !this.transport.playing) this.state.reveal(...this.#span(first, last));
  }

  /** Whether some of tokens [first, last) have no times yet. @param {number} first @param {number} last */
  #waits(first, last) { return this.script.tokens.slice(first, last).some(({ waits }) => waits); }

  /** The stretch of the axis of tokens [first, last). @param {number} first @param {number} last @returns {[number, number]} */
  #span(first, last) {
    const { tokens } = this.script, { timeline, rate } = this.state;
    return [timeline.convert("source", "at", tokens[first].start * rate), timeline.convert("source", "at", tokens[last - 1].end * rate)];
  }

  /** What is selected, as stretches of the axis. */
  selectedSpans() {
    const { sweep, range } = this.state;
    if (sweep) return [sweep];
    return range && range[1] <= this.script.tokens.length && !this.#waits(...range) ? [this.#span(...range)] : [];
  }

  /** A change becomes the selected one, in the script, the list and the audio view. @param {Edit} edit @param {boolean} seen whether the view goes there */
  activate(edit, seen) {
    const { state, transport } = this, { sound, timeline } = state;
    state.active = edit;
    state.selection = null;
    state.activated(seen);
    const span = sound && timeline.spanOf(edit);
    if (span) {
      state.reveal(timeline.convert("out", "at", span[0]), timeline.convert("out", "at", span[1]));
      if (!transport.playing && state.side === "edited") transport.seek(Math.max(0, span[0] - CONTEXT * sound.sample_rate));
    }
    state.redraw();
  }

  /** @param {number} source */
  #outOf(source) {
    return this.transport.timeline.outOf(source);
  }

  /** What lies around this second of the recording is listened to next, if it hasn't been. @param {number} seconds */
  look(seconds, seek = false) {
    const { state } = this;
    if (seek && state.sound) this.transport.seek(this.#outOf(seconds * state.rate));
    const missing = this.script.missing.find(([start, end]) => start <= seconds && seconds < end);
    if (!missing || (state.looked !== null && Math.abs(state.looked - seconds) < NEAR)) return;
    state.looked = seconds;
    state.server.ask(`/projects/${state.project}/look`, { seconds }).catch(() => { state.looked = null; });
  }

  /** @param {number} at */
  seekAxis(at) {
    const { timeline, side, sound } = this.state;
    if (!sound) return;
    this.state.sweep = null;
    this.transport.seek(timeline.convert("at", side === "edited" ? "out" : "source", at));
    this.state.redraw();
  }

  /** @param {number} k */
  playToken(k) {
    if (this.#waits(k, k + 1)) return;
    if (this.transport.playing && !this.transport.run?.until) return this.transport.seek(this.#outOf(Math.ceil(this.script.tokens[k].start * this.state.rate)));
    const place = this.script.placeAt(k);
    if (place && this.state.side === "edited" && this.state.timeline.spanOf(place.edit)) return this.playEdit(place.edit);
    return this.playTokens(k, k + 1);
  }

  /** @param {number} first @param {number} last */
  playTokens(first, last) {
    if (!this.state.sound || this.#waits(first, last)) return;
    const { rate } = this.state, { tokens } = this.script;
    this.transport.play(this.#outOf(Math.ceil(tokens[first].start * rate)), this.#outOf((tokens[last - 1].end + 0.02) * rate));
  }

  /** A stretch of the recording, in seconds, with what is around it. @param {number} start @param {number} end */
  playStretch(start, end) {
    const { rate, sound } = this.state;
    if (!sound) return;
    this.transport.play(this.#outOf(Math.max(0, start - CONTEXT / 2) * rate), this.#outOf(Math.min(end + CONTEXT / 2, sound.seconds) * rate));
  }

  /** A change with what is around it. @param {Edit} edit */
  playEdit(edit, loop = this.state.looped === edit) {
    const { sound, timeline, side } = this.state;
    if (!sound) return;
    const span = timeline.spanOf(edit);
    if (!span) { this.state.wanted = edit; return; }
    const around = CONTEXT * sound.sample_rate;
    let [first, last] = [Math.max(0, span[0] - around), Math.min(timeline.length, span[1] + around)];
    if (side === "original") [first, last] = [timeline.sourceOf(first), timeline.sourceOf(last)];
    this.transport.play(first, last, loop);
  }

  /** @param {Edit} edit */
  toggleLoop(edit) {
    this.state.looped = this.state.looped === edit ? null : edit;
    if (this.state.looped) this.playEdit(edit, true);
    else this.transport.stop();
    this.state.renderChanges();
  }

  /** A track is heard no more, or again. @param {number} track */
  mute(track) {
    if (!this.state.muted.delete(track)) this.state.muted.add(track);
    this.#hear();
  }

  /** A track is heard alone, or with the others again. @param {number} track */
  alone(track) {
    this.state.solo = this.state.solo === track ? null : track;
    this.#hear();
  }

  #hear() {
    this.transport.hear(this.state.heard);
    this.state.redraw();
  }

  /** @param {"edited"|"original"} side */
  setSide(side) {
    const { state } = this;
    state.side = side;
    this.transport.setTimeline(side === "edited" ? state.timeline : state.originalLine);
    state.refresh();
    state.renderChanges();
    state.tick();
  }
}
