// What stands where: header, script, changes, audio view, transport.

import { kept } from "../browser_storage.js";
import { FOLDED, UNFOLDED } from "../sound/audio_drawing.js";
import { drag, icon, make, tool } from "../elements.js";
import { TEXTS } from "../texts.js";

/** A menu, which opens below a button. @param {[string|HTMLElement, () => void][]} items each a name, or its button */
function menu(items) {
  const made = make("div", { class: "menu", popover: "auto" }, ...items.map(([name, does]) => {
    const item = typeof name === "string" ? make("button", { type: "button", class: "quiet" }, name) : name;
    item.addEventListener("click", () => { made.hidePopover(); does(); });
    return item;
  }));
  return made;
}

/** The button of a menu, which opens below it. */
function opener(menu, button) {
  menu.addEventListener("beforetoggle", () => {
    const box = button.getBoundingClientRect();
    Object.assign(menu.style, { top: `${box.bottom + 4}px`, right: `${document.documentElement.clientWidth - box.right}px` });
  });
  return button;
}

/** @param {HTMLElement} host @param {any} app */
export function build(host, app) {
  const start = make("div", { class: "screen start-screen" });
  const rename = () => app.dialogs.ask(TEXTS.rename_project, [[TEXTS.save, (text) => text.trim() && app.asked("rename", { name: text })]], app.name, 120);
  const name = make("button", { type: "button", title: TEXTS.rename_project, onclick: rename });
  const heading = make("h1", { class: "name" }, name);
  const status = make("span", { class: "status", role: "status" });
  const sheet = make("button", { type: "button", class: "quiet sheet", onclick: () => app.showChanges(host.dataset.sheet !== "open") });
  const progress = make("progress", { max: "1", "aria-label": TEXTS.listening, hidden: true });
  const undo = tool("undo", `${TEXTS.undo} (Ctrl+Z)`, () => app.editing.undo());
  const redo = tool("redo", `${TEXTS.redo} (Ctrl+Shift+Z)`, () => app.editing.redo());
  const speakers = make("button", { type: "button", class: "quiet" }, TEXTS.speakers), [find, clean] = [TEXTS.find, TEXTS.clean].map((name) => make("button", { type: "button", class: "quiet folded" }, name)); // on a phone
  const toClean = () => app.beside(app.cleaning.open ? "changes" : "cleaning");
  const more = menu([[speakers, () => app.editing.tellSpeakers()], [find, () => app.dialogs.find()], [clean, toClean], [TEXTS.add_recordings, () => app.beside("recordings")], [TEXTS.retext, () => app.dialogs.retext()], [TEXTS.keys, () => app.dialogs.keys()], [TEXTS.settings, () => app.settings.open()]]);
  const takeHome = menu(Object.entries(TEXTS.exports).map(([part, name]) => [name, () => app.exporting.export(part)]));
  const others = opener(more, make("button", { type: "button", class: "tool", title: TEXTS.more, "aria-label": TEXTS.more }, icon("dots")));
  others.popoverTargetElement = more;
  const download = opener(takeHome, make("button", { type: "button", class: "button primary", onclick: () => { if (app.exporting.wanted) app.exporting.stopExport(); } }, icon("download"), make("span")));
  const header = make("div", { class: "header" },
    make("button", { type: "button", class: "quiet back", "aria-label": TEXTS.all_projects, onclick: () => app.leave() }, "‹", make("span", {}, TEXTS.all_projects)),
    heading, status, progress, make("span", { class: "push" }), sheet,
    undo, redo, tool("find", `${TEXTS.find} (Ctrl+F)`, () => app.dialogs.find(), { class: "tool finds" }),
    make("button", { type: "button", class: "quiet named", title: TEXTS.clean_hint, "aria-label": TEXTS.clean, "aria-expanded": "false", "data-name": "clean", onclick: toClean }, icon("clean"), make("span", {}, TEXTS.clean)), others, more, download, takeHome);
  const problem = make("div", { class: "problem", role: "alert", hidden: true }), sentence = make("p");
  const other = make("div", { class: "row" },
    make("button", { type: "button", class: "button", onclick: () => app.dialogs.retext(app.listening.other_text) }, TEXTS.correct_text),
    make("button", { type: "button", class: "button", onclick: () => app.asked("text", { text: "" }) }, TEXTS.without_text));
  problem.append(sentence, other);
  const script = make("div", { class: "page" });
  const changes = make("aside", { class: "changes", "aria-label": TEXTS.changes });
  const cleaning = make("div", { class: "cleaning", hidden: true }), recordings = make("div", { class: "recordings", hidden: true }), list = make("div");
  changes.append(list, cleaning, recordings);
  const film = make("div", { class: "film" });
  const audio = make("div", { class: "audio" });
  const grip = make("div", { class: "grip", role: "separator", "aria-orientation": "horizontal", tabindex: "0", "aria-label": TEXTS.audio_height, "aria-valuemin": "40", "aria-valuemax": "320" });
  const picture = make("button", { type: "button", class: "quiet named picture", onclick: () => setHeight(height >= UNFOLDED ? FOLDED : UNFOLDED) }, TEXTS.spectrogram);
  let height = Number(kept.get("a3t-audio")) || FOLDED;
  function setHeight(pixels) {
    height = Math.round(Math.min(Math.max(pixels, 40), 320));
    host.style.setProperty("--sound", `${height}px`);
    kept.set("a3t-audio", String(height));
    grip.setAttribute("aria-valuenow", String(height));
    picture.setAttribute("aria-pressed", String(height >= UNFOLDED));
  }
  setHeight(height);
  grip.addEventListener("pointerdown", (event) => { const from = height + event.clientY; drag(grip, event, (moving) => setHeight(from - moving.clientY)); });
  grip.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 16, ArrowDown: -16 }[event.key];
    if (by) { event.preventDefault(); setHeight(height + by); }
  });
  const clock = make("output", { class: "clock", "aria-label": TEXTS.position }, make("span"), make("span", { class: "whole" }));
  const play = make("button", { type: "button", class: "play", onclick: () => app.transport.toggle() });
  const sides = ["original", "edited"].map((side) => make("button", { type: "button", role: "radio", class: "mode", onclick: () => app.hearing.setSide(side), "data-side": side }, TEXTS[side]));
  const speed = make("button", { type: "button", class: "quiet speed", onclick: () => { const { transport } = app; transport.setSpeed({ 1: 1.5, 1.5: 2, 2: 0.75, 0.75: 1 }[transport.speed] || 1); refresh(); } });
  const transport = make("div", { class: "transport" },
    tool("back", TEXTS.back, () => app.transport.seek(app.transport.place - 5 * app.sound.sample_rate)), play,
    tool("forward", TEXTS.forward, () => app.transport.seek(app.transport.place + 5 * app.sound.sample_rate)),
    clock, speed,
    make("span", { class: "modes", role: "radiogroup", "aria-label": TEXTS.listen_to }, ...sides), make("span", { class: "push" }),
    make("span", { class: "zooms" }, picture, tool("less", TEXTS.zoom_out, () => app.audio.axis.zoom(1 / 1.6)), tool("more", TEXTS.zoom_in, () => app.audio.axis.zoom(1.6)), tool("whole", TEXTS.fit, () => app.audio.axis.whole())));
  const edit = make("div", { class: "screen edit-screen" }, header, make("div", { class: "main" }, make("div", { class: "document" }, problem, script), film, changes), grip, audio, transport);
  host.append(start, edit);
  // A click leaves the keys to the script; whoever goes by Tab stays where they are.
  edit.addEventListener("click", (event) => {
    const button = event.detail && /** @type {HTMLElement} */ (event.target).closest("button");
    if (button && !document.activeElement.closest("input, textarea, dialog")) app.view.focus();
  });

  function refresh() {
    app.showClock();
    name.textContent = app.name || "";
    const { listening } = app;
    const busy = listening && !listening.done && !listening.problem;
    progress.hidden = !busy;
    speakers.hidden = !listening?.done || app.script.tokens.some(({ speaker }) => speaker);
    speakers.disabled = !!app.telling;
    progress.value = listening ? listening.share : 0;
    status.textContent = busy ? `${app.sound ? TEXTS.listening : TEXTS.opening}… ${app.sound ? `${Math.round(100 * listening.share)} %` : ""}` : app.telling ? `${TEXTS.telling}…` : app.saver.state;
    status.hidden = !status.textContent;
    status.classList.toggle("calm", status.textContent === TEXTS.saved || status.textContent === TEXTS.saving);
    sheet.textContent = `${TEXTS.changes} ${app.script.edits.length}`;
    problem.hidden = !(listening && listening.problem);
    sentence.textContent = listening ? listening.problem : "";
    other.hidden = !listening || listening.other_text === null;
    app.cleaning?.showMarks();
    for (const side of sides) side.setAttribute("aria-checked", String(side.dataset.side === app.side));
    undo.disabled = !app.history.done.length;
    redo.disabled = !app.history.undone.length;
    const { playing } = app.transport;
    play.replaceChildren(icon(playing ? "pause" : "play"));
    play.setAttribute("aria-label", playing ? TEXTS.pause : TEXTS.play);
    speed.textContent = `${app.transport.speed}×`;
    speed.setAttribute("aria-label", `${app.transport.speed}× ${TEXTS.speed}`);
    const preparing = app.exporting.wanted && (app.exporting.waitsFor || `${TEXTS.preparing}…`);
    download.disabled = !app.sound;
    takeHome.firstChild.hidden = film.hidden;
    download.popoverTargetElement = preparing ? null : takeHome;
    download.title = preparing ? TEXTS.stop : "";
    download.setAttribute("aria-label", preparing || TEXTS.export);
    download.lastChild.textContent = preparing || TEXTS.export;
    for (const each of transport.querySelectorAll("button")) each.disabled = !app.sound;
  }
  return { start, script, aside: changes, changes: list, cleaning, recordings, film, audio, clock, refresh };
}
