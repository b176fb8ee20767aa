"""The tab in which a recording is edited: what each part of `edit_layout` does when it is used."""

from __future__ import annotations

from typing import Any

import gradio as gr

from a3t.errors import InputError
from app import limits, texts
from app.changes import changes_html, note
from app.edit_layout import EditLayout, Shown, history_label, lines
from app.sentences import one_sentence
from app.service import Service, Wish
from app.sessions import Session, close_session
from app.watching import Watch

PROGRESS = gr.Progress()
EDITOR = "editor"  # one request at a time: a second would only slow the first on few cores


class EditTab(EditLayout):
    """Built inside a `gr.Blocks`. Each `on_...` is an event's; it gives components new values."""

    def __init__(self, service: Service) -> None:
        super().__init__()
        self.service = service
        self._connect()

    def _connect(self) -> None:
        results = self.results()
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
            return self.show_all(begun) | {
                self.text: text,
                self.new_text: new_text,
                self.changes: changes_html(text, new_text),
            }

    def on_clear(self, session: Session | None) -> Shown:
        close_session(session)
        return self.show_nothing()

    def on_example(self, session: Session | None) -> Shown:
        with one_sentence():
            begun, text, new_text = self.service.example_session()
            close_session(session)
            return self.show_all(begun) | {
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
            shown: Shown = self.show_all(session) if session is not None else {}
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
            return self.show_all(session) | {
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
            self.turn_to_edit(session)
            return self.show_all(session) | {
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
            self.turn_to_edit(session)
            assert session.plan is not None
            return self.show_all(session) | {
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
            return self.show_all(session)

    def on_accept(self, session: Session | None) -> Shown:
        with one_sentence():
            session = used(session)
            session.accept(history_label(session.plan) if session.plan is not None else "")
            return self.show_all(session) | self.show_texts(session)

    def on_step(self, session: Session | None, by: int) -> Shown:
        with one_sentence():
            session = used(session)
            session.step(by)
            return self.show_all(session) | self.show_texts(session)

    def on_moved(self, session: Session | None, event: gr.EventData) -> Shown:
        with one_sentence():
            session = used(session)
            try:
                number, start, end = (event._data[key] for key in ("number", "start", "end"))
                place = int(number), float(start), float(end)
            except (KeyError, TypeError, ValueError, OverflowError):
                raise InputError(texts.NO_WORD) from None
            self.service.move_word(session, *place)
            return self.show_all(session)

    def on_paged(self, session: Session | None, event: gr.EventData) -> Shown:
        from app.view import SHOWN

        with one_sentence():
            session = used(session)
            by = 1 if isinstance(event._data, dict) and event._data.get("by") == 1 else -1
            session.start = max(0.0, min(session.start + by * SHOWN * 0.8, limits.MAX_SECONDS))
            return {self.stage: self.show_stage(session)}

    def _begin(self, upload: str | None, session: Session | None) -> Session:
        if session is None:
            session = self.service.open_session(upload)
        session.touch()
        session.cancelled.clear()
        return session


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


def _rest(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of a listener that has outputs of its own."""
    return {key: value for key, value in settings.items() if key != "outputs"}
