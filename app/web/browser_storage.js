// Small things that this browser keeps: settings, the height of the audio view, what was declined.
// Where it keeps nothing (cookies blocked, some frames of other sites) they last as long as the page.

/** A browser's storage, or the same in memory. @param {"localStorage"|"sessionStorage"} kind */
function opened(kind) {
  /** @type {Map<string, string>} */
  const held = new Map();
  /** @type {Storage|null} */
  let storage = null;
  try { storage = window[kind]; } catch { /* access is denied */ }
  return {
    isKept: storage !== null,
    /** @param {string} name */
    get: (name) => held.get(name) ?? storage?.getItem(name) ?? null,
    /** @param {string} name @param {string} value */
    set(name, value) {
      held.set(name, value);
      try { storage?.setItem(name, value); } catch { /* there is no room */ }
    },
  };
}

export const kept = opened("localStorage");
export const keptWhileOpen = opened("sessionStorage");
