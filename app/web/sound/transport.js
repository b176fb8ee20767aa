// Plays a timeline, sample for sample, and goes from one to another at the same instant.

import { Mixer } from "./mixer.js";
import { Stretch } from "./stretch.js";
import { Timeline } from "./timeline.js";

/** @import { Sound } from "../records" */
/**
 * What is playing: from `first` on, what is scheduled `next` and `at` what time, until where.
 * @typedef {object} Run
 * @property {AudioContext} context @property {GainNode} gain @property {Stretch|null} stretch
 * @property {number} first @property {number} next @property {number} at @property {number|null} until
 * @property {boolean} loop @property {number} speed @property {{start: number, end: number, out: number}[]} scheduled
 * @property {AudioBufferSourceNode[]} nodes @property {import("./timeline.js").Piece[]} pieces @property {boolean} busy
 * @property {ReturnType<typeof setTimeout>} [timer]
 */
/** @typedef {number|string} Name of a chunk of the original, or of a take */

const CHUNK = 5; // seconds of the original in one answer of the server
const KEPT = 24; // chunks
const AHEAD = 1.2; // seconds that are scheduled in advance
const FADE = 0.012; // seconds from one timeline to another
const SOON = 0.06; // seconds until a change is heard
const TAIL = 0.06, TAKEN = 0.5; // seconds that a stretch needs beyond what is played, and that it is given at once

/** Some samples of a buffer at another speed; null if there are none yet. @param {Stretch} stretch @param {AudioBuffer} buffer @param {number} offset @param {number} count */
function stretched(stretch, buffer, offset, count) {
  const { numberOfChannels, sampleRate } = buffer;
  const made = stretch.push(Array.from({ length: numberOfChannels }, (_, c) => buffer.getChannelData(c).subarray(offset, offset + count)));
  if (!made[0].length) return null;
  const result = new AudioBuffer({ length: made[0].length, numberOfChannels, sampleRate });
  made.forEach((samples, c) => result.copyToChannel(/** @type {any} */ (samples), c));
  return result;
}

export class Transport {
  /** @param {import("../server.js").Server} server */
  constructor(server) {
    this.server = server;
    /** @type {Map<Name, Promise<AudioBuffer>>} */
    this.buffers = new Map();
    /** @type {AudioContext|null} */
    this.context = null;
    /** @type {Run|null} */
    this.run = null;
    this.timeline = new Timeline(0);
    this.project = "";
    /** @type {Pick<Sound, "sample_rate"|"channels"|"samples">} */
    this.sound = { sample_rate: 1, channels: 1, samples: 0 };
    /** @type {Mixer|null} of the tracks, if there are several */
    this.mixer = null;
    /** @type {number[]} the channels of each track */
    this.tracks = [];
    /** @type {boolean[]} */
    this.heard = [];
    this.rest = 0; // where it will begin, samples of the timeline
    this.speed = 1;
    this.changed = () => {};
    this.failed = () => {};
  }

  /** @param {string} project @param {Pick<Sound, "sample_rate"|"channels"|"samples">} sound @param {number[]} tracks the channels of each, if there are several */
  open(project, sound, tracks = []) {
    this.close();
    this.tracks = tracks;
    this.heard = tracks.map(() => true);
    this.project = project;
    this.sound = sound;
    this.timeline = new Timeline(0);
    this.buffers.clear();
  }

  close() {
    this.stop();
    if (this.context) this.context.close();
    this.context = this.mixer = null;
    this.rest = 0;
  }

  /** @param {Timeline} timeline */
  setTimeline(timeline) {
    const before = this.timeline, { run } = this;
    this.timeline = timeline;
    if (before.same(timeline)) return;
    if (run) this.#switch(run, before);
    else this.rest = timeline.outOf(before.sourceOf(this.rest));
  }

  get playing() {
    return this.run !== null;
  }

  /** What is heard now, in samples of the timeline. */
  get place() {
    const run = this.run;
    if (!run) return this.rest;
    const now = run.context.currentTime;
    for (const each of run.scheduled) {
      if (now < each.end) return each.out + Math.max(0, now - each.start) * this.sound.sample_rate * run.speed;
    }
    return run.next;
  }

