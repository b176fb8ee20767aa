// What the server is asked for, and what it tells while it works.

import { TEXTS } from "./texts.js";

/** @import { ProjectEvent } from "./records" */

export class Refusal extends Error {
  /** @param {string} sentence @param {number} status @param {any} [told] what else the answer says */
  constructor(sentence, status, told = {}) {
    super(sentence);
    this.status = status;
    this.told = told;
  }
}

/** What went wrong, as people are told. @param {unknown} error */
export const messageOf = (error) => (error instanceof Error && error.message) || TEXTS.lost;

/** What an answer says, if it says anything to people. @param {number} status @param {string} body */
function refusal(status, body) {
  /** @type {any} */
  let told = {};
  try { told = JSON.parse(body); } catch { /* a proxy's page */ }
  const sentence = [told.sentence, told.detail].find((each) => typeof each === "string");
  return new Refusal(sentence || "", status, told);
}

export class Server {
  /** @param {string} page its address */
  constructor(page) {
    this.root = `${page}/studio`;
  }

  /**
   * Sends a file, telling of the share that has gone; the server's name for it. A server that was
   * started anew gives the visitor another cookie first.
   * @param {File} file @param {(share: number) => void} told @returns {Promise<string>}
   */
  async upload(file, told = () => {}, known = false) {
    const request = new XMLHttpRequest();
    request.open("POST", `${this.root}/uploads?name=${encodeURIComponent(file.name)}`);
    request.upload.onprogress = ({ loaded, total }) => told(loaded / total);
    await new Promise((done) => { request.onloadend = done; request.send(file); });
    if (request.status === 200) return JSON.parse(request.responseText).upload;
    if (request.status === 403 && !known) {
      await this.ask("/limits").catch(() => {});
      return this.upload(file, told, true);
    }
    throw refusal(request.status, request.responseText);
  }

  /**
   * The answer to a request; with `data` it is a POST. Raises Refusal with one sentence.
   * @param {string} path @param {object} [data] @returns {Promise<any>}
   */
  async ask(path, data) {
    const given = data && { method: "POST", body: JSON.stringify(data), headers: { "content-type": "application/json" } };
    const answer = await this.reach(path, given);
    return answer.json();
  }

  /** @param {string} path @returns {Promise<ArrayBuffer>} */
  async bytes(path) {
    return (await this.reach(path)).arrayBuffer();
  }

  /** @param {string} path @param {RequestInit} [given] */
  async reach(path, given) {
    let answer;
    try {
      answer = await fetch(`${this.root}${path}`, given);
    } catch {
      throw new Refusal("", 0); // the server can't be reached
    }
    if (!answer.ok) throw refusal(answer.status, await answer.text());
    return answer;
  }

  /**
   * Calls `happened` with each event of a project after `since`, `reached` with whether the server
   * answers, and `ended` when it refuses to go on; returns a function that ends it.
   * @param {string} project @param {number} since @param {(event: ProjectEvent) => unknown} happened @param {(answers: boolean) => void} reached @param {() => void} ended
   */
  follow(project, since, happened, reached, ended) {
    const source = new EventSource(`${this.root}/projects/${project}/events?since=${since}`);
    source.onopen = () => reached(true);
    source.onerror = () => { reached(false); if (source.readyState === EventSource.CLOSED) ended(); };
    source.onmessage = (message) => happened(JSON.parse(message.data));
    return () => source.close();
  }
}
