// Hands what the microphone hears to the page, block by block.

registerProcessor("tap", class extends AudioWorkletProcessor {
  /** @param {Float32Array[][]} inputs */
  process([[samples]]) { if (samples) this.port.postMessage(samples.slice()); return true; }
});
