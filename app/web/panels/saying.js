// New words that the person says: recorded beside what is selected, and put in its place as a take.

import { icon, make, show } from "../elements.js";
import { TEXTS, clock } from "../texts.js";
import { drop, recorder } from "../start/microphone.js";

export class Saying {
  /** @param {HTMLElement} host @param {any} app */
  constructor(host, app) {
    this.app = app;
    /** @type {Awaited<ReturnType<typeof recorder>>|null} */
    this.recording = null;
    this.text = /** @type {HTMLTextAreaElement} */ (make("textarea", { rows: "2", "aria-label": TEXTS.type_here }));
    this.button = make("button", { type: "button", class: "button primary", onclick: () => (this.recording ? this.#stop() : this.#record()) }, icon("record"), make("span"));
    this.dialog = /** @type {HTMLDialogElement} */ (make("dialog", { class: "dialog", "aria-label": TEXTS.say_words }, make("h2", {}, TEXTS.say_words), this.text, make("p", { class: "hint" }, TEXTS.say_hint),
      make("form", { method: "dialog" }, this.button, make("button", { class: "button" }, TEXTS.cancel))));
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
      this.button.classList.add("live");
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

  /** The words become a change, if they are none yet, and the recording a take of it. */
  async #stop() {
    const { app, place: { first, last } } = this, { id } = this.recording, file = this.#ended(true);
    if (this.text.value !== app.script.textOf(first, last)) app.editing.write(first, last, this.text.value);
    this.dialog.close();
    const place = app.script.places().find((each) => each.first <= first && last <= each.last);
    if (!place?.edit.text) { drop(id); return app.complain(TEXTS.say_others); }
    try {
      await app.editing.again(place.edit, { upload: await app.server.upload(file) });
      await drop(id);
    } catch (error) {
      app.complain(error.message || TEXTS.lost);
    }
  }
}
