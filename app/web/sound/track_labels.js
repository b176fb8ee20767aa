// Beside each track's wave: who it is, and whether it is heard.

import { make, refocused, show } from "../elements.js";
import { TEXTS, tell } from "../texts.js";
import { RULER } from "./word_lane.js";

export class TrackLabels {
  /** @param {HTMLElement} host @param {import("./axis.js").Axis} axis @param {import("../hearing.js").Hearing} hearing */
  constructor(host, axis, hearing) {
    this.axis = axis;
    this.state = axis.state;
    this.hearing = hearing;
    this.list = make("ol", { class: "tracks", hidden: true });
    host.append(this.list);
  }

  render() {
    const { tracks, muted, solo, voices } = this.state;
    this.list.hidden = !tracks.length;
    this.axis.canvas.style.minHeight = tracks.length ? `${50 + 34 * tracks.length}px` : "";
    const key = (/** @type {string} */ letter, /** @type {string} */ what, /** @type {number} */ track, /** @type {boolean} */ isOn, /** @type {() => void} */ does) =>
      make("button", { type: "button", class: "key", "data-name": `${letter} ${track}`, title: tell(what, voices[track]), "aria-label": tell(what, voices[track]), "aria-pressed": String(isOn), onclick: does }, letter);
    refocused(this.list, () => show(this.list, ...tracks.map((_, track) => make("li", { "data-voice": String(track % 6), class: this.state.heard[track] ? "" : "unheard" },
      make("strong", {}, voices[track]),
      key("M", TEXTS.mute, track, muted.has(track), () => this.hearing.mute(track)),
      key("S", TEXTS.solo, track, solo === track, () => this.hearing.alone(track))))));
  }

  /** @param {number} height of all waves */
  place(height) { Object.assign(this.list.style, { top: `${RULER + 4}px`, height: `${height}px` }); }
}
