// A recording from the microphone as a WAV file, which any editor reads.

/**
 * Begins to record; `heard` is told of the seconds so far. Raises if there is no microphone.
 * @param {(seconds: number) => void} heard
 */
export async function recorder(heard) {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: false } });
  const context = new AudioContext();
  await context.audioWorklet.addModule(URL.createObjectURL(new Blob([TAP], { type: "text/javascript" })));
  const tap = new AudioWorkletNode(context, "tap");
  /** @type {Float32Array[]} */
  const blocks = [];
  let count = 0;
  tap.port.onmessage = ({ data }) => { blocks.push(data); count += data.length; heard(count / context.sampleRate); };
  context.createMediaStreamSource(stream).connect(tap);
  return {
    stop() {
      for (const track of stream.getTracks()) track.stop();
      const rate = context.sampleRate;
      context.close();
      return new File([wav(blocks, count, rate)], "recording.wav", { type: "audio/wav" });
    },
  };
}

const TAP = `registerProcessor("tap", class extends AudioWorkletProcessor {
  process(inputs) { const [[samples]] = inputs; if (samples) this.port.postMessage(samples.slice()); return true; }
});`;

/** 16-bit mono. */
function wav(blocks, count, rate) {
  const data = new DataView(new ArrayBuffer(44 + 2 * count));
  const text = (at, letters) => [...letters].forEach((letter, k) => data.setUint8(at + k, letter.charCodeAt(0)));
  text(0, "RIFF"); data.setUint32(4, 36 + 2 * count, true); text(8, "WAVEfmt ");
  data.setUint32(16, 16, true); data.setUint16(20, 1, true); data.setUint16(22, 1, true);
  data.setUint32(24, rate, true); data.setUint32(28, 2 * rate, true); data.setUint16(32, 2, true); data.setUint16(34, 16, true);
  text(36, "data"); data.setUint32(40, 2 * count, true);
  let at = 44;
  for (const block of blocks) {
    for (const value of block) { data.setInt16(at, Math.max(-1, Math.min(1, value)) * 32767, true); at += 2; }
  }
  return data.buffer;
}
