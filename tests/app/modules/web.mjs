// Loads a module of app/web as the browser does: as an ES module, though no package.json says so.

import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const WEB = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "app", "web");
const folder = mkdtempSync(join(tmpdir(), "a3t-web-"));
writeFileSync(join(folder, "package.json"), '{"type": "module"}');
for (const name of readdirSync(WEB)) if (name.endsWith(".js")) cpSync(join(WEB, name), join(folder, name));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** @param {string} name */
export const load = (name) => import(pathToFileURL(join(folder, name)).href);
