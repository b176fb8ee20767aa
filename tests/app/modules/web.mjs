// Loads a module of app/web as the browser does: as an ES module, though no package.json says so.
// With what its modules find in a browser, as far as these tests need it.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const WEB = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "app", "web");
const folder = mkdtempSync(join(tmpdir(), "a3t-web-"));
writeFileSync(join(folder, "package.json"), '{"type": "module"}');
cpSync(WEB, folder, { recursive: true });
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** @param {string} name */
export const load = (name) => import(pathToFileURL(join(folder, name)).href);

/** What the browser keeps: a Map for each store. @type {Record<string, Map<string, any>>} */
export const disk = { unsent: new Map(), requests: new Map(), recordings: new Map() };
const later = (done) => queueMicrotask(() => done());
globalThis.window = globalThis;
globalThis.indexedDB = {
  open() {
    const request = { result: { close() {}, transaction: (name) => transaction(disk[name]) } };
    later(() => request.onsuccess());
    return request;
  },
};
function transaction(held) {
  const made = { objectStore: () => ({
    put: (value, key) => { held.set(key, structuredClone(value)); return {}; },
    delete: (key) => { held.delete(key); return {}; },
    getAllKeys: () => ({ result: [...held.keys()] }),
    getAll: () => ({ result: [...held.values()].map((value) => structuredClone(value)) }),
  }) };
  later(() => made.oncomplete());
  return made;
}

/** Lets everything happen that waits for nothing but itself. */
export const settle = async () => { for (let k = 0; k < 100; k++) await Promise.resolve(); };
