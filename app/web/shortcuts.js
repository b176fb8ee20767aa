// Keys that work wherever one is on the page, but for fields that are typed in.

/** @param {any} app */
export function listenToKeys(app) {
  app.host.addEventListener("keydown", (event) => handle(app, event));
  document.addEventListener("keydown", (event) => {
    if (event.target === document.body) handle(app, event);
  });
}

function handle(app, event) {
  if (app.host.dataset.screen !== "edit" || event.defaultPrevented || app.dialogs.dialog.open) return;
  if (!app.host.offsetParent) return; // another tab is shown
  const typing = event.target.closest && event.target.closest("input, textarea, select, [contenteditable]");
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const done = (what) => { event.preventDefault(); what(); };
  if (command && !typing) {
    if (key === "z") return done(() => (event.shiftKey ? app.redo() : app.undo()));
    if (key === "y") return done(() => app.redo());
    if (key === "f") return done(() => app.dialogs.find());
    if (key === "s") return done(() => app.export(""));
    if (key === "Enter" && app.active) return done(() => app.playEdit(app.active));
    return;
  }
  if (typing || event.altKey || command) return;
  const button = event.target.closest && event.target.closest("button, summary, a");
  if (key === " " && !button) return done(() => app.transport.toggle());
  const { transport, sound } = app;
  if (!sound) return;
  if (key === "j") return done(() => { transport.setSpeed(1); transport.seek(transport.place - 5 * sound.sample_rate); });
  if (key === "k") return done(() => { transport.setSpeed(1); transport.stop(); app.parts.refresh(); });
  if (key === "l") {
    return done(() => {
      if (transport.playing) transport.setSpeed(transport.speed >= 2 ? 2 : transport.speed + 0.5);
      else transport.play();
      app.parts.refresh();
    });
  }
  if (key === "o") return done(() => app.setSide(app.side === "edited" ? "original" : "edited"));
  if (key === "?") return done(() => app.dialogs.keys());
  if (key === "+" || key === "=") return done(() => app.audio.zoom(1.6));
  if (key === "-") return done(() => app.audio.zoom(1 / 1.6));
  if (key === "a" && app.active) return done(() => app.accept(app.active, !app.active.accepted));
  if (/^[1-9]$/.test(key) && app.active) {
    const take = app.script.takesOf(app.active)[Number(key) - 1];
    if (take) done(() => app.choose(app.active, take.number));
  }
}
