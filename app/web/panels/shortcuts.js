// Keys that work wherever one is on the page, but for fields that are typed in.

/**
 * @typedef {object} Keyed what the keys act on
 * @property {import("../state.js").State} state @property {import("../editing.js").Editing} editing @property {import("../hearing.js").Hearing} hearing
 * @property {import("../exporting.js").Exporting} exporting @property {import("../sound/axis.js").Axis} axis
 * @property {import("./dialogs.js").Dialogs} dialogs @property {import("./finder.js").Finder} finder
 */

/** @param {HTMLElement} host @param {Keyed} keyed */
export function listenToKeys(host, keyed) {
  host.addEventListener("keydown", (event) => { if (host.dataset.screen === "edit") handle(keyed, event); });
}

/** @param {Keyed} keyed @param {KeyboardEvent} event */
function handle({ state, editing, hearing, exporting, axis, dialogs, finder }, event) {
  if (event.defaultPrevented || dialogs.dialog.open) return;
  const target = event.target instanceof Element ? event.target : document.body;
  const typing = target.closest("input, textarea, select, [contenteditable]");
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  /** @param {() => void} what */
  const done = (what) => { event.preventDefault(); what(); };
  const { transport, sound, active } = state;
  if (command && !typing) {
    /** @type {Record<string, null|(() => void)>} */
    const commands = {
      z: () => (event.shiftKey ? editing.redo() : editing.undo()), y: () => editing.redo(), f: () => finder.open(), s: () => { exporting.export(""); },
      Enter: active && (() => hearing.playEdit(active)),
    };
    const does = commands[key];
    return does && done(does);
  }
  if (typing || event.altKey || command) return;
  if (key === " " && !target.closest("button, summary, a")) return done(() => transport.toggle());
  if (!sound) return;
  const nearer = () => axis.zoom(1.6), take = active && state.script.takesOf(active)[Number(key) - 1];
  /** @type {Record<string, null|(() => void)>} */
  const keys = {
    j: () => { transport.setSpeed(1); transport.seek(transport.place - 5 * sound.sample_rate); },
    k: () => { transport.setSpeed(1); transport.stop(); state.refresh(); },
    l: () => {
      if (transport.playing) transport.setSpeed(transport.speed >= 2 ? 2 : transport.speed + 0.5);
      else transport.play();
      state.refresh();
    },
    o: () => hearing.setSide(state.side === "edited" ? "original" : "edited"), "?": () => dialogs.keys(),
    "+": nearer, "=": nearer, "-": () => axis.zoom(1 / 1.6), a: active && (() => editing.accept(active, !active.accepted)),
  };
  const does = keys[key] || (take && (() => editing.choose(active, take.number)));
  if (does) done(does);
}
