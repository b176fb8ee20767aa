// Hands what the microphone hears to the page, block by block.

registerProcessor("tap", class extends AudioWorkletProcessor {
  process([[samples]]) { if (samples) this.port.postMessage(samples.slice()); return true; }
});
