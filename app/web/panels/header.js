// The line above the script: the project's name, how far it is, undo, menus, and export.

import { icon, make, tool } from "../elements.js";
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

/** The button of a menu, which opens below it. @param {HTMLElement} menu @param {HTMLButtonElement} button */
function opener(menu, button) {
  menu.addEventListener("beforetoggle", () => {
    const box = button.getBoundingClientRect();
    Object.assign(menu.style, { top: `${box.bottom + 4}px`, right: `${document.documentElement.clientWidth - box.right}px` });
  });
  return button;
}

export class Header {
  /**
   * @param {HTMLElement} host @param {HTMLElement} problem where it says why a recording can't be listened to
   * @param {import("../state.js").State} state @param {import("../saver.js").Saver} saver @param {import("../editing.js").Editing} editing
   * @param {import("../exporting.js").Exporting} exporting @param {import("./export_sheet.js").ExportSheet} sheet @param {import("./dialogs.js").Dialogs} dialogs
   * @param {{leave: () => void, find: () => void, clean: () => void, settings: () => void, sheet: () => void}} opens what else its buttons open
   */
  constructor(host, problem, state, saver, editing, exporting, sheet, dialogs, opens) {
    this.state = state;
    this.saver = saver;
    this.exporting = exporting;
    const rename = () => dialogs.ask(TEXTS.rename_project, [[TEXTS.save, (text) => text.trim() && state.ask("rename", { name: text })]], state.name, 120);
    this.name = make("button", { type: "button", title: TEXTS.rename_project, onclick: rename });
    this.status = make("span", { class: "status", role: "status" });
    this.sheet = make("button", { type: "button", class: "quiet sheet", onclick: opens.sheet });
    this.progress = make("progress", { max: "1", "aria-label": TEXTS.listening, hidden: true });
    this.undo = tool("undo", `${TEXTS.undo} (Ctrl+Z)`, () => editing.undo());
    this.redo = tool("redo", `${TEXTS.redo} (Ctrl+Shift+Z)`, () => editing.redo());
    this.speakers = make("button", { type: "button", class: "quiet" }, TEXTS.speakers);
    const [find, clean] = [TEXTS.find, TEXTS.clean].map((name) => make("button", { type: "button", class: "quiet folded" }, name)); // on a phone
    const more = menu([[this.speakers, () => editing.tellSpeakers()], [find, opens.find], [clean, opens.clean], [TEXTS.add_recordings, () => state.beside("recordings")], [TEXTS.retext, () => dialogs.retext()], [TEXTS.keys, () => dialogs.keys()], [TEXTS.settings, opens.settings]]);
    const others = opener(more, make("button", { type: "button", class: "tool", title: TEXTS.more, "aria-label": TEXTS.more }, icon("dots")));
    others.popoverTargetElement = more;
    this.sheetHost = sheet.host;
    this.preparing = make("span");
    this.download = opener(sheet.host, make("button", { type: "button", class: "button primary", onclick: () => { if (exporting.wanted) exporting.stopExport(); } }, icon("download"), this.preparing));
    host.append(make("button", { type: "button", class: "quiet back", "aria-label": TEXTS.all_projects, onclick: opens.leave }, "‹", make("span", {}, TEXTS.all_projects)),
      make("h1", { class: "name" }, this.name), this.status, this.progress, make("span", { class: "push" }), this.sheet,
      this.undo, this.redo, tool("find", `${TEXTS.find} (Ctrl+F)`, opens.find, { class: "tool finds" }), others, more, this.download, sheet.host);
    this.problem = problem;
    this.sentence = make("p");
    this.other = make("div", { class: "row" },
      make("button", { type: "button", class: "button", onclick: () => dialogs.retext(state.listening?.other_text || "") }, TEXTS.correct_text),
      make("button", { type: "button", class: "button", onclick: () => state.ask("text", { text: "" }) }, TEXTS.without_text));
    problem.append(this.sentence, this.other);
  }

  render() {
    const { history, listening, name, script, sound, telling } = this.state, { wanted } = this.exporting;
    const busy = listening && !listening.done && !listening.problem, share = listening ? listening.share : 0;
    this.name.textContent = name;
    this.progress.hidden = !busy;
    this.speakers.hidden = !this.state.tellsSpeakers || !listening?.done || script.tokens.some(({ speaker }) => speaker);
    this.speakers.disabled = !!telling;
    this.progress.value = share;
    this.status.textContent = busy ? `${sound ? TEXTS.listening : TEXTS.opening}… ${sound ? `${Math.round(100 * share)} %` : ""}` : telling ? `${TEXTS.telling}…` : this.saver.status;
    this.status.hidden = !this.status.textContent;
    this.status.classList.toggle("calm", this.status.textContent === TEXTS.saved || this.status.textContent === TEXTS.saving);
    this.sheet.textContent = `${TEXTS.changes} ${script.edits.length}`;
    this.problem.hidden = !listening?.problem;
    this.sentence.textContent = listening ? listening.problem : "";
    this.other.hidden = !listening || listening.other_text === null;
    this.undo.disabled = !history.done.length;
    this.redo.disabled = !history.undone.length;
    const preparing = wanted && (this.exporting.waitsFor(wanted.part) || `${TEXTS.preparing}…`);
    this.download.disabled = !sound;
    this.download.popoverTargetElement = preparing ? null : this.sheetHost;
    this.download.title = preparing ? TEXTS.stop : "";
    this.download.setAttribute("aria-label", preparing || TEXTS.export);
    this.preparing.textContent = preparing || TEXTS.export;
  }
}
