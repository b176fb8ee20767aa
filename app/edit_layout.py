"""What stands on the edit tab, and what of a session is shown there; `edit_tab` has its events."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import gradio as gr

from app import limits, texts
from app.changes import note, transcript_html
from app.sessions import Session, Take, close_session
from app.settings import Settings

if TYPE_CHECKING:
    pass

HERE = Path(__file__).parent
Shown = dict[Any, Any]  # component -> its new value


class EditLayout:
    """Built inside a `gr.Blocks`; `session` is the visitor's own, inaccessible to other pages."""

    def __init__(self) -> None:
        self.session = gr.State(
            None, time_to_live=limits.KEEP_SECONDS, delete_callback=close_session
        )
        self._lay_out()

    def _lay_out(self) -> None:
        with gr.Row():
            with gr.Column(min_width=300):
                # As a path: gradio's own decoding ("numpy") needs ffmpeg for anything but WAV.
                self.recording = gr.Audio(
                    label=texts.RECORDING,
                    type="filepath",
                    sources=["upload", "microphone"],
                    buttons=[],
                    editable=False,
                    elem_id="recording",
                )
                self.example = gr.Button(texts.EXAMPLE, size="sm", elem_id="example")
                self.text = gr.Textbox(
                    label=texts.TRANSCRIPT,
                    lines=3,
                    placeholder=texts.TRANSCRIPT_HINT,
                    elem_id="transcript",
                )
                self.find = gr.Button(texts.FIND_WORDS, size="sm", elem_id="find")
                self.confidence = gr.HTML(label=texts.CONFIDENCE, elem_id="confidence")
                with gr.Accordion(texts.TEXT_FILE, open=False):
                    self.words_file = gr.File(
                        label=texts.TEXT_FILE, type="filepath", height=110, elem_id="words-file"
                    )
            with gr.Column(min_width=300):
                self.new_text = gr.Textbox(
                    label=texts.NEW_TEXT,
                    lines=3,
                    placeholder=texts.NEW_TEXT_HINT,
                    elem_id="new-text",
                )
                self.changes = gr.HTML(
                    note(texts.NO_CHANGES_YET), label=texts.CHANGES, elem_id="changes"
                )
                with gr.Row():
                    self.preview = gr.Button(texts.PREVIEW, min_width=90, elem_id="preview")
                    self.make = gr.Button(
                        texts.MAKE, variant="primary", min_width=90, elem_id="make"
                    )
                    self.cancel = gr.Button(texts.CANCEL, min_width=90, elem_id="cancel")
                self.takes = gr.Radio([], label=texts.TAKES, visible=False, elem_id="takes")
                with gr.Row():
                    self.undo = gr.Button(texts.UNDO, size="sm", min_width=70, elem_id="undo")
                    self.redo = gr.Button(texts.REDO, size="sm", min_width=70, elem_id="redo")
                    self.accept = gr.Button(texts.ACCEPT, size="sm", elem_id="accept")
                self.settings = Settings()
        self.status = gr.HTML("", elem_id="status")
        self.proposed = gr.JSON(visible=False)  # texts for the fields: see `proposal`
        labels = {name: escape(text) for name, text in texts.STAGE_TEXTS.items()}
        self.stage = gr.HTML(
            None,
            label=texts.STAGE,
            html_template=Template((HERE / "stage.html").read_text("utf-8")).substitute(labels),
            js_on_load=stage_script(),
            apply_default_css=False,
            elem_id="stage",
        )
        with gr.Row():
            with gr.Column(min_width=300):
                self.files = gr.File(
                    label=texts.FILES,
                    file_count="multiple",
                    interactive=False,
                    visible=False,
                    elem_id="files",
                )
            with gr.Column(min_width=300):
                self.history = gr.HTML("", label=texts.HISTORY, elem_id="history")
        with gr.Accordion(texts.ATTENTION, open=False, elem_id="attention"):
            self.draw = gr.Button(texts.DRAW_ATTENTION, size="sm")
            self.attention = gr.Image(
                label=texts.ATTENTION, type="filepath", format="png", interactive=False
            )

    # ---- what is shown ------------------------------------------------------------------------

    def results(self) -> list[Any]:
        """The components whose values an event may change."""
        return [
            self.session,
            self.proposed,
            self.confidence,
            self.status,
            self.stage,
            self.takes,
            self.files,
            self.history,
        ]

    def show_nothing(self) -> Shown:
        """As the tab is before there is a recording."""
        return {
            self.session: None,
            self.confidence: "",
            self.status: "",
            self.stage: None,
            self.takes: gr.Radio(choices=[], value=None, visible=False),
            self.files: gr.update(value=None, visible=False),
            self.history: "",
        }

    def turn_to_edit(self, session: Session) -> None:
        """The stage will show the part in which the first planned edit is."""
        from app.view import start_at_edit

        session.start = start_at_edit(session)

    def show_stage(self, session: Session) -> dict[str, Any]:
        from app.view import stage  # brings torch, which the models bring in any case

        shown = stage(session)
        session.start = shown["sides"][0]["start"]
        return shown

    def show_all(self, session: Session) -> Shown:
        """Everything that follows from the session alone."""
        known, names = session.current, [take.name for take in session.takes]
        files = [str(path) for path in session.downloads()]
        heard = transcript_html(known.text, known.alignment) if known.alignment is not None else ""
        return {
            self.session: session,
            self.confidence: heard,
            self.status: doubts_html(session.take),
            self.stage: self.show_stage(session),
            self.takes: gr.Radio(
                choices=names,
                value=session.take.name if session.take is not None else None,
                visible=len(names) > 1,
            ),
            self.files: gr.update(value=files or None, visible=bool(files)),
            self.history: history_html(session),
        }


