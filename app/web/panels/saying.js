// New words that the person says, now or in a file: put in the place of what is selected as a take.

import { icon, make, show } from "../elements.js";
import { TEXTS, clock } from "../texts.js";
import { drop, recorder } from "../start/microphone.js";
import { SOUND } from "../start/start_view.js";

export class Saying {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    this.app = app;
    /** @type {Awaited<ReturnType<typeof recorder>>|null} */
    this.recording = null;
    this.text = /** @type {HTMLTextAreaElement} */ (make("textarea", { rows: "2", "aria-label": TEXTS.say_here }));
    this.button = make("button", { type: "button", class: "button primary", onclick: () => (this.recording ? this.#stop() : this.#record()) }, icon("record"), make("span"));
    this.chooser = /** @type {HTMLInputElement} */ (make("input", { type: "file", accept: SOUND, "aria-label": TEXTS.say_file, class: "hidden", tabindex: "-1", onchange: () => this.#put(this.chooser.files[0]) }));
    this.dialog = /** @type {HTMLDialogElement} */ (make("dialog", { class: "dialog", "aria-label": TEXTS.say_words }, make("h2", {}, TEXTS.say_words), this.text, make("p", { class: "hint" }, TEXTS.say_hint),
      make("form", { method: "dialog" }, this.button, make("button", { type: "button", class: "button", onclick: () => this.chooser.click() }, TEXTS.say_file), this.chooser, make("button", { class: "button" }, TEXTS.cancel))));
    this.dialog.addEventListener("keydown", (event) => event.stopPropagation());
    this.dialog.addEventListener("close", () => { this.#ended(false); app.view.focus(); });
    host.append(this.dialog);
  }

  /** The words that take the place of tokens [first, last), or of a change's. */
  open([first, last]) {
    this.place = this.app.script.written(first, last);
    this.text.value = this.app.script.textOf(this.place.first, this.place.last);
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
      this.app.complain(TEXTS.no_microphone);
    }
    this.button.disabled = false;
  }

  /** The recording ends; what nobody wants is not kept. */
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
    const { id } = this.recording;
    return this.#put(this.#ended(true), id);
  }

  /** The words become a change, if they are none yet, and a recording of them a take of it. @param {File} file @param {string|null} id kept by this name until it has arrived */
  async #put(file, id = null) {
    const { app, place: { first, last } } = this, { project } = app, done = () => id && drop(id), text = this.text.value.trim();
    this.chooser.value = "";
    if (text && text !== app.script.textOf(first, last)) app.editing.write(first, last, text);
    this.dialog.close();
    const place = app.script.places().find((each) => each.first <= first && last <= each.last);
    if (!text || !place?.edit.text) { done(); return app.complain(TEXTS.say_others); }
    try {
      const upload = await app.server.upload(file);
      if (app.project !== project) return; // it is listed on the start page
      if (await app.editing.again(place.edit, { upload })) await done();
    } catch (error) {
      app.complain(error.message || TEXTS.lost);
    }
  }
}
