// Keys that work wherever one is on the page, but for fields that are typed in.

/** @param {any} app */
export function listenToKeys(app) { app.host.addEventListener("keydown", (event) => handle(app, event)); }

function handle(app, event) {
  if (app.host.dataset.screen !== "edit" || event.defaultPrevented || app.dialogs.dialog.open) return;
  const typing = event.target.closest && event.target.closest("input, textarea, select, [contenteditable]");
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const done = (what) => { event.preventDefault(); what(); };
  const { transport, sound, active } = app;
  if (command && !typing) {
    const does = {
      z: () => (event.shiftKey ? app.editing.redo() : app.editing.undo()), y: () => app.editing.redo(), f: () => app.dialogs.find(), s: () => app.exporting.export(""),
      Enter: active && (() => app.hearing.playEdit(active)),
    }[key];
    return does && done(does);
  }
  if (typing || event.altKey || command) return;
  const button = event.target.closest && event.target.closest("button, summary, a");
  if (key === " " && !button) return done(() => app.transport.toggle());
  if (!sound) return;
  const nearer = () => app.audio.axis.zoom(1.6), take = active && app.script.takesOf(active)[Number(key) - 1];
  const does = {
    j: () => { transport.setSpeed(1); transport.seek(transport.place - 5 * sound.sample_rate); },
    k: () => { transport.setSpeed(1); transport.stop(); app.parts.refresh(); },
    l: () => {
      if (transport.playing) transport.setSpeed(transport.speed >= 2 ? 2 : transport.speed + 0.5);
      else transport.play();
      app.parts.refresh();
    },
    o: () => app.hearing.setSide(app.side === "edited" ? "original" : "edited"), "?": () => app.dialogs.keys(),
    "+": nearer, "=": nearer, "-": () => app.audio.axis.zoom(1 / 1.6), a: active && (() => app.editing.accept(active, !active.accepted)),
  }[key] || take && (() => app.editing.choose(active, take.number));
  if (does) done(does);
}