def stage_script() -> str:
    """The script that draws the stage and handles its events, with its texts."""
    parts = [(HERE / name).read_text("utf-8") for name in ("drawing.js", "stage.js")]
    return "\n".join([f"const TEXTS = {json.dumps(texts.STAGE_TEXTS)};", *parts])


def proposal(text: tuple[str, str] | None, new_text: tuple[str, str] | None) -> dict[str, Any]:
    """Texts for the two fields, each with what the field held when they were worked out.

    A field takes its text unless the visitor has typed in it in the meantime (`SETTLE`).
    """
    return {"text": text, "new_text": new_text}


# In the browser: what was typed while an answer was on its way wins over the answer.
SETTLE = """(proposed, text, new_text) => {
    const settled = (offer, now) => offer && now === offer[0] ? offer[1] : now;
    return proposed
        ? [settled(proposed.text, text), settled(proposed.new_text, new_text)]
        : [text, new_text];
}"""


def doubts_html(take: Take | None) -> str:
    """What was doubtful where the edit was made, and the new words to listen to."""
    if take is None:
        return ""
    result = take.result
    hardly_heard = [texts.hardly_heard(result.doubtful)] if result.doubtful else []
    guessed = [texts.guessed(*pair) for pair in result.plan.guessed.items()]
    return "".join(map(note, [*map(str, result.plan.doubts), *guessed, *hardly_heard]))


def history_label(take: Take) -> str:
    """What an accepted take changed in the version before, in a few words."""
    pairs = zip(take.source_marks, take.output_marks, strict=True)
    label = ", ".join(f"{a.words or '–'} → {b.words or '–'}" for a, b in pairs) or texts.SAME_WORDS
    return label if len(label) <= 80 else f"{label[:79]}…"


def history_html(session: Session) -> str:
    items = [
        f"<li{' aria-current=true' if k == session.position else ''}>"
        f"{'<strong>' if k == session.position else ''}{escape(version.label)}"
        f"{'</strong>' if k == session.position else ''}</li>"
        for k, version in enumerate(session.versions)
    ]
    return f'<p class="a3t-note">{texts.HISTORY}</p><ol>{"".join(items)}</ol>'


def lines(text: str) -> str:
    return "".join(note(line) for line in text.splitlines())
