// Whisper, offered where a recording without a transcript is opened.

import { keptWhileOpen } from "../browser_storage.js";
import { make, show } from "../elements.js";
import { TEXTS, tell } from "../texts.js";

const DECLINED = "a3t-not-whisper"; // for as long as the window is open
const AGAIN = 500; // ms between two looks at how far it is

/** @import { FetchState } from "../records" */

/**
 * Resolves once the recording can be opened: Whisper is here, or isn't wanted, or can't be had.
 * Raises an Error that says why it wasn't fetched; what has come of it is kept.
 * @param {import("../server.js").Server} server @param {HTMLElement} place where it is asked
 */
export async function offerRecogniser(server, place) {
  /** @type {FetchState} */
  let told = await server.ask("/recogniser").catch(() => ({ state: "none" }));
  if (told.state === "none" || keptWhileOpen.get(DECLINED)) return;
  if (told.state === "offered") {
    const agreed = await new Promise((answer) => show(place,
      make("div", { class: "asking" }, make("p", {}, tell(TEXTS.whisper, told.megabytes, new URL(told.server).host)), make("div", { class: "actions" },
        make("button", { type: "button", class: "button primary", onclick: () => answer(true) }, TEXTS.fetch),
        make("button", { type: "button", class: "button", onclick: () => answer(false) }, TEXTS.not_now)))));
    place.textContent = "";
    if (!agreed) return keptWhileOpen.set(DECLINED, "yes");
    told = await server.ask("/recogniser", {});
  }
  while (told.state === "fetching") {
    place.textContent = tell(TEXTS.fetching, Math.round(100 * told.share));
    await new Promise((done) => setTimeout(done, AGAIN));
    told = await server.ask("/recogniser");
  }
  if (told.problem) throw new Error(told.problem);
}
