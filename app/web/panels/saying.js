// New words that the person says, now or in a file: put in the place of what is selected as a take.

import { icon, make, show } from "../elements.js";
import { messageOf } from "../server.js";
import { TEXTS, clock } from "../texts.js";
import { drop, recorder } from "../start/microphone.js";
import { SOUND } from "../start/start_view.js";

export class Saying {
  /** @param {HTMLElement} host @param {import("../state.js").State} state @param {import("../editing.js").Editing} editing */
  constructor(host, state, editing) {
    this.state = state;
    this.editing = editing;
    this.place = { first: 0, last: 0 }; // the tokens in whose place it is said
    /** @type {Awaited<ReturnType<typeof recorder>>|null} */
    this.recording = null;
    this.text = make("textarea", { rows: "2", "aria-label": TEXTS.say_here });
    this.button = make("button", { type: "button", class: "button primary", onclick: () => (this.recording ? this.#stop() : this.#record()) }, icon("record"), make("span"));
    /** @type {HTMLInputElement} */
    this.chooser = make("input", { type: "file", accept: SOUND, "aria-label": TEXTS.say_file, class: "hidden", tabindex: "-1", onchange: () => this.#put(this.chooser.files?.[0]) });
    this.dialog = make("dialog", { class: "dialog", "aria-label": TEXTS.say_words }, make("h2", {}, TEXTS.say_words), this.text, make("p", { class: "hint" }, TEXTS.say_hint),
      make("form", { method: "dialog" }, this.button, make("button", { type: "button", class: "button", onclick: () => this.chooser.click() }, TEXTS.say_file), this.chooser, make("button", { class: "button" }, TEXTS.cancel)));
    this.dialog.addEventListener("keydown", (event) => event.stopPropagation());
    this.dialog.addEventListener("close", () => { this.#ended(false); state.focus(); });
    host.append(this.dialog);
  }

  /** The words that take the place of tokens [first, last), or of a change's. @param {number} first @param {number} last */
  open(first, last) {
    this.place = this.state.script.written(first, last);
    this.text.value = this.state.script.textOf(this.place.first, this.place.last);
    this.#tell();
    this.dialog.showModal();
    this.text.select();
  }

  #tell(seconds = -1) { show(this.button, icon("record"), make("span", {}, seconds < 0 ? TEXTS.say_record : `${TEXTS.stop_recording} · ${clock(seconds)}`)); }

  async #record() {
    this.button.disabled = true;
    try {
      this.recording = await recorder((seconds, level) => { this.#tell(seconds); this.button.style.setProperty("--level", `${Math.round(100 * Math.sqrt(level))}%`); });
      if (this.dialog.open) this.button.classList.add("live");
      else this.#ended(false); // it was closed while the browser asked for the microphone
    } catch {
      this.state.complain(TEXTS.no_microphone);
    }
    this.button.disabled = false;
  }

  /** The recording ends; what nobody wants is not kept. @param {boolean} isWanted */
  #ended(isWanted) {
    const { recording } = this;
    this.recording = null;
    this.button.classList.remove("live");
    this.#tell();
    const file = recording?.stop(isWanted);
    if (recording && !isWanted) drop(recording.id);
    return file;
  }

  #stop() {
    const id = this.recording?.id;
    return this.#put(this.#ended(true), id);
  }

  /** The words become a change, if they are none yet, and a recording of them a take of it. @param {File} [file] @param {string} [id] kept by this name until it has arrived */
  async #put(file, id) {
    const { state, editing, place: { first, last } } = this, { project, script } = state, done = () => id && drop(id), text = this.text.value.trim();
    this.chooser.value = "";
    if (text && text !== script.textOf(first, last)) editing.write(first, last, text);
    this.dialog.close();
    const place = script.places().find((each) => each.first <= first && last <= each.last);
    if (!file || !text || !place?.edit.text) { done(); return state.complain(TEXTS.say_others); }
    try {
      const upload = await state.server.upload(file);
      if (state.project !== project) return; // it is listed on the start page
      if (await editing.again(place.edit, { upload })) await done();
    } catch (error) {
      state.complain(messageOf(error));
    }
  }
}
