// The offer to learn the speaker's voice, once that is worth it: how far it is, and the use of what was learnt.

import { make, refocused, show, tool } from "../elements.js";
import { TEXTS, tell } from "../texts.js";

const ENOUGH_S = 300; // of speech, from which on new words come clearly nearer to the speaker (docs/log.md, "The voice")
const ENOUGH_EDITS = 3; // made ones, by somebody who will make more

/** Whether so much of one person's speech is known, and so many new words are made, that an offer is worth it. @param {import("../script/script.js").Script} script */
export function isWorthLearning(script) {
  const made = script.edits.filter((edit) => script.isSpoken(edit) && ["made", "accepted"].includes(script.stateOf(edit)));
  const seconds = script.tokens.reduce((sum, { start, end, waits }) => sum + (waits ? 0 : end - start), 0);
  const speakers = new Set(script.tokens.map(({ speaker }) => speaker));
  return made.length >= ENOUGH_EDITS && seconds >= ENOUGH_S && speakers.size === 1;
}

export class LearningView {
  /** @param {HTMLElement} host @param {import("../state.js").State} state @param {import("./settings.js").Settings} settings @param {import("./dialogs.js").Dialogs} dialogs */
  constructor(host, state, settings, dialogs) {
    this.state = state;
    this.settings = settings;
    this.dialogs = dialogs;
    this.line = make("p", { class: "hint learning" });
    host.prepend(this.line);
  }

  render() {
    const { listening, script, settings, voice } = this.state;
    const offers = voice.state === "offered" && listening?.done && isWorthLearning(script);
    const shown = voice.state === "learning" || (!settings.voice && (voice.state === "learnt" || offers));
    this.line.hidden = !shown;
    refocused(this.line, () => show(this.line, ...(shown ? this.#parts() : [])));
  }

  #parts() {
    const { state, settings } = this, { name, share, left_s: left, problem } = state.voice;
    const button = (/** @type {string} */ text, /** @type {() => unknown} */ onclick) => make("button", { type: "button", class: "quiet strong", "data-name": text, onclick }, text);
    const decline = tool("close", TEXTS.not_offered_again, () => state.ask("voice/decline", {}));
    const rest = left === null ? "" : `, ${left < 90 ? tell(TEXTS.seconds_left, Math.ceil(left)) : tell(TEXTS.minutes_left, Math.round(left / 60))}`;
    const parts = {
      none: [],
      offered: [`${problem} ${TEXTS.learn_voice} `.trimStart(), button(problem ? TEXTS.try_again : TEXTS.learn_it, () => this.#ask()), decline],
      learning: [`${tell(TEXTS.learning_voice, Math.floor(100 * share))}${rest} `, button(TEXTS.stop, () => state.ask("voice/stop", {}))],
      learnt: [`${tell(TEXTS.voice_learnt, name)} `, button(TEXTS.use_voice, () => { settings.useVoice(name); this.render(); }), decline],
    };
    return parts[state.voice.state];
  }

  /** A voice is learnt only where its speaker agrees. */
  #ask() { this.dialogs.ask(TEXTS.voice_consent, [[TEXTS.speaker_agrees, () => this.state.ask("voice/learn", { consent: true })]]); }
}
