// The login, where the page is for more than this computer.

import { make } from "../elements.js";
import { TEXTS } from "../texts.js";

/** @param {HTMLElement} host @param {string} page its address */
export function askLogin(host, page) {
  const problem = make("p", { class: "problem", role: "alert" });
  /** @param {string} name @param {string} said @param {import("../elements.js").Given} more */
  const field = (name, said, more) => make("label", { class: "setting" }, said, make("input", { name, required: true, ...more }));
  const form = make("form", { class: "start login" }, make("h1", {}, TEXTS.log_in),
    field("username", TEXTS.user, { autocomplete: "username" }), field("password", TEXTS.password, { type: "password", autocomplete: "current-password" }),
    problem, make("button", { class: "button primary" }, TEXTS.log_in));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = new URLSearchParams(/** @type {any} */ (new FormData(form)));
    const send = () => fetch(`${page}/login`, { method: "POST", body }).catch(() => null);
    let answer = await send();
    for (let tries = 0; answer?.status === 429 && tries < 5; tries++) { // the last try was wrong, a moment ago
      await new Promise((done) => setTimeout(done, 1000));
      answer = await send();
    }
    if (answer?.ok) location.reload();
    else problem.textContent = answer ? (await answer.json().catch(() => ({}))).detail || TEXTS.lost : TEXTS.lost;
  });
  host.dataset.screen = "start";
  host.append(make("div", { class: "screen start-screen" }, form));
}
