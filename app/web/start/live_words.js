// What is said into the microphone, as words while it is said.

import { pcm16 } from "./microphone.js";

const OFTEN = 0.3, MOST = 5; // seconds of sound in one request: more while the last one is being answered

/** @import { LiveWord } from "../records" */

export class LiveWords {
  /** @param {import("../server.js").Server} server @param {number} rate Hz @param {(final: string, provisional: string, late: boolean) => void} shown told of all words whenever there are others, and whether they come late */
  constructor(server, rate, shown) {
    this.server = server;
    this.rate = rate;
    this.shown = shown;
    /** @type {LiveWord[]} */
    this.words = []; // that don't change any more
    /** @type {Float32Array[]} */
    this.blocks = [];
    this.count = 0;
    /** @type {Promise<void>|null} */
    this.answering = null;
    /** @type {string|null} */
    this.name = null;
    this.lost = this.ended = this.told = false; // lost: the recording goes on without words
  }

  /** @param {Float32Array} block */
  hear(block) {
    if (this.lost) return;
    this.blocks.push(block);
    this.count += block.length;
    if (!this.answering && this.count >= OFTEN * this.rate) this.#ask();
  }

  /** All words, once the last ones have been heard. @returns {Promise<LiveWord[]>} */
  async end() {
    this.ended = true;
    await this.answering;
    while (!this.lost && !this.told) await this.#ask();
    return this.words;
  }

  #ask() {
    const blocks = this.blocks.splice(0, Math.ceil(MOST * this.rate / (this.blocks[0]?.length || 1)));
    this.count -= blocks.reduce((sum, block) => sum + block.length, 0);
    this.told = this.ended && !this.blocks.length; // everything
    this.answering = this.#heard(blocks, this.told).catch(() => { this.lost = true; }).then(() => { this.answering = null; });
    return this.answering;
  }

  /** @param {Float32Array[]} blocks @param {boolean} last */
  async #heard(blocks, last) {
    if (!this.name) this.name = (await this.server.ask("/live", { rate: this.rate })).id;
    const { final, provisional, late } = await this.server.ask(`/live/${this.name}`, { samples: packed(blocks), last });
    this.words.push(...final);
    const text = (/** @type {LiveWord[]} */ words) => words.map(([word]) => word).join(" ");
    this.shown(text(this.words), text(provisional), late);
  }
}

/** In base64. @param {Float32Array[]} blocks */
const packed = (blocks) => btoa(pcm16(blocks).map((bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).join(""));
