// Requests that change something besides the script: kept until the server has confirmed them, and sent again.

import { Refusal } from "./server.js";
import { TEXTS } from "./texts.js";
import { forget, keep, kept } from "./unsent.js";

/** @typedef {{project: string, name: string, data: object, file?: File}} Request a file is uploaded first, as `data`'s upload */

const PATIENCE = 500, LONGEST = 4000; // milliseconds until another try, twice as long each time
const refuses = (/** @type {unknown} */ error) => error instanceof Refusal && error.status >= 400 && error.status < 500;

export class Requests {
  /** @param {import("./server.js").Server} server @param {(sentence: string) => void} complain */
  constructor(server, complain) {
    this.server = server;
    this.complain = complain;
    /** @type {Set<string>} */
    this.own = new Set();
    this.wake = () => {};
  }

  /** @param {string} key @param {Request} request @param {(share: number) => void} told of what is uploaded @returns {Promise<object>} */
  async #try(key, { project, name, data, file }, told = () => {}) {
    const upload = file ? { upload: await this.server.upload(file, told) } : {};
    const answer = await this.server.ask(`/projects/${project}/${name}`, { ...data, ...upload, request: key });
    await forget("requests", key);
    return answer;
  }

  /** The server's answer, however long it takes; raises what it refuses. @param {Request} request @param {(share: number) => void} [told] @returns {Promise<object>} */
  async send(request, told) {
    const key = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.own.add(key);
    await keep("requests", key, request);
    for (let wait = PATIENCE; ; wait = Math.min(2 * wait, LONGEST)) {
      try {
        return await this.#try(key, request, told);
      } catch (error) {
        if (refuses(error)) { await forget("requests", key); throw error; }
        if (wait === PATIENCE) this.complain((error instanceof Refusal && error.message) || TEXTS.sent_later);
      }
      await new Promise((done) => { setTimeout(done, wait); this.wake = () => done(null); });
    }
  }

  /** Sends what windows that are gone have left here. */
  async flush() {
    for (const [key, request] of await kept("requests")) {
      if (!this.own.has(key)) await this.#try(key, request).catch((error) => refuses(error) && forget("requests", key));
    }
  }
}
