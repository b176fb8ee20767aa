// The tracks of a conversation, heard together: each may be muted, or be heard alone.

const FADE = 0.004; // seconds, a third of the time that it takes

export class Mixer {
  /** @param {AudioContext} context @param {number[]} channels of each track @param {boolean[]} heard */
  constructor(context, channels, heard) {
    this.context = context;
    const whole = channels.reduce((sum, count) => sum + count, 0), splitter = context.createChannelSplitter(whole);
    this.input = splitter;
    let first = 0;
    this.gains = channels.map((count, track) => {
      const gain = new GainNode(context, { gain: heard[track] ? 1 : 0 }), sides = new ChannelMergerNode(context, { numberOfInputs: 2 });
      const level = new GainNode(context, { gain: count > 2 ? 1 / count : 1 });
      for (let c = 0; c < count; c++) {
        if (count === 2) splitter.connect(sides, first + c, c);
        else splitter.connect(level, first + c);
      }
      if (count === 2) sides.connect(gain);
      else level.connect(gain);
      gain.connect(context.destination);
      first += count;
      return gain;
    });
  }

  /** @param {boolean[]} heard */
  hear(heard) {
    this.gains.forEach(({ gain }, track) => gain.setTargetAtTime(heard[track] ? 1 : 0, this.context.currentTime, FADE));
  }
}
