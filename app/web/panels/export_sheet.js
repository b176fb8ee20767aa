// What is taken home: which part of it, as what kind of file, how loud, and about how large.

import { make, show } from "../elements.js";
import { TEXTS, clock, tell } from "../texts.js";

// Bytes of a second of speech as the encoders write it, measured: of one channel, and of two as a share of the samples.
const MP3 = 10000, MP3_PAIR = 0.83, M4A = 16000;
const FLAC = 0.55, FLAC_BYTES = 3; // of the bytes of a WAV, and the most of a sample

/** @typedef {keyof typeof TEXTS.exports} What */

/** About how many bytes so many samples of a sound, or the mix of its tracks, have. @param {number} samples @param {string} kind @param {import("../records").Sound} sound @param {import("../records").SpeakerTrack[]} tracks */
export function bytesOf(samples, kind, sound, tracks) {
  const channels = tracks.length ? Math.max(...tracks.map((each) => Math.min(each.channels, 2))) : sound.file_channels;
  switch (kind || sound.kind) {
    case ".mp3": return channels > 1 ? MP3_PAIR * samples : MP3 * samples / sound.sample_rate;
    case ".m4a": return M4A * channels * samples / sound.sample_rate;
    case ".flac": return FLAC * samples * channels * Math.min(FLAC_BYTES, sound.sample_bytes);
    default: return samples * channels * sound.sample_bytes;
  }
}

export class ExportSheet {
  /** @param {import("../state.js").State} state @param {import("./settings.js").Settings} settings @param {import("../exporting.js").Exporting} exporting */
  constructor(state, settings, exporting) {
    this.state = state;
    this.settings = settings;
    this.exporting = exporting;
    /** @type {What} */
    this.what = "audio";
    /** @type {Record<string, string>} the kind of file of each text */
    this.kinds = {};
    this.host = make("form", { class: "menu export", popover: "auto", "aria-label": TEXTS.export, onsubmit: (event) => this.#begin(event) });
    this.host.addEventListener("beforetoggle", (event) => { if (/** @type {ToggleEvent} */ (event).newState === "open") this.render(); });
    this.host.addEventListener("keydown", (event) => { if (event.key !== "Escape") event.stopPropagation(); });
  }

  /** The kinds of files that a part can be. @returns {[string, string][]} */
  #choices() {
    const { what, settings } = this, of = TEXTS.export_kinds;
    if (what === "film") return [];
    if (what === "audio" || what === "") return (settings.choices?.kind || []).map((kind) => [kind, TEXTS.kinds[/** @type {keyof typeof TEXTS.kinds} */ (kind)] || kind]);
    return Object.entries(of[what]).filter(([kind]) => settings.exports.includes(kind));
  }

  /** @param {SubmitEvent} event */
  #begin(event) {
    event.preventDefault();
    this.host.hidePopover();
    const texts = this.what in TEXTS.export_kinds && this.#choices();
    this.exporting.export(texts ? this.kinds[this.what] || texts[0][0] : this.what);
  }

  render() {
    const { state, what, settings } = this, isSound = what === "audio" || what === "", choices = this.#choices();
    const parts = /** @type {[What, string][]} */ (Object.entries(TEXTS.exports)).filter(([part]) => part !== "film" || this.exporting.hasFilm);
    const radios = parts.map(([part, name]) => make("label", { class: "check" }, make("input", { type: "radio", name: "what", value: part, checked: part === what, onchange: () => { this.what = part; this.render(); } }), name));
    const kind = isSound ? state.settings.kind : this.kinds[what];
    const select = (/** @type {string} */ name, /** @type {[any, string][]} */ offered, /** @type {any} */ value, /** @type {(value: any) => void} */ set) => make("label", { class: "setting" }, make("span", {}, name),
      make("select", { onchange: ({ target }) => { set(offered[target.selectedIndex][0]); this.render(); } }, ...offered.map(([each, said]) => make("option", { selected: each === value }, said))));
    const length = state.sound ? clock(state.timeline.length / state.sound.sample_rate) : "", megabytes = state.sound ? Math.max(0.1, bytesOf(state.timeline.length, state.settings.kind, state.sound, state.tracks) / 1e6) : 0;
    const size = isSound && what !== "" ? tell(TEXTS.about_size, megabytes < 10 ? megabytes.toFixed(1) : Math.round(megabytes)) : "";
    const focused = this.host.contains(document.activeElement);
    show(this.host, make("h2", {}, TEXTS.export), make("fieldset", { class: "what" }, make("legend", { class: "said" }, TEXTS.export), ...radios),
      choices.length > 1 && select(TEXTS.settings_of.kind, choices, kind, (value) => { if (isSound) settings.set("kind", value); else this.kinds[what] = value; }),
      isSound && select(TEXTS.settings_of.loudness, TEXTS.loudnesses, state.settings.loudness, (value) => settings.set("loudness", value)),
      make("p", { class: "hint" }, [length, size].filter(Boolean).join(" · "), make("br"), this.exporting.waitsFor(what)),
      make("button", { type: "submit", class: "button primary" }, TEXTS.download));
    if (focused) /** @type {HTMLElement|null} */ (this.host.querySelector("input:checked"))?.focus();
  }
}
