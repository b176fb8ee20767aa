// Begins the editor inside the component that Gradio has made for it.

import { App } from "./app.js";
import { Server } from "./server.js";

/** @param {HTMLElement} element the component @param {string} root the page's path */
export function begin(element, root) {
  const host = /** @type {HTMLElement} */ (element.querySelector("[data-part=studio]"));
  if (!host || host.dataset.begun) return;
  host.dataset.begun = "yes";
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = `${root}/studio/web/studio.css`;
  sheet.onload = sheet.onerror = () => {
    window.a3tApp = new App(host, new Server(root));
  };
  document.head.append(sheet);
}
