// A film's picture beside its script: it shows what is heard.

import { make } from "../elements.js";
import { TEXTS, tell } from "../texts.js";

const FAR = 0.25; // seconds off beyond which the picture jumps; what is less is made up for by its speed
const GLANCE = 0.1; // seconds over which the speed of what is heard is looked at

export class Film {
  /** @param {HTMLElement} host @param {import("../state.js").State} state */
  constructor(host, state) {
    this.state = state;
    this.host = host;
    this.start = 0; // second of the film at which its sound begins
    this.video = make("video", { playsinline: true, preload: "auto", "aria-label": TEXTS.film, onclick: () => state.transport.toggle(), onerror: () => { if (this.video.src) this.seen(false); } });
    this.video.muted = true; // its sound is the transport's
    this.note = make("p", { class: "note" });
    host.append(this.video, this.note);
    this.open(null);
  }

  /** A film whose sound begins at this second of it; null for none. @param {string|null} address @param {number} start */
  open(address, start = 0) {
    this.start = start;
    this.host.hidden = address === null;
    this.video.pause();
    if (address) this.video.src = address;
    else this.video.removeAttribute("src");
    this.video.load();
    this.seen(true);
  }

  /** Whether the browser can show it. @param {boolean} can */
  seen(can) {
    this.video.hidden = !can;
    this.render();
  }

  /** By how many seconds the edited sound is longer than the picture. */
  get off() {
    const { timeline, sound } = this.state;
    return sound ? (timeline.length - sound.samples) / sound.sample_rate : 0;
  }

  /** Why it can't be written, "" if it can. */
  get problem() {
    return this.off ? tell(this.off > 0 ? TEXTS.film_longer : TEXTS.film_shorter, Math.max(Math.abs(this.off), 0.01).toFixed(2)) : "";
  }

  render() {
    this.note.textContent = this.problem || (this.video.hidden ? TEXTS.film_unseen : "");
  }

  /** The picture of what is heard now. */
  follow() {
    const { transport: { timeline, place, playing, speed }, rate } = this.state, { video } = this;
    if (this.host.hidden || video.hidden) return;
    const now = timeline.sourceOf(place) / rate;
    const pace = speed * (timeline.sourceOf(place + GLANCE * rate) / rate - now) / GLANCE; // 0 while words are heard that were inserted
    const moves = playing && pace > 0.05, late = this.start + now - video.currentTime;
    if (moves) {
      video.playbackRate = Math.min(Math.max(pace * (1 + late), 0.1), 8);
      if (video.paused) video.play().catch(() => {});
    } else video.pause();
    if (!video.seeking && Math.abs(late) > (moves ? FAR : 0.02)) video.currentTime = this.start + now;
  }
}
