// Small helpers for building the page, and its icons.

const PATHS = {
  play: "M8 5.5v13l11-6.5z", pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  back: "M11.5 7V4L6 8.5 11.5 13v-3a5 5 0 1 1-5 5h-2a7 7 0 1 0 7-8z", forward: "M12.5 7V4L18 8.5 12.5 13v-3a5 5 0 1 0 5 5h2a7 7 0 1 1-7-8z",
  loop: "M7 7h9v3l5-4-5-4v3H5v6h2zM17 17H8v-3l-5 4 5 4v-3h11v-6h-2z",
  undo: "M9 6 4 11l5 5v-3.5h6a3 3 0 0 1 0 6h-4v2h4a5 5 0 0 0 0-10H9z", redo: "m15 6 5 5-5 5v-3.5H9a3 3 0 0 0 0 6h4v2H9a5 5 0 0 1 0-10h6z",
  find: "M10 4a6 6 0 1 0 3.7 10.7L19 20l1.4-1.4-5.3-5.3A6 6 0 0 0 10 4zm0 2a4 4 0 1 1 0 8 4 4 0 0 1 0-8z",
  download: "M11 4h2v8h3.5L12 16.5 7.500 12H11zM5 18h14v2H5z", check: "m9.500 16.200-4-4L4 13.700l5.500 5.500L20.500 8.200 19 6.700z",
  close: "m6.400 5 5.600 5.600L17.600 5 19 6.400 13.400 12l5.600 5.600-1.400 1.400-5.600-5.600L6.400 19 5 17.600l5.600-5.600L5 6.400z",
  more: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z", less: "M5 11h14v2H5z", upload: "M12 4 6.500 9.500H10V16h4V9.500h3.500zM5 18h14v2H5z",
  record: "M12 4a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V7a3 3 0 0 0-3-3zm-6 8h1.600a4.400 4.400 0 0 0 8.800 0H18a6 6 0 0 1-5.100 5.900V20h-1.800v-2.100A6 6 0 0 1 6 12z",
  bin: "M9 4h6l1 2h4v2H4V6h4zM6 9h12l-1 11H7zm3 2v7h1.500v-7zm4.500 0v7H15v-7z",
  pencil: "m4 16.500 9.500-9.500 3.500 3.500L7.500 20H4zM14.600 5.900l1.700-1.700a1 1 0 0 1 1.400 0l2.100 2.100a1 1 0 0 1 0 1.400l-1.700 1.700z",
  dots: "M5 10h3v3H5zm5.500 0h3v3h-3zm5.500 0h3v3h-3z",
  whole: "M4 5h2v14H4zm14 0h2v14h-2zM8 11h8v2H8z",
};

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/**
 * What an element is given: attributes, and listeners by names such as onclick.
 * @typedef {{[name: string]: string|number|boolean|null|undefined|((event: any) => unknown)}} Given
 * @typedef {Node|string|number|false|null|undefined} Child which is left out if it is false or nothing
 */

/**
 * An element with attributes, listeners and children; texts are set as text.
 * @template {keyof HTMLElementTagNameMap} K @param {K} name @param {Given} [given] @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(name, given = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = String(value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flatMap((child) => (child || child === 0 ? [typeof child === "number" ? String(child) : child] : [])));
  return element;
}

/** A button with an icon, its name read out and shown when one stays on it. @param {keyof typeof PATHS} symbol @param {string} name @param {() => unknown} onclick @param {Given} given */
export function tool(symbol, name, onclick, given = {}) {
  return make("button", { type: "button", class: "tool", title: name, "aria-label": name, onclick, ...given }, icon(symbol));
}

/** Replaces an element's children. @param {Element} element @param {...(Node|string|false|null|undefined|0)} children */
export function show(element, ...children) {
  element.replaceChildren(...children.flatMap((child) => child || []));
}

/**
 * Follows a pointer that went down on an element: `move` hears each step, `end` the last one.
 * @param {HTMLElement} element @param {PointerEvent} event @param {(event: PointerEvent) => void} move @param {(event: PointerEvent) => void} end
 */
export function drag(element, event, move, end = () => {}) {
  element.setPointerCapture(event.pointerId);
  follow(element, move, end);
}

/** As `drag`, without keeping the pointer to the element. @param {HTMLElement|Document} where @param {(event: PointerEvent) => void} move @param {(event: PointerEvent) => void} end */
export function follow(where, move, end) {
  const over = new AbortController(), { signal } = over;
  const on = (/** @type {string} */ name, /** @type {(event: PointerEvent) => void} */ does) => where.addEventListener(name, (event) => does(/** @type {PointerEvent} */ (event)), { signal });
  on("pointermove", move);
  for (const last of ["pointerup", "pointercancel"]) on(last, (event) => { over.abort(); end(event); });
}

/** Shows a host's parts anew; what had the focus has it again, if `within` finds one of its name. @param {HTMLElement} host @param {() => void} shows */
export function refocused(host, shows, within = "") {
  const had = /** @type {HTMLInputElement} */ (document.activeElement || document.body), { name } = had.dataset, typed = had.matches("input") ? had.value : null;
  const inside = host.contains(had) && name;
  shows();
  const again = inside && /** @type {HTMLInputElement|null} */ (host.querySelector(`${within} [data-name="${name}"]`));
  if (!again) return;
  if (typed !== null) again.value = typed;
  again.focus({ preventScroll: true });
}

/** A text as HTML. @param {string} text */
export function escaped(text) {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
