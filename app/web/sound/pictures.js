// Peaks and pictures of the sound, fetched in blocks where they are looked at.

const FINEST = 500, LEVELS = 5; // pairs a second at level 0, each a quarter of the one before
const BLOCK = 4096, TILE = 512;
const KEPT = 96; // blocks, and tiles

export class Pictures {
  /** @param {any} app @param {() => void} arrived */
  constructor(app, arrived) {
    this.app = app;
    this.arrived = arrived;
    this.blocks = new Map();
    this.images = new Map();
    this.takes = new Map();
  }

  clear() {
    for (const each of [this.blocks, this.images, this.takes]) each.clear();
    this.loudest = 0;
  }

  get at() { return `/projects/${this.app.project}`; }

  /** The level whose pairs or columns are at least as fine as a pixel of `scale` samples. */
  #level(scale, levels) {
    let level = 0;
    while (level + 1 < levels && FINEST / 4 ** (level + 1) >= this.app.sound.sample_rate / scale) level++;
    return level;
  }

  /** A function from a sample to its pixel's lowest and highest, -1..1; zeros until they are here. */
  peaks(scale) {
    const level = this.#level(scale, LEVELS), rate = this.app.sound.sample_rate;
    const perSample = FINEST / 4 ** level / rate;
    const wide = Math.max(1, Math.round(scale * perSample));
    return (sample) => {
      const first = Math.floor(sample * perSample);
      let low = 127, high = -127;
      for (let k = first; k < first + wide; k++) {
        const block = this.#block(level, Math.floor(k / BLOCK));
        const at = (k % BLOCK) * 2;
        if (!block || at + 1 >= block.length) continue;
        if (block[at] < low) low = block[at];
        if (block[at + 1] > high) high = block[at + 1];
      }
      return high < low ? [0, 0] : [low / 127, high / 127];
    };
  }

  /** By how much the waves are drawn higher, so that a quiet recording is seen as well. */
  gain() {
    if (this.loudest) return 0.95 / this.loudest;
    const block = this.#block(LEVELS - 1, 0);
    if (!block) return 1;
    this.loudest = block.reduce((most, value) => Math.max(most, Math.abs(value)), 6) / 127;
    return 0.95 / this.loudest;
  }

  #block(level, number) {
    return this.#kept(this.blocks, `${level}:${number}`, async () => new Int8Array(await this.app.server.bytes(`${this.at}/peaks/${level}?first=${number * BLOCK}&count=${BLOCK}`)));
  }

  /** What is kept by a name; null while it is on its way. @param {Map<string, any>} kept @param {string} name @param {() => Promise<any>} load */
  #kept(kept, name, load) {
    const found = kept.get(name);
    if (found !== undefined) return found;
    kept.set(name, null);
    for (const old of [...kept.keys()].slice(0, Math.max(0, kept.size - KEPT))) kept.delete(old);
    load().then((value) => { kept.set(name, value); this.arrived(); }, () => kept.delete(name));
    return null;
  }

  /** The tiles of the spectrogram between two samples: {image, first, last}; later ones arrive. */
  tiles(scale, first, last) {
    const rate = this.app.sound.sample_rate;
    const level = this.#level(scale, 6);
    const size = (TILE / (FINEST / 4 ** level)) * rate;
    const found = [];
    for (let n = Math.max(0, Math.floor(first / size)); n * size < last; n++) {
      const image = this.#image(`${this.at}/spectrogram/${level}/${n}`);
      if (image) found.push({ image, first: n * size, last: n * size + (image.width / TILE) * size });
    }
    return found;
  }

  takeImage(take) { return this.#image(`${this.at}/takes/${take}/spectrogram`); }

  #image(path) {
    return this.#kept(this.images, path, () => new Promise((done, failed) => {
      const image = new Image();
      Object.assign(image, { onload: () => done(image), onerror: failed, src: this.app.server.root + path });
    }));
  }

  /** As `peaks`, of a take's samples from `from` on. */
  takePeaks(take, from, length, scale) {
    const samples = this.#take(take);
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

  takeLength(take) { return this.#take(take)?.length || 0; }

  /** The mean of its channels. */
  #take(take) {
    return this.#kept(this.takes, take, async () => {
      const values = await this.app.transport.samples(take), { channels } = this.app.sound;
      return Float32Array.from({ length: values.length / channels }, (_, k) => values.subarray(k * channels, (k + 1) * channels).reduce((sum, value) => sum + value, 0) / channels / 32768);
    });
  }
}
