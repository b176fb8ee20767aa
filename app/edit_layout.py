"""What stands on the edit tab, and what of a session is shown there; `edit_tab` has its events."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from app import limits, texts
from app.changes import changes_html, note, transcript_html
from app.sessions import Session, close_session

if TYPE_CHECKING:
    from a3t.records import EditPlan

HERE = Path(__file__).parent
Shown = dict[Any, Any]  # component -> its new value


class EditLayout:
    """Built inside a `gr.Blocks`; `session` is the visitor's, which nobody else's page reaches."""

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
                with gr.Accordion(texts.MORE, open=False):
                    self.speed = gr.Slider(0.5, 2.0, 1.0, step=0.05, label=texts.SPEED)
                    self.number = gr.Slider(1, 3, 1, step=1, label=texts.NUMBER_OF_TAKES)
                    self.seed = gr.Number(
                        label=texts.SEED, value=0, precision=0, minimum=0, maximum=2**31 - 1
                    )
                    self.kind = gr.Radio(
                        [(texts.RECORDED, ""), *texts.FILE_TYPES], value="", label=texts.FILE_TYPE
                    )
        self.status = gr.HTML("", elem_id="status")
        self.stage = gr.HTML(
            None,
            label=texts.STAGE,
            html_template=(HERE / "stage.html").read_text(encoding="utf-8"),
            js_on_load=(HERE / "stage.js").read_text(encoding="utf-8"),
            apply_default_css=False,
            elem_id="stage",
        )
        with gr.Row():
            with gr.Column(min_width=300):
                self.files = gr.File(
                    label=texts.FILES, file_count="multiple", interactive=False, elem_id="files"
                )
            with gr.Column(min_width=300):
                self.history = gr.HTML("", label=texts.HISTORY, elem_id="history")

    # ---- what is shown ------------------------------------------------------------------------

    def results(self) -> list[Any]:
        """The components that an event may give new values."""
        return [
            self.session,
            self.text,
            self.new_text,
            self.changes,
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
            self.text: "",
            self.new_text: "",
            self.changes: note(texts.NO_CHANGES_YET),
            self.confidence: "",
            self.status: "",
            self.stage: None,
            self.takes: gr.Radio(choices=[], value=None, visible=False),
            self.files: None,
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

    def show_texts(self, session: Session) -> Shown:
        text = session.current.text
        return {self.text: text, self.new_text: text, self.changes: changes_html(text, text)}

    def show_all(self, session: Session) -> Shown:
        """Everything that follows from the session alone."""
        known, names = session.current, [take.name for take in session.takes]
        heard = transcript_html(known.text, known.alignment) if known.alignment is not None else ""
        return {
            self.session: session,
            self.confidence: heard,
            self.status: "",
            self.stage: self.show_stage(session),
            self.takes: gr.Radio(
                choices=names,
                value=names[session.chosen] if names else None,
                visible=len(names) > 1,
            ),
            self.files: [str(path) for path in session.downloads()] or None,
            self.history: history_html(session),
        }


def history_label(plan: EditPlan) -> str:
    """What an accepted edit changed, in a few words."""
    parts = [f"{e.old_words or '–'} → {e.new_words or '–'}" for e in plan.edits]
    label = ", ".join(parts) or texts.SAME_WORDS
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
