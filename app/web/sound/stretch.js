// Faster or slower at the same pitch: WSOLA (Verhelst and Roelands, ICASSP 1993). No DOM in here.

const HOP = 0.02, REACH = 0.01; // seconds between the frames that are added up, and in which the best place for one is sought

export class Stretch {
  /** @param {number} channels @param {number} rate samples a second @param {number} speed */
  constructor(channels, rate, speed) {
    this.hop = Math.round(HOP * rate);
    this.reach = Math.round(REACH * rate);
    this.speed = speed;
    this.window = Float32Array.from({ length: 2 * this.hop }, (_, n) => 0.5 - 0.5 * Math.cos((Math.PI * n) / this.hop));
    this.input = Array.from({ length: channels }, () => new Float32Array(0));
    this.tail = this.input.map(() => new Float32Array(this.hop)); // second halves of the last frame
    this.next = 0; // where the next frame would be, in samples of the input
    this.follow = 0; // where the last one goes on
    this.isFirst = true;
  }

  /** Samples that have been given and not been played yet. */
  get pending() { return this.input[0].length - Math.max(this.next, 0); }

  /** More samples of each channel; what can be played of them. @param {Float32Array[]} more @returns {Float32Array[]} */
  push(more) {
    const { hop, reach, window } = this;
    this.input = this.input.map((old, c) => joined([old, more[c]]));
    /** @type {Float32Array[][]} */
    const made = this.input.map(() => []);
    const end = this.input[0].length;
    while (Math.max(Math.round(this.next) + reach, this.follow) + 2 * hop <= end) {
      const at = this.isFirst ? 0 : this.#best(Math.round(this.next), this.follow);
      this.input.forEach((samples, c) => {
        const out = new Float32Array(hop), tail = this.tail[c];
        for (let n = 0; n < hop; n++) {
          out[n] = samples[at + n] * (this.isFirst ? 1 : window[n]) + tail[n];
          tail[n] = samples[at + hop + n] * window[hop + n];
        }
        made[c].push(out);
      });
      this.follow = at + hop;
      this.isFirst = false;
      this.next += hop * this.speed;
    }
    const gone = Math.max(0, Math.min(Math.round(this.next) - reach, this.follow));
    this.input = this.input.map((samples) => samples.slice(gone));
    this.next -= gone;
    this.follow -= gone;
    return made.map(joined);
  }

  /** Of the places around one, that which goes on best where the last frame would have. @param {number} place @param {number} natural */
  #best(place, natural) {
    const { hop, reach } = this;
    const first = Math.max(0, place - reach);
    let best = first, most = -Infinity;
    for (let at = first; at <= place + reach; at++) {
      let product = 0, power = 1e-9;
      for (const samples of this.input) {
        for (let n = 0; n < hop; n += 2) {
          product += samples[at + n] * samples[natural + n];
          power += samples[at + n] ** 2;
        }
      }
      const found = product / Math.sqrt(power);
      if (found > most) [most, best] = [found, at];
    }
    return best;
  }
}

/** @param {Float32Array[]} parts */
function joined(parts) {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
}
