// What stands where: header, script, changes, audio view, transport.

import { kept } from "../browser_storage.js";
import { FOLDED, UNFOLDED } from "../sound/audio_drawing.js";
import { drag, make, tool } from "../elements.js";
import { TEXTS } from "../texts.js";

/** The button that unfolds the spectrogram, and the edge above the sound, by which its height is dragged. @param {HTMLElement} host */
function sized(host) {
  const grip = make("div", { class: "grip", role: "separator", "aria-orientation": "horizontal", tabindex: "0", "aria-label": TEXTS.audio_height, "aria-valuemin": "40", "aria-valuemax": "320" });
  const picture = make("button", { type: "button", class: "quiet named picture", onclick: () => setHeight(height >= UNFOLDED ? FOLDED : UNFOLDED) }, TEXTS.spectrogram);
  let height = Number(kept.get("a3t-audio")) || FOLDED;
  /** @param {number} pixels */
  function setHeight(pixels) {
    height = Math.round(Math.min(Math.max(pixels, 40), 320));
    host.style.setProperty("--sound", `${height}px`);
    kept.set("a3t-audio", String(height));
    grip.setAttribute("aria-valuenow", String(height));
    picture.setAttribute("aria-pressed", String(height >= UNFOLDED));
  }
  setHeight(height);
  grip.addEventListener("pointerdown", (event) => { const from = height + event.clientY; drag(grip, event, (moving) => setHeight(from - moving.clientY)); });
  grip.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 16, ArrowDown: -16 }[event.key];
    if (by) { event.preventDefault(); setHeight(height + by); }
  });
  return { grip, picture };
}

/** The hosts of the page's parts. @param {HTMLElement} host @param {() => void} clicked a button was clicked, and the keys go to the script */
export function build(host, clicked) {
  const start = make("div", { class: "screen start-screen" });
  const header = make("div", { class: "header" });
  const problem = make("div", { class: "problem", role: "alert", hidden: true });
  const script = make("div", { class: "page" });
  const list = make("div"), cleaning = make("div", { class: "cleaning", hidden: true }), recordings = make("div", { class: "recordings", hidden: true });
  const close = tool("close", TEXTS.close, () => { host.dataset.sheet = ""; }, { class: "tool fold" });
  const tabs = make("div", { class: "tabs", role: "tablist", "aria-label": TEXTS.changes });
  const film = make("div", { class: "film" });
  const audio = make("div", { class: "audio" });
  const transport = make("div", { class: "transport" });
  const { grip, picture } = sized(host);
  const edit = make("div", { class: "screen edit-screen" }, header,
    make("div", { class: "main" }, make("div", { class: "document" }, problem, script), film, make("aside", { class: "changes", "aria-label": TEXTS.changes }, make("div", { class: "top" }, tabs, close), list, cleaning, recordings)), grip, audio, transport);
  host.append(start, edit);
  // A click leaves the keys to the script; whoever goes by Tab stays where they are.
  edit.addEventListener("click", (event) => {
    const button = event.detail && /** @type {HTMLElement} */ (event.target).closest("button");
    if (button && !document.activeElement?.closest("input, textarea, dialog")) clicked();
  });
  return { start, header, problem, script, changes: list, tabs, cleaning, recordings, film, audio, transport, picture };
}