  /** @param {number} out */
  seek(out) {
    const place = Math.min(Math.max(out, 0), this.timeline.length);
    if (this.run) this.play(place, this.run.until, this.run.loop);
    else { this.rest = place; this.changed(); }
  }

  /** Plays from a sample on, up to another one, again and again in a loop. @param {number} from @param {number|null} until */
  async play(from = this.rest, until = null, loop = false) {
    if (!this.project) return;
    if (!this.context) {
      const rate = this.sound.sample_rate;
      this.context = rate >= 8000 && rate <= 96000 ? new AudioContext({ sampleRate: rate }) : new AudioContext();
      this.mixer = this.tracks.length ? new Mixer(this.context, this.tracks, this.heard) : null;
    }
    const { context } = this;
    if (context.state === "suspended") await context.resume();
    this.#end(FADE);
    if (from >= this.timeline.length - 10) from = 0;
    this.#begin(context, from, until, loop, context.currentTime + SOON);
    this.changed();
  }

  /** @param {AudioContext} context @param {number} from @param {number|null} until @param {boolean} loop @param {number} at @returns {Run} */
  #begin(context, from, until, loop, at) {
    const gain = new GainNode(context, { channelInterpretation: this.mixer ? "discrete" : "speakers" });
    gain.connect(this.mixer ? this.mixer.input : context.destination);
    gain.gain.setValueAtTime(0, at);
    gain.gain.linearRampToValueAtTime(1, at + FADE);
    const stretch = this.speed === 1 ? null : new Stretch(this.sound.channels, this.sound.sample_rate, this.speed);
    /** @type {Run} */
    const run = { context, gain, stretch, first: from, next: from, at, until, loop, speed: this.speed, scheduled: [], nodes: [], pieces: this.timeline.pieces(), busy: false };
    this.run = run;
    this.#pump(run);
    return run;
  }

  /** Which tracks are heard. @param {boolean[]} heard */
  hear(heard) {
    this.heard = heard;
    this.mixer?.hear(heard);
  }

  toggle() {
    if (this.run) this.stop();
    else this.play();
  }

  stop() {
    if (!this.run) return;
    this.rest = this.place;
    this.#end(FADE);
    this.changed();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    if (this.run) this.play(this.place, this.run.until, this.run.loop);
  }

  /** @param {number} fade seconds */
  #end(fade) {
    const run = this.run;
    this.run = null;
    if (!run) return;
    clearTimeout(run.timer);
    const now = run.context.currentTime;
    run.gain.gain.cancelScheduledValues(now);
    run.gain.gain.setValueAtTime(run.gain.gain.value, now);
    run.gain.gain.linearRampToValueAtTime(0, now + fade);
    for (const node of run.nodes) node.stop(now + fade);
    setTimeout(() => run.gain.disconnect(), 1000 * fade + 100);
  }

  /** The new timeline goes on where the old one is, once its sound is here. @param {Run} run @param {Timeline} before */
  async #switch(run, before) {
    const { timeline } = this;
    const at = (/** @type {number} */ out) => timeline.outOf(before.sourceOf(out));
    const there = await Promise.all(this.#around(timeline, at(this.place)).map((each) => this.#buffer(each))).catch(() => null);
    if (this.run !== run || this.timeline !== timeline) return;
    if (!there) { this.stop(); return this.failed(); }
    const from = at(this.place + SOON * this.sound.sample_rate * run.speed);
    const until = run.until === null ? null : at(run.until);
    if (until !== null && until <= from) return; // it is over before the change would be heard
    const first = at(run.first);
    const start = run.context.currentTime + SOON;
    run.gain.gain.setValueAtTime(1, start);
    run.gain.gain.linearRampToValueAtTime(0, start + FADE);
    clearTimeout(run.timer);
    for (const node of run.nodes) node.stop(start + FADE);
    this.#begin(run.context, from, until, run.loop, start).first = first;
  }

  /** @param {Timeline} timeline @param {number} out @returns {Name[]} */
  #around(timeline, out) {
    const second = this.sound.sample_rate;
    return timeline.pieces().filter((piece) => piece.out < out + 2 * second && piece.out + piece.length > out)
      .map((piece) => (piece.take === null ? Math.floor((piece.from + Math.max(0, out - piece.out)) / (CHUNK * second)) : piece.take));
  }

  /** Schedules what comes next, as far ahead as AHEAD. @param {Run} run */
  async #pump(run) {
    if (this.run !== run || run.busy) return;
    run.busy = true;
    const rate = this.sound.sample_rate, { context } = run;
    try {
      while (this.run === run && run.at < context.currentTime + AHEAD) {
        const beyond = run.stretch && !run.loop ? TAIL * rate : 0;
        const end = Math.min((run.until ?? Infinity) + beyond, this.timeline.length);
        if (run.next >= end) {
          if (!run.loop) break;
          run.next = run.first;
          if (run.first >= end) break;
        }
        const piece = run.pieces.find((each) => each.out <= run.next && run.next < each.out + each.length);
        if (!piece) break;
        const from = piece.from + run.next - piece.out;
        let count = Math.min(piece.out + piece.length, end) - run.next;
        /** @type {Name|null} */
        let name = piece.take;
        let offset = from;
        if (name === null) {
          name = Math.floor(from / (CHUNK * rate));
          offset = from - name * CHUNK * rate;
          count = Math.min(count, CHUNK * rate - offset);
        }
        if (run.stretch) count = Math.min(count, rate * TAKEN);
        const whole = await this.#buffer(name);
        if (this.run !== run) return;
        const out = run.next - (run.stretch ? run.stretch.pending : 0);
        const buffer = run.stretch ? stretched(run.stretch, whole, offset, count) : whole;
        const length = run.stretch ? buffer && buffer.length : count;
        run.next += count;
        if (!length) continue;
        const late = context.currentTime + 0.02 - run.at;
        if (late > 0) run.at += late; // the sound came late: a break, not a jump
        const node = context.createBufferSource();
        node.buffer = buffer;
        node.connect(run.gain);
        node.start(run.at, run.stretch ? 0 : offset / rate, length / rate);
        run.nodes.push(node);
        run.scheduled.push({ start: run.at, end: run.at + length / rate, out });
        run.at += length / rate;
        const now = context.currentTime;
        while (run.scheduled.length > 1 && run.scheduled[0].end < now - 0.5) { run.scheduled.shift(); run.nodes.shift(); }
      }
    } catch {
      if (this.run === run) { this.stop(); this.failed(); }
      return;
    } finally {
      run.busy = false;
    }
    const last = run.scheduled[run.scheduled.length - 1];
    if (this.run === run && last && context.currentTime >= last.end && run.at <= context.currentTime) {
      this.rest = run.until !== null ? run.first : 0;
      this.run = null;
      this.changed();
      return;
    }
    run.timer = setTimeout(() => this.#pump(run), 80);
  }

  /** @param {Name} name @returns {Promise<AudioBuffer>} */
  #buffer(name) {
    const found = this.buffers.get(name);
    if (found) return found;
    const loading = this.#load(name);
    this.buffers.set(name, loading);
    loading.catch(() => this.buffers.delete(name));
    const chunks = [...this.buffers.keys()].filter((key) => typeof key === "number");
    for (const old of chunks.slice(0, Math.max(0, chunks.length - KEPT))) this.buffers.delete(old);
    return loading;
  }

  /** @param {Name} name */
  async #load(name) {
    const { channels, sample_rate: rate } = this.sound;
    const values = await this.samples(name);
    const count = Math.max(1, values.length / channels);
    const buffer = new AudioBuffer({ length: count, numberOfChannels: channels, sampleRate: rate });
    for (let channel = 0; channel < channels; channel++) {
      const into = buffer.getChannelData(channel);
      for (let k = 0; k < values.length / channels; k++) into[k] = values[k * channels + channel] / 32768;
    }
    return buffer;
  }

  /** The 16-bit samples of a chunk or a take, channels interleaved. @param {Name} name */
  async samples(name) {
    const at = typeof name === "number" ? `sound/${name}` : `takes/${name}/sound`;
    return new Int16Array(await this.server.bytes(`/projects/${this.project}/${at}`));
  }
}
