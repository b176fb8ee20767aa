// The first page's frame: the script editor in it, and its project in the page's address.

const EDITOR = new URL("../../editor", import.meta.url).href;
const PROJECT = /^#project=[0-9a-f]{24}$/;

/** Shows the editor in the frame, as soon as Gradio has put that into the page. */
function fill() {
  const frame = /** @type {HTMLIFrameElement|null} */ (document.querySelector("#script-editor"));
  if (frame && !frame.src) frame.src = EDITOR + (PROJECT.test(location.hash) ? location.hash : "");
  const opened = /** @type {HTMLAnchorElement|null} */ (document.querySelector("a[href*='#project=']"));
  if (opened && !frame) location.href = opened.href; // a project that the page has just made
}

addEventListener("message", ({ origin, data }) => {
  if (origin !== location.origin || typeof data?.project !== "string") return;
  const hash = data.project && `#project=${data.project}`;
  if (hash !== location.hash) history.replaceState(null, "", location.pathname + location.search + hash);
});
new MutationObserver(fill).observe(document.documentElement, { childList: true, subtree: true });
fill();
