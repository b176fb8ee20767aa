// Peaks and pictures of the sound, fetched in blocks where they are looked at.

const FINEST = 500, LEVELS = 5; // pairs a second at level 0, each a quarter of the one before
const BLOCK = 4096, TILE = 512;
const KEPT = 96; // blocks, and tiles

/** @typedef {(sample: number) => [lowest: number, highest: number]} Peaks */

export class Pictures {
  /** @param {import("../state.js").State} state @param {() => void} arrived */
  constructor(state, arrived) {
    this.state = state;
    this.arrived = arrived;
    /** @type {Map<string, Int8Array|null>} */
    this.blocks = new Map();
    /** @type {Map<string, HTMLImageElement|null>} */
    this.images = new Map();
    /** @type {Map<string, Float32Array|null>} */
    this.takes = new Map();
  }

  clear() {
    for (const each of [this.blocks, this.images, this.takes]) each.clear();
  }

  get at() { return `/projects/${this.state.project}`; }

  /** The level whose pairs or columns are at least as fine as a pixel of `scale` samples. @param {number} scale @param {number} levels */
  #level(scale, levels) {
    let level = 0;
    while (level + 1 < levels && FINEST / 4 ** (level + 1) >= this.state.rate / scale) level++;
    return level;
  }

  /** A function from a sample to its pixel's lowest and highest, -1..1, of all tracks or one; zeros until they are here. @param {number} scale @param {number} [track] @returns {Peaks} */
  peaks(scale, track) {
    const level = this.#level(scale, LEVELS), rate = this.state.rate;
    const perSample = FINEST / 4 ** level / rate;
    const wide = Math.max(1, Math.round(scale * perSample));
    return (sample) => {
      const first = Math.floor(sample * perSample);
      let low = 127, high = -127;
      for (let k = first; k < first + wide; k++) {
        const block = this.#block(level, Math.floor(k / BLOCK), track);
        const at = (k % BLOCK) * 2;
        if (!block || at + 1 >= block.length) continue;
        if (block[at] < low) low = block[at];
        if (block[at + 1] > high) high = block[at + 1];
      }
      return high < low ? [0, 0] : [low / 127, high / 127];
    };
  }

  /** @param {number} level @param {number} number @param {number} [track] */
  #block(level, number, track) {
    const of = track === undefined ? "" : `/${track}`;
    return this.#kept(this.blocks, `${level}${of}:${number}`, async () => new Int8Array(await this.state.server.bytes(`${this.at}/peaks/${level}${of}?first=${number * BLOCK}&count=${BLOCK}`)));
  }

  /** What is kept by a name; null while it is on its way. @template T @param {Map<string, T|null>} kept @param {string} name @param {() => Promise<T>} load */
  #kept(kept, name, load) {
    const found = kept.get(name);
    if (found !== undefined) return found;
    kept.set(name, null);
    for (const old of [...kept.keys()].slice(0, Math.max(0, kept.size - KEPT))) kept.delete(old);
    load().then((value) => { kept.set(name, value); this.arrived(); }, () => kept.delete(name));
    return null;
  }

  /** The tiles of the spectrogram between two samples; later ones arrive. @param {number} scale @param {number} first @param {number} last */
  tiles(scale, first, last) {
    const rate = this.state.rate;
    const level = this.#level(scale, 6);
    const size = (TILE / (FINEST / 4 ** level)) * rate;
    /** @type {{image: HTMLImageElement, first: number, last: number}[]} */
    const found = [];
    for (let n = Math.max(0, Math.floor(first / size)); n * size < last; n++) {
      const image = this.#image(`${this.at}/spectrogram/${level}/${n}`);
      if (image) found.push({ image, first: n * size, last: n * size + (image.width / TILE) * size });
    }
    return found;
  }

  /** @param {string} take */
  takeImage(take) { return this.#image(`${this.at}/takes/${take}/spectrogram`); }

  /** @param {string} path @returns {HTMLImageElement|null} */
  #image(path) {
    return this.#kept(this.images, path, () => new Promise((done, failed) => {
      const image = new Image();
      Object.assign(image, { onload: () => done(image), onerror: failed, src: this.state.server.root + path });
    }));
  }

  /** As `peaks`, of a take's samples from `from` on. @param {string} take @param {number} from @param {number} length @param {number} scale @param {number} [track] @returns {Peaks} */
  takePeaks(take, from, length, scale, track) {
    const samples = this.#take(take, track);
    const wide = Math.max(1, Math.round(scale));
    const skip = Math.max(1, Math.floor(wide / 64));
    return (sample) => {
      if (!samples) return [0, 0];
      let low = 1, high = -1;
      const begin = from + Math.floor(sample), end = Math.min(begin + wide, from + length, samples.length);
      for (let k = begin; k < end; k += skip) {
        if (samples[k] < low) low = samples[k];
        if (samples[k] > high) high = samples[k];
      }
      return high < low ? [0, 0] : [low, high];
    };
  }

  /** @param {string} take */
  takeLength(take) { return this.#take(take)?.length || 0; }

  /** The mean of its channels, or of a track's. @param {string} take @param {number} [track] */
  #take(take, track) {
    return this.#kept(this.takes, `${take} ${track ?? ""}`, async () => {
      const { transport } = this.state, values = await transport.samples(take), { channels } = transport.sound, { tracks } = transport;
      const first = tracks.slice(0, track ?? 0).reduce((sum, count) => sum + count, 0), count = track === undefined ? channels : tracks[track];
      return Float32Array.from({ length: values.length / channels }, (_, k) => values.subarray(k * channels + first, k * channels + first + count).reduce((sum, value) => sum + value, 0) / count / 32768);
    });
  }
}
