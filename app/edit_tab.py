"""The tab in which a recording is edited: what stands on it, and what each part does."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from a3t.errors import InputError
from app import limits, texts
from app.changes import changes_html, note, transcript_html
from app.sentences import one_sentence
from app.service import Service, Wish
from app.sessions import Session
from app.watching import Watch

if TYPE_CHECKING:
    from a3t.records import EditPlan

HERE = Path(__file__).parent
PROGRESS = gr.Progress()
Shown = dict[Any, Any]  # component -> its new value
EDITOR = "editor"  # one request at a time: a second would only slow the first on few cores


class EditTab:
    """Built inside a `gr.Blocks`; `session` is the visitor's, which nobody else's page reaches."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.session = gr.State(
            None, time_to_live=limits.KEEP_SECONDS, delete_callback=close_session
        )
        self._lay_out()
        self._connect()

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

    def _connect(self) -> None:
        results = [
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
        quick: dict[str, Any] = {
            "outputs": results,
            "concurrency_limit": None,  # not queue=False: then errors are not shown
            "show_progress": "hidden",
            "api_visibility": "private",
        }
        slow: dict[str, Any] = {
            "outputs": results,
            "show_progress_on": [self.stage],
            "concurrency_id": EDITOR,
            "concurrency_limit": 1,
            "api_visibility": "private",
        }
        gr.on(
            [self.recording.upload, self.recording.stop_recording],
            self.on_recording,
            [self.recording, self.text, self.new_text, self.session],
            **quick,
        )
        self.recording.clear(self.on_clear, [self.session], **quick)
        self.example.click(
            self.on_example, [self.session], outputs=[*results, self.recording], **_rest(quick)
        )
        gr.on(
            [self.text.change, self.new_text.change],
            self.on_typing,
            [self.text, self.new_text],
            outputs=[self.changes],
            trigger_mode="always_last",
            queue=False,
            show_progress="hidden",
            api_visibility="private",
        )
        self.words_file.upload(
            self.on_words_file, [self.words_file, self.new_text, self.session], **quick
        )
        texts_in = [self.recording, self.text, self.new_text, self.session]
        settings = [self.speed, self.seed, self.number, self.kind]
        found = self.find.click(self.on_find, texts_in, **slow)
        planned = self.preview.click(self.on_preview, [*texts_in, *settings], **slow)
        made = self.make.click(self.on_make, [*texts_in, *settings], **slow)
        self.cancel.click(
            self.on_cancel,
            [self.session],
            outputs=[self.status],
            cancels=[found, planned, made],
            queue=False,
            show_progress="hidden",
            api_visibility="private",
        )
        self.takes.input(self.on_choose, [self.takes, self.session], **quick)
        self.accept.click(self.on_accept, [self.session], **quick)
        self.undo.click(lambda session: self.on_step(session, -1), [self.session], **quick)
        self.redo.click(lambda session: self.on_step(session, 1), [self.session], **quick)
        self.stage.moved(self.on_moved, [self.session], **quick)
        self.stage.paged(self.on_paged, [self.session], **quick)

    # ---- the recording ------------------------------------------------------------------------

    def on_recording(
        self, upload: str | None, text: str, new_text: str, session: Session | None
    ) -> Shown:
        with one_sentence():
            begun = self.service.open_session(upload)
            if session is not None:  # another recording says something else
                session.close()
                text = new_text = ""
            return self._all(begun) | {
                self.text: text,
                self.new_text: new_text,
                self.changes: changes_html(text, new_text),
            }

    def on_clear(self, session: Session | None) -> Shown:
        close_session(session)
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

    def on_example(self, session: Session | None) -> Shown:
        with one_sentence():
            begun, text, new_text = self.service.example_session()
            close_session(session)
            return self._all(begun) | {
                self.recording: str(begun.current.audio),
                self.text: text,
                self.new_text: new_text,
                self.changes: changes_html(text, new_text),
            }

    def on_typing(self, text: str, new_text: str) -> Shown:
        try:
            typed = limits.check_text(text, "transcript"), limits.check_text(new_text, "new text")
        except InputError as error:
            return {self.changes: note(str(error))}
        return {self.changes: changes_html(*typed)}

    def on_words_file(self, upload: str | None, new_text: str, session: Session | None) -> Shown:
        with one_sentence():
            text, wanted = self.service.read_words(session, upload)
            wanted = wanted if wanted is not None else new_text or text
            shown: Shown = self._all(session) if session is not None else {}
            return shown | {
                self.text: text,
                self.new_text: wanted,
                self.changes: changes_html(text, wanted),
            }

    # ---- finding, planning, making ------------------------------------------------------------

    def on_find(
        self,
        upload: str | None,
        text: str,
        new_text: str,
        session: Session | None,
        progress: gr.Progress = PROGRESS,
    ) -> Shown:
        with one_sentence():
            session = self._begin(upload, session)
            typed = limits.check_text(text, "transcript")
            known = self.service.find_words(session, typed, watching(session, progress))
            wanted = new_text if new_text.strip() else known
            return self._all(session) | {
                self.text: known,
                self.new_text: wanted,
                self.changes: changes_html(known, wanted),
            }

    def on_preview(
        self,
        upload: str | None,
        text: str,
        new_text: str,
        session: Session | None,
        speed: float,
        seed: float | None,
        number: float,
        kind: str,
        progress: gr.Progress = PROGRESS,
    ) -> Shown:
        with one_sentence():
            session = self._begin(upload, session)
            wish = wish_of(text, new_text, speed, seed, number, kind)
            plan = self.service.plan(session, wish, watching(session, progress))
            self._turn_to_edit(session)
            return self._all(session) | {
                self.text: session.current.text,
                self.changes: changes_html(session.current.text, wish.new_text),
                self.status: lines(plan.describe()),
            }

    def on_make(
        self,
        upload: str | None,
        text: str,
        new_text: str,
        session: Session | None,
        speed: float,
        seed: float | None,
        number: float,
        kind: str,
        progress: gr.Progress = PROGRESS,
    ) -> Shown:
        with one_sentence():
            session = self._begin(upload, session)
            wish = wish_of(text, new_text, speed, seed, number, kind)
            self.service.make(session, wish, watching(session, progress))
            self._turn_to_edit(session)
            assert session.plan is not None
            return self._all(session) | {
                self.text: session.current.text,
                self.changes: changes_html(session.current.text, wish.new_text),
                self.status: lines(session.plan.describe()),
            }

    def on_cancel(self, session: Session | None) -> Shown:
        if session is not None:
            session.cancelled.set()
        return {self.status: note(texts.CANCELLED)}

    # ---- choosing, history, correcting --------------------------------------------------------

    def on_choose(self, name: str | None, session: Session | None) -> Shown:
        with one_sentence():
            session = used(session)
            names = [take.name for take in session.takes]
            session.chosen = names.index(name) if name in names else 0
            return self._all(session)

    def on_accept(self, session: Session | None) -> Shown:
        with one_sentence():
            session = used(session)
            session.accept(history_label(session.plan) if session.plan is not None else "")
            return self._all(session) | self._texts(session)

    def on_step(self, session: Session | None, by: int) -> Shown:
        with one_sentence():
            session = used(session)
            session.step(by)
            return self._all(session) | self._texts(session)

    def on_moved(self, session: Session | None, event: gr.EventData) -> Shown:
        with one_sentence():
            session = used(session)
            try:
                number, start, end = (event._data[key] for key in ("number", "start", "end"))
                place = int(number), float(start), float(end)
            except (KeyError, TypeError, ValueError, OverflowError):
                raise InputError(texts.NO_WORD) from None
            self.service.move_word(session, *place)
            return self._all(session)

    def on_paged(self, session: Session | None, event: gr.EventData) -> Shown:
        from app.view import SHOWN

        with one_sentence():
            session = used(session)
            by = 1 if isinstance(event._data, dict) and event._data.get("by") == 1 else -1
            session.start = max(0.0, min(session.start + by * SHOWN * 0.8, limits.MAX_SECONDS))
            return {self.stage: self._stage(session)}

    # ---- what is shown ------------------------------------------------------------------------

    def _begin(self, upload: str | None, session: Session | None) -> Session:
        if session is None:
            session = self.service.open_session(upload)
        session.touch()
        session.cancelled.clear()
        return session

    def _turn_to_edit(self, session: Session) -> None:
        from a3t.audio.recording import Recording
        from app.view import first_shown, plan_marks

        duration = Recording.open(session.current.audio).seconds
        session.start = first_shown(plan_marks(session), duration)

    def _stage(self, session: Session) -> dict[str, Any]:
        from app.view import stage  # brings torch, which the models bring in any case

        shown = stage(session)
        session.start = shown["sides"][0]["start"]
        return shown

    def _texts(self, session: Session) -> Shown:
        text = session.current.text
        return {self.text: text, self.new_text: text, self.changes: changes_html(text, text)}

    def _all(self, session: Session) -> Shown:
        """Everything that follows from the session alone."""
        known, names = session.current, [take.name for take in session.takes]
        heard = transcript_html(known.text, known.alignment) if known.alignment is not None else ""
        return {
            self.session: session,
            self.confidence: heard,
            self.status: "",
            self.stage: self._stage(session),
            self.takes: gr.Radio(
                choices=names,
                value=names[session.chosen] if names else None,
                visible=len(names) > 1,
            ),
            self.files: [str(path) for path in session.downloads()] or None,
            self.history: history_html(session),
        }


def wish_of(
    text: str, new_text: str, speed: float, seed: float | None, number: float, kind: str
) -> Wish:
    """The fields as an edit; InputError naming the one that can't be used."""
    wanted = limits.check_text(new_text, "new text")
    if not wanted:
        raise InputError(texts.NO_NEW_TEXT)
    typed = limits.check_text(text, "transcript")
    suffix = kind if kind in (".wav", ".flac") else ""
    return Wish(typed, wanted, int(seed or 0), float(speed), int(number), suffix)


def watching(session: Session, progress: gr.Progress) -> Watch:
    return Watch(lambda share, step: progress(share, desc=step), session.cancelled)


def used(session: Session | None) -> Session:
    if session is None:
        raise InputError(texts.NO_RECORDING)
    session.touch()
    return session


def close_session(session: Session | None) -> None:
    if session is not None:
        session.close()


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


def _rest(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of a listener that has outputs of its own."""
    return {key: value for key, value in settings.items() if key != "outputs"}
