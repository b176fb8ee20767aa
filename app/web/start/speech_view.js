// Speech from a prompt: a text in the voice of a recording, which becomes no project.

import { icon, make, show } from "../elements.js";
import { TEXTS } from "../texts.js";

/** The kinds of recordings, for a browser's dialog. */
export const SOUND = "audio/*,video/mp4,video/webm,video/quicktime,.wav,.flac,.mp3,.ogg,.opus,.m4a,.mp4,.webm,.mov,.aiff,.aac,.zip";
const AGAIN = 400; // milliseconds between two looks at how far it is

export class SpeechView {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    /** @type {File|null} */
    this.prompt = null;
    this.asked = null; // the name of the request that is worked on
    this.chooser = /** @type {HTMLInputElement} */ (make("input", { type: "file", accept: SOUND, "aria-label": TEXTS.choose_voice, class: "hidden", tabindex: "-1", id: "speech-upload", onchange: () => this.#take(this.chooser.files[0]) }));
    this.voice = make("span", {}, TEXTS.choose_voice);
    this.text = /** @type {HTMLTextAreaElement} */ (make("textarea", { rows: "3", "aria-label": TEXTS.say, placeholder: TEXTS.say }));
    this.said = /** @type {HTMLTextAreaElement} */ (make("textarea", { rows: "2", "aria-label": TEXTS.own_text, placeholder: TEXTS.voice_says }));
    this.button = make("button", { type: "button", class: "button primary", id: "speak", onclick: () => (this.asked ? this.#cancel() : this.#speak()) }, TEXTS.speak);
    this.state = make("div", { class: "busy", role: "status" });
    this.element = make("details", { class: "speech" }, make("summary", {}, make("h2", {}, TEXTS.speech)),
      make("div", { class: "prompting" },
        make("button", { type: "button", class: "button", onclick: () => this.chooser.click() }, icon("upload"), this.voice), this.chooser,
        this.text, make("details", {}, make("summary", {}, TEXTS.own_text), this.said), this.button, this.state));
    this.element.addEventListener("drop", (event) => { event.preventDefault(); event.stopPropagation(); this.#take(event.dataTransfer.files[0]); });
  }

  /** @param {File|undefined} file */
  #take(file) {
    if (!file) return;
    this.prompt = file;
    this.voice.textContent = file.name;
    this.chooser.value = "";
  }

  #cancel() { this.app.server.ask(`/speech/${this.asked}/cancel`, {}).catch(() => {}); }

  async #speak() {
    const { server } = this.app, { speed, seed } = this.app.settings.values;
    try {
      if (!this.prompt) throw new Error(TEXTS.no_voice_yet);
      this.button.textContent = TEXTS.cancel;
      const upload = await server.upload(this.prompt, (share) => this.#say(`${TEXTS.uploading}… ${Math.round(100 * share)} %`));
      let job = await server.ask("/speech", { upload, text: this.text.value, prompt_text: this.said.value, speed, seed });
      this.asked = job.id;
      while (job.status === "running") {
        this.#say(`${job.step || TEXTS.preparing}… ${Math.round(100 * job.progress)} %`);
        await new Promise((done) => setTimeout(done, AGAIN));
        job = await server.ask(`/speech/${job.id}`);
      }
      if (job.status !== "done") throw new Error(job.error);
      this.said.value = job.prompt_text || this.said.value;
      const at = `${server.root}/speech/${job.id}`;
      show(this.state, make("audio", { controls: true, src: `${at}/sound`, "aria-label": TEXTS.spoken }),
        make("a", { class: "button", href: `${at}/sound`, download: "" }, icon("download"), TEXTS.export), make("a", { class: "quiet", href: `${at}/record`, download: "" }, "speech.json"));
    } catch (error) {
      show(this.state, make("span", { class: "problem" }, error.message || TEXTS.lost));
    } finally {
      this.asked = null;
      this.button.textContent = TEXTS.speak;
    }
  }

  #say(sentence) { this.state.textContent = sentence; }
}
