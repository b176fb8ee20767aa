// Begins the editor in the page, once the server knows who asks.

import { App } from "./app.js";
import { askLogin } from "./start/login.js";
import { Server } from "./server.js";

const page = new URL("../..", import.meta.url).pathname.replace(/\/$/, ""), server = new Server(page);
const unknown = await server.ask("/limits").then(() => false, ({ status }) => status === 401);
if (unknown) askLogin(document.body, page);
else window.a3tApp = new App(document.body, server);
