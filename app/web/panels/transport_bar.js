// Below the sound: playback, what is heard, and how much of it is in view.

import { icon, make, tool } from "../elements.js";
import { TEXTS, clock } from "../texts.js";

const BACK = 5; // seconds
/** @type {Record<number, number>} */
const NEXT = { 1: 1.5, 1.5: 2, 2: 0.75, 0.75: 1 }; // speed after speed

export class TransportBar {
  /** @param {HTMLElement} host @param {HTMLElement} picture unfolds the spectrogram @param {import("../state.js").State} state @param {import("../hearing.js").Hearing} hearing @param {import("../sound/axis.js").Axis} axis */
  constructor(host, picture, state, hearing, axis) {
    const { transport } = state;
    this.host = host;
    this.state = state;
    this.place = make("span");
    this.whole = make("span", { class: "whole" });
    this.play = make("button", { type: "button", class: "play", onclick: () => transport.toggle() });
    this.sides = /** @type {const} */ (["original", "edited"]).map((side) => make("button", { type: "button", role: "radio", class: "mode", onclick: () => hearing.setSide(side), "data-side": side }, TEXTS[side]));
    this.speed = make("button", { type: "button", class: "quiet speed", onclick: () => { transport.setSpeed(NEXT[transport.speed] || 1); this.render(); } });
    const by = (/** @type {number} */ seconds) => transport.seek(transport.place + seconds * state.rate);
    host.append(tool("back", TEXTS.back, () => by(-BACK)), this.play, tool("forward", TEXTS.forward, () => by(BACK)),
      make("output", { class: "clock", "aria-label": TEXTS.position }, this.place, this.whole), this.speed,
      make("span", { class: "modes", role: "radiogroup", "aria-label": TEXTS.listen_to }, ...this.sides), make("span", { class: "push" }),
      make("span", { class: "zooms" }, picture, tool("less", TEXTS.zoom_out, () => axis.zoom(1 / 1.6)), tool("more", TEXTS.zoom_in, () => axis.zoom(1.6)), tool("whole", TEXTS.fit, () => axis.whole())));
  }

  showClock() {
    const { sound, rate, transport: { place, timeline } } = this.state;
    if (!sound) return;
    this.place.textContent = clock(place / rate, true);
    this.whole.textContent = ` / ${clock(timeline.length / rate, true)}`;
  }

  render() {
    const { side, sound, transport: { playing, speed } } = this.state;
    this.showClock();
    for (const each of this.sides) each.setAttribute("aria-checked", String(each.dataset.side === side));
    this.play.replaceChildren(icon(playing ? "pause" : "play"));
    this.play.setAttribute("aria-label", playing ? TEXTS.pause : TEXTS.play);
    this.speed.textContent = `${speed}×`;
    this.speed.setAttribute("aria-label", `${speed}× ${TEXTS.speed}`);
    for (const each of this.host.querySelectorAll("button")) each.disabled = !sound;
  }
}
