// A recording from the microphone as a WAV file, kept by the browser until the server has it.

import { forget, keep, kept } from "../unsent.js";

const KEPT = 2; // seconds after which what has been recorded is kept

/**
 * Begins to record; `heard` gets the seconds so far, the level, 0 to 1, the latest
 * samples and their rate. Raises if there is no microphone.
 * @param {(seconds: number, level: number, block: Float32Array, rate: number) => void} heard
 */
export async function recorder(heard) {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: false } });
  const context = new AudioContext(), rate = context.sampleRate, id = new Date().toISOString();
  await context.audioWorklet.addModule(new URL("tap.js", import.meta.url));
  const tap = new AudioWorkletNode(context, "tap");
  /** @type {Float32Array[]} */
  const blocks = [];
  let count = 0, safe = 0, parts = 0, fresh = 0; // samples, those that are kept, and blocks of them
  const save = () => {
    keep("recordings", `${id} ${String(parts++).padStart(6, "0")}`, { rate, blocks: blocks.slice(fresh) });
    [safe, fresh] = [count, blocks.length];
  };
  tap.port.onmessage = ({ data }) => {
    blocks.push(data);
    count += data.length;
    if (count - safe > KEPT * rate) save();
    heard(count / rate, Math.max(...data.map(Math.abs)), data, rate);
  };
  context.createMediaStreamSource(stream).connect(tap);
  return {
    id,
    stop(isKept = true) {
      tap.port.onmessage = null; // no block is late
      for (const track of stream.getTracks()) track.stop();
      context.close();
      if (isKept) save();
      return wav(blocks, rate, id);
    },
  };
}

/** Recordings that the server never had: {id, seconds, file}. */
export async function left() {
  /** @type {Map<string, {rate: number, blocks: Float32Array[]}>} */
  const found = new Map();
  for (const [key, { rate, blocks }] of await kept("recordings")) {
    const id = key.slice(0, 24);
    found.set(id, { rate, blocks: [...(found.get(id)?.blocks || []), ...blocks] });
  }
  return [...found].map(([id, { rate, blocks }]) => ({ id, seconds: blocks.reduce((sum, block) => sum + block.length, 0) / rate, file: wav(blocks, rate, id) }));
}

/** The server has it, or nobody wants it. @param {string} id */
export async function drop(id) {
  for (const [key] of await kept("recordings")) if (key.startsWith(id)) await forget("recordings", key);
}

/** Samples of 16 bits, little-endian. @param {Float32Array[]} blocks */
export const pcm16 = (blocks) => blocks.map((block) => new Uint8Array(Int16Array.from(block, (value) => Math.max(-1, Math.min(1, value)) * 32767).buffer));

/** 16-bit mono, named after when it was begun. @param {Float32Array[]} blocks @param {number} rate @param {string} id */
function wav(blocks, rate, id) {
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0"), at = new Date(id);
  const name = `Recording ${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}.${two(at.getMinutes())}.${two(at.getSeconds())}.wav`;
  const samples = pcm16(blocks), size = samples.reduce((sum, each) => sum + each.length, 0);
  const number = (/** @type {number} */ value, /** @type {number} */ bytes) => Array.from({ length: bytes }, (_, k) => String.fromCharCode((value / 256 ** k) & 255)).join("");
  const format = number(1, 2) + number(1, 2) + number(rate, 4) + number(2 * rate, 4) + number(2, 2) + number(16, 2);
  const header = `RIFF${number(36 + size, 4)}WAVEfmt ${number(16, 4)}${format}data${number(size, 4)}`;
  return new File([Uint8Array.from(header, (letter) => letter.charCodeAt(0)), ...samples], name, { type: "audio/wav" });
}
