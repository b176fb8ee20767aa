// What the server is asked for, and what it tells while it works.

export class Refusal extends Error {
  /** @param {string} sentence @param {number} status @param {any} [told] what else the answer says */
  constructor(sentence, status, told = {}) {
    super(sentence);
    this.status = status;
    this.told = told;
  }
}

export class Server {
  /** @param {string} root the address of the job interface */
  constructor(root) {
    this.root = root;
  }

  /**
   * The answer to a request; with `data` it is a POST. Raises Refusal with one sentence.
   * @param {string} path @param {object} [data]
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

  async reach(path, given) {
    let answer;
    try {
      answer = await fetch(`${this.root}${path}`, given);
    } catch {
      throw new Refusal("", 0); // the server can't be reached
    }
    if (!answer.ok) {
      const told = await answer.json().catch(() => ({}));
      throw new Refusal(told.sentence || told.detail || "", answer.status, told);
    }
    return answer;
  }

  /**
   * Calls `happened` with each event of a project after `since`, and `reached` with whether the
   * server answers; returns a function that ends it.
   */
  follow(project, since, happened, reached) {
    const source = new EventSource(`${this.root}/projects/${project}/events?since=${since}`);
    source.onopen = () => reached(true);
    source.onerror = () => reached(false);
    source.onmessage = (message) => happened(JSON.parse(message.data), Number(message.lastEventId));
    return () => source.close();
  }
}
