// What is selected, and what is heard of it.

const CONTEXT = 1.2; // seconds that are heard on each side of a change

export class Hearing {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.script = app.script;
    this.transport = app.transport;
  }

  /** Where the playhead is, in samples of the original. */
  heardSource() {
    if (!this.transport.timeline) return 0;
    return this.transport.timeline.sourceOf(this.transport.place);
  }

  heardToken() {
    return this.app.sound ? this.script.tokenAt(this.heardSource() / this.app.sound.sample_rate) : -1;
  }

  /** Where the playhead is on the axis of the audio view. */
  headAt() {
    const { timeline, side } = this.app;
    return timeline ? timeline.convert(side === "edited" ? "out" : "source", "at", this.transport.place) : 0;
  }

  selected(first, last, edit) {
    this.app.sweep = null;
    this.app.active = edit;
    this.app.changes.render();
    this.app.audio.axis.draw();
    if (last > first && this.app.sound && !this.transport.playing) this.app.audio.axis.reveal(...this.#span(first, last));
  }

  /** The stretch of the axis of tokens [first, last). */
  #span(first, last) {
    const { tokens } = this.script, { timeline, sound } = this.app;
    return [tokens[first].start, tokens[last - 1].end].map((time) => timeline.convert("source", "at", time * sound.sample_rate));
  }

  /** A stretch of the axis is selected: so are the words whose middles it holds. */
  selectSound(first, last) {
    const { timeline, sound, view } = this.app;
    const [a, b] = [first, last].map((at) => timeline.convert("at", "source", at) / sound.sample_rate);
    const inside = this.script.tokens.flatMap(({ start, end }, k) => ((start + end) / 2 >= a && (start + end) / 2 <= b ? [k] : []));
    if (inside.length) view.selected.select(inside[0], inside[inside.length - 1], false);
    this.app.sweep = [first, last];
    this.app.audio.axis.draw();
  }

  /** What is selected, as stretches of the axis. */
  selectedSpans() {
    if (this.app.sweep) return [this.app.sweep];
    const { range } = this.app.view.selected;
    return range && range[1] <= this.script.tokens.length ? [this.#span(range[0], range[1])] : [];
  }

  /** A change becomes the selected one, in the script, the list and the audio view. */
  activate(edit, seen) {
    const { app, transport } = this, { audio, changes, sound, timeline, view } = app;
    app.active = edit;
    app.showChanges(true);
    view.selected.selection = null;
    view.text.render();
    changes.render();
    const span = sound && timeline.spanOf(edit);
    if (span) {
      const [first, last] = span.map((out) => timeline.convert("out", "at", out));
      audio.axis.reveal(first, last);
      if (!transport.playing && app.side === "edited") transport.seek(Math.max(0, span[0] - CONTEXT * sound.sample_rate));
    }
    if (seen) {
      const place = this.script.placeOf(edit), element = place && view.text.changeAt(place);
      if (element) view.text.follow(element);
      app.parts.changes.querySelector(".card.active")?.scrollIntoView({ block: "nearest" });
    }
    audio.axis.draw();
  }

  #outOf(source) {
    return this.transport.timeline.outOf(source);
  }

  /** What lies around this second of the recording is listened to next, if it hasn't been. */
  look(seconds, seek = false) {
    if (seek && this.app.sound) this.transport.seek(this.#outOf(seconds * this.app.sound.sample_rate));
    const missing = this.script.missing.find(([start, end]) => start <= seconds && seconds < end);
    if (!missing || this.app.looked === missing[0]) return;
    this.app.looked = missing[0];
    this.app.server.ask(`/projects/${this.app.project}/look`, { seconds }).catch(() => { this.app.looked = null; });
  }

  seekAxis(at) {
    const { timeline, side } = this.app;
    if (!timeline) return;
    this.app.sweep = null;
    this.transport.seek(timeline.convert("at", side === "edited" ? "out" : "source", at));
    this.app.audio.axis.draw();
  }

  playToken(k) {
    if (this.transport.playing && !this.transport.run.until) return this.transport.seek(this.#outOf(Math.ceil(this.script.tokens[k].start * this.app.sound.sample_rate)));
    const place = this.script.placeAt(k);
    if (place && this.app.side === "edited" && this.app.timeline.spanOf(place.edit)) return this.playEdit(place.edit);
    return this.playTokens(k, k + 1);
  }

  playTokens(first, last) {
    if (!this.app.sound) return;
    const rate = this.app.sound.sample_rate, { tokens } = this.script;
    this.transport.play(this.#outOf(Math.ceil(tokens[first].start * rate)), this.#outOf((tokens[last - 1].end + 0.02) * rate));
  }

  /** A stretch of the recording, in seconds, with what is around it. */
  playStretch(start, end) {
    if (!this.app.sound) return;
    const rate = this.app.sound.sample_rate;
    this.transport.play(this.#outOf(Math.max(0, start - CONTEXT / 2) * rate), this.#outOf(Math.min(end + CONTEXT / 2, this.app.sound.seconds) * rate));
  }

  /** A change with what is around it. */
  playEdit(edit, loop = this.app.looped === edit) {
    const { sound, timeline, side } = this.app;
    if (!sound) return;
    const span = timeline.spanOf(edit);
    if (!span) { this.app.wanted = edit; return; }
    const around = CONTEXT * sound.sample_rate;
    let [first, last] = [Math.max(0, span[0] - around), Math.min(timeline.length, span[1] + around)];
    if (side === "original") [first, last] = [timeline.sourceOf(first), timeline.sourceOf(last)];
    this.transport.play(first, last, loop);
  }

  toggleLoop(edit) {
    this.app.looped = this.app.looped === edit ? null : edit;
    if (this.app.looped) this.playEdit(edit, true);
    else this.transport.stop();
    this.app.changes.render();
  }

  setSide(side) {
    this.app.side = side;
    this.transport.setTimeline(side === "edited" ? this.app.editedLine : this.app.originalLine);
    this.app.parts.refresh();
    this.app.changes.render();
    this.app.tick();
  }
}
