// What is selected, and what is heard of it.

const CONTEXT = 1.2; // seconds that are heard on each side of a change

export class Hearing {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
  }

  /** Where the playhead is, in samples of the original. */
  heardSource() {
    if (!this.app.transport.timeline) return 0;
    return this.app.transport.timeline.sourceOf(this.app.transport.place);
  }

  heardToken() {
    return this.app.sound ? this.app.script.tokenAt(this.heardSource() / this.app.sound.sample_rate) : -1;
  }

  /** Where the playhead is on the axis of the audio view. */
  headAt() {
    if (!this.app.timeline) return 0;
    return this.app.side === "edited" ? this.app.timeline.convert("out", "at", this.app.transport.place) : this.app.timeline.convert("source", "at", this.app.transport.place);
  }

  selected(first, last, edit) {
    this.app.sweep = null;
    this.app.active = edit;
    this.app.changes.render();
    this.app.audio.axis.draw();
    if (last > first && this.app.sound && !this.app.transport.playing) {
      this.app.audio.axis.reveal(this.app.timeline.convert("source", "at", this.app.script.tokens[first].start * this.app.sound.sample_rate), this.app.timeline.convert("source", "at", this.app.script.tokens[last - 1].end * this.app.sound.sample_rate));
    }
  }

  /** A stretch of the axis is selected: so are the words whose middles it holds. */
  selectSound(first, last) {
    const rate = this.app.sound.sample_rate;
    const [a, b] = [first, last].map((at) => this.app.timeline.convert("at", "source", at) / rate);
    const inside = this.app.script.tokens.flatMap((token, k) => ((token.start + token.end) / 2 >= a && (token.start + token.end) / 2 <= b ? [k] : []));
    if (inside.length) this.app.view.selected.select(inside[0], inside[inside.length - 1], false);
    this.app.sweep = [first, last];
    this.app.audio.axis.draw();
  }

  /** What is selected, as stretches of the axis. */
  selectedSpans() {
    if (this.app.sweep) return [this.app.sweep];
    const range = this.app.view.selected.range, rate = this.app.sound.sample_rate;
    if (!range || range[1] > this.app.script.tokens.length) return [];
    return [[this.app.timeline.convert("source", "at", this.app.script.tokens[range[0]].start * rate), this.app.timeline.convert("source", "at", this.app.script.tokens[range[1] - 1].end * rate)]];
  }

  /** A change becomes the selected one, in the script, the list and the audio view. */
  activate(edit, seen) {
    this.app.active = edit;
    this.app.showChanges(true);
    this.app.view.selected.selection = null;
    this.app.view.text.render();
    this.app.changes.render();
    const span = this.app.sound && this.app.timeline.spanOf(edit);
    if (span) {
      const [first, last] = span.map((out) => this.app.timeline.convert("out", "at", out));
      this.app.audio.axis.reveal(first, last);
      if (!this.app.transport.playing && this.app.side === "edited") this.app.transport.seek(Math.max(0, span[0] - CONTEXT * this.app.sound.sample_rate));
    }
    if (seen) {
      const place = this.app.script.placeOf(edit), element = place && this.app.view.text.changeAt(place);
      if (element) this.app.view.text.follow(element);
      this.app.parts.changes.querySelector(".card.active")?.scrollIntoView({ block: "nearest" });
    }
    this.app.audio.axis.draw();
  }

  #outOf(source) {
    return this.app.transport.timeline.outOf(source);
  }

  /** What lies around this second of the recording is listened to next, if it hasn't been. */
  look(seconds, seek = false) {
    if (seek && this.app.sound) this.app.transport.seek(this.#outOf(seconds * this.app.sound.sample_rate));
    const missing = this.app.script.missing.find(([start, end]) => start <= seconds && seconds < end);
    if (!missing || this.app.looked === missing[0]) return;
    this.app.looked = missing[0];
    this.app.server.ask(`/projects/${this.app.project}/look`, { seconds }).catch(() => { this.app.looked = null; });
  }

  seekAxis(at) {
    if (!this.app.timeline) return;
    this.app.sweep = null;
    this.app.transport.seek(this.app.timeline.convert("at", this.app.side === "edited" ? "out" : "source", at));
    this.app.audio.axis.draw();
  }

  playToken(k) {
    if (this.app.transport.playing && !this.app.transport.run.until) return this.app.transport.seek(this.#outOf(Math.ceil(this.app.script.tokens[k].start * this.app.sound.sample_rate)));
    const place = this.app.script.placeAt(k);
    if (place && this.app.side === "edited" && this.app.timeline.spanOf(place.edit)) return this.playEdit(place.edit);
    return this.playTokens(k, k + 1);
  }

  playTokens(first, last) {
    if (!this.app.sound) return;
    const rate = this.app.sound.sample_rate, { tokens } = this.app.script;
    this.app.transport.play(this.#outOf(Math.ceil(tokens[first].start * rate)), this.#outOf((tokens[last - 1].end + 0.02) * rate));
  }

  /** A stretch of the recording, in seconds, with what is around it. */
  playStretch(start, end) {
    if (!this.app.sound) return;
    const rate = this.app.sound.sample_rate;
    this.app.transport.play(this.#outOf(Math.max(0, start - CONTEXT / 2) * rate), this.#outOf(Math.min(end + CONTEXT / 2, this.app.sound.seconds) * rate));
  }

  /** A change with what is around it. */
  playEdit(edit, loop = this.app.looped === edit) {
    if (!this.app.sound) return;
    const span = this.app.timeline.spanOf(edit);
    if (!span) { this.app.wanted = edit; return; }
    const around = CONTEXT * this.app.sound.sample_rate;
    let [first, last] = [Math.max(0, span[0] - around), Math.min(this.app.timeline.length, span[1] + around)];
    if (this.app.side === "original") [first, last] = [this.app.timeline.sourceOf(first), this.app.timeline.sourceOf(last)];
    this.app.transport.play(first, last, loop);
  }

  toggleLoop(edit) {
    this.app.looped = this.app.looped === edit ? null : edit;
    if (this.app.looped) this.playEdit(edit, true);
    else this.app.transport.stop();
    this.app.changes.render();
  }

  setSide(side) {
    this.app.side = side;
    this.app.transport.setTimeline(side === "edited" ? this.app.editedLine : this.app.originalLine);
    this.app.parts.refresh();
    this.app.changes.render();
    this.app.tick();
  }
}
