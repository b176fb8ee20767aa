// Faster and slower at the same pitch.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./web.mjs";

const { Stretch } = await load("sound/stretch.js");
const RATE = 16000, PITCH = 220;

/** A tone and its double, in blocks of various lengths. */
function stretched(speed, seconds = 3) {
  const stretch = new Stretch(2, RATE, speed), out = [[], []];
  for (let at = 0, size = 100; at < seconds * RATE; at += size, size = 100 + (size * 7) % 5000) {
    const block = (gain) => Float32Array.from({ length: size }, (_, n) => gain * Math.sin((2 * Math.PI * PITCH * (at + n)) / RATE));
    stretch.push([block(0.5), block(0.25)]).forEach((samples, c) => out[c].push(...samples));
  }
  return out;
}

for (const speed of [0.75, 1.5, 2]) {
  test(`at ${speed} × a tone takes its share of the time, keeps its pitch and has no breaks`, () => {
    const [left, right] = stretched(speed);
    assert.ok(Math.abs((left.length * speed) / (3 * RATE) - 1) < 0.15, `${left.length}`);
    let crossings = 0, steepest = 0, loudest = 0;
    for (let n = 1; n < left.length; n++) {
      crossings += Number(left[n - 1] < 0 && left[n] >= 0);
      steepest = Math.max(steepest, Math.abs(left[n] - left[n - 1]));
      loudest = Math.max(loudest, Math.abs(left[n]));
    }
    assert.ok(Math.abs(crossings / (left.length / RATE) / PITCH - 1) < 0.02, `${crossings}`);
    assert.ok(steepest < 1.15 * 0.5 * 2 * Math.PI * PITCH / RATE, `${steepest}`);
    assert.ok(Math.abs(loudest - 0.5) < 0.03, `${loudest}`);
    assert.ok(right.every((value, n) => Math.abs(2 * value - left[n]) < 1e-5));
  });
}
