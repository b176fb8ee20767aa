"""The tab in which a recording is edited: what each part of `edit_layout` does when it is used."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import gradio as gr
from gradio.blocks import Block

from a3t.errors import InputError
from app import limits, texts
from app.bounded import bounded
from app.changes import changes_html, note
from app.edit_layout import SETTLE, EditLayout, Shown, history_label, lines, proposal
from app.error_sentences import one_sentence
from app.page_request import PageRequest
from app.progress import Watch
from app.service import Service
from app.sessions import Session, close_session
from app.settings import Given

PROGRESS = gr.Progress()
EDITOR = "editor"  # one request at a time: on few cores a second would only slow the first


class EditTab(EditLayout):
    """Built inside a `gr.Blocks`. Each `on_...` handles an event: it returns new values."""

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
        begun: set[Block] = {self.recording, self.text, self.new_text, self.session}
        given = begun | self.settings.components()
        arrived = gr.on(
            [self.recording.upload, self.recording.stop_recording],
            self.on_recording,
            begun,
            **quick,
        )
        self.recording.clear(self.on_clear, [self.session], **quick)
        example = self.example.click(
            self.on_example, begun, **(quick | {"outputs": [*results, self.recording]})
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
        read = self.words_file.upload(
            self.on_words_file,
            begun | {self.words_file},
            **(quick | {"outputs": [*results, *self.settings.components()]}),
        )
        found = self.find.click(self.on_find, given, **slow)
        planned = self.preview.click(self.on_preview, given, **slow)
        made = self.make.click(self.on_make, given, **slow)
        drawn = self.draw.click(
            self.on_attention,
            given,
            **(slow | {"outputs": [self.attention], "show_progress_on": [self.attention]}),
        )
        self.cancel.click(
            self.on_cancel,
            outputs=[self.status],
            cancels=[found, planned, made, drawn],
            queue=False,
            show_progress="hidden",
            api_visibility="private",
        )
        self.takes.input(self.on_choose, [self.takes, self.session], **quick)
        accepted = self.accept.click(self.on_accept, begun, **quick)
        undone = self.undo.click(self.on_undo, begun, **quick)
        redone = self.redo.click(self.on_redo, begun, **quick)
        self.stage.moved(self.on_moved, [self.session], **quick)
        self.stage.paged(self.on_paged, [self.session], **quick)
        for event in (arrived, example, read, found, planned, accepted, undone, redone):
            event.success(
                None,
                [self.proposed, self.text, self.new_text],
                [self.text, self.new_text],
                js=SETTLE,
                api_visibility="private",
            )

    # ---- the recording ------------------------------------------------------------------------

    def on_recording(self, given: Given) -> Shown:
        with one_sentence():
            session = given[self.session]
            begun = self.service.open_session(given[self.recording])
            close_session(session)
            # Another recording says something else.
            offers = self._offers(given, "", "") if session is not None else None
            return self.show_all(begun) | {self.proposed: offers}

    def on_clear(self, session: Session | None) -> Shown:
        close_session(session)
        return self.show_nothing()

    def on_example(self, given: Given) -> Shown:
        with one_sentence():
            begun, text, new_text = self.service.example_session()
            close_session(given[self.session])
            return self.show_all(begun) | {
                self.recording: str(begun.current.audio),
                self.proposed: self._offers(given, text, new_text),
            }

    def on_typing(self, text: str, new_text: str) -> Shown:
        try:
            limits.check_text(text, texts.THE_TRANSCRIPT)
            limits.check_text(new_text, texts.THE_NEW_TEXT)
            return {self.changes: bounded(changes_html, text, new_text)}
        except InputError as error:
            return {self.changes: note(str(error))}

    def on_words_file(self, given: Given) -> Shown:
        with one_sentence():
            session, new_text = given[self.session], given[self.new_text]
            file = self.service.read_words(session, given[self.words_file])
            proposed = file.new_text if file.new_text is not None else new_text or file.text
            shown: Shown = self.show_all(session) if session is not None else {}
            if file.request is not None:  # an edit to be made again, with the same settings
                shown |= self.settings.showing(file.request)
            return shown | {self.proposed: self._offers(given, file.text, proposed)}

    def _offers(self, given: Given, text: str, new_text: str | None = None) -> dict[str, Any]:
        """Texts for the fields, as `proposal`; the new text stays as it is without one."""
        offer = None if new_text is None else (given[self.new_text], new_text)
        return proposal((given[self.text], text), offer)

    # ---- finding, planning, making ------------------------------------------------------------

    def on_find(self, given: Given, request: gr.Request, progress: gr.Progress = PROGRESS) -> Shown:
        with one_sentence(), self._watch(request, progress) as watch:
            session = self._begin(given)
            typed = limits.check_text(given[self.text], texts.THE_TRANSCRIPT)
            models = self.settings.models(given)
            text = self.service.find_words(session, typed, watch, models)
            new_text = given[self.new_text] if given[self.new_text].strip() else text
            return self.show_all(session) | {self.proposed: self._offers(given, text, new_text)}

    def on_preview(
        self, given: Given, request: gr.Request, progress: gr.Progress = PROGRESS
    ) -> Shown:
        with one_sentence(), self._watch(request, progress) as watch:
            session, wanted = self._begin(given), self._request(given)
            plan = self.service.plan(session, wanted, watch)
            self.turn_to_edit(session)
            return self.show_all(session) | {
                self.proposed: self._offers(given, session.current.text),
                self.status: lines("\n".join([plan.describe(), *map(str, plan.doubts)])),
            }

    def on_make(self, given: Given, request: gr.Request, progress: gr.Progress = PROGRESS) -> Shown:
        with one_sentence(), self._watch(request, progress) as watch:
            session, wanted = self._begin(given), self._request(given)
            self.service.make(session, wanted, watch)
            self.turn_to_edit(session)
            return self.show_all(session) | {
                self.proposed: self._offers(given, session.current.text)
            }

    def on_attention(
        self, given: Given, request: gr.Request, progress: gr.Progress = PROGRESS
    ) -> str:
        with one_sentence(), self._watch(request, progress) as watch:
            session, models = used(given[self.session]), self.settings.models(given)
            return str(self.service.attention(session, watch, models))

    def on_cancel(self, request: gr.Request) -> Shown:
        self.service.running.cancel(page_of(request))
        return {self.status: note(texts.CANCELLED)}

    # ---- choosing, history, correcting --------------------------------------------------------

    def on_choose(self, name: str | None, session: Session | None) -> Shown:
        with one_sentence():
            session = used(session)
            names = [take.name for take in session.takes]
            session.chosen = names.index(name) if name in names else 0
            return self.show_all(session)

    def on_accept(self, given: Given) -> Shown:
        with one_sentence():
            session = used(given[self.session])
            session.accept(history_label(session.take) if session.take is not None else "")
            return self._show_version(session, given)

    def on_undo(self, given: Given) -> Shown:
        return self._step(given, -1)

    def on_redo(self, given: Given) -> Shown:
        return self._step(given, 1)

    def _step(self, given: Given, by: int) -> Shown:
        with one_sentence():
            session = used(given[self.session])
            session.step(by)
            return self._show_version(session, given)

    def _show_version(self, session: Session, given: Given) -> Shown:
        """Another version of the recording, with its text in both fields."""
        text = session.current.text
        return self.show_all(session) | {self.proposed: self._offers(given, text, text)}

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
        with one_sentence():
            session = used(session)
            try:
                place = float(event._data["to"])
            except (KeyError, TypeError, ValueError):
                place = 0.0
            session.start = place if math.isfinite(place) else 0.0  # the view stays inside
            return {self.stage: self.show_stage(session)}

    def _begin(self, given: Given) -> Session:
        session = self.service.session_of(given[self.recording], given[self.session])
        session.touch()
        return session

    def _request(self, given: Given) -> PageRequest:
        return self.settings.request(given, given[self.text], given[self.new_text])

    def _watch(self, request: gr.Request, progress: gr.Progress) -> AbstractContextManager[Watch]:
        return self.service.running.watch(
            page_of(request), lambda share, step: progress(share, desc=step)
        )


def page_of(request: gr.Request) -> str:
    """Gradio's name for this page's connection, which nobody else knows."""
    return request.session_hash or ""


def cancelling(service: Service) -> Callable[[gr.Request], None]:
    """An event's function that ends what the page waits for."""

    def cancel(request: gr.Request) -> None:
        service.running.cancel(page_of(request))

    return cancel


def used(session: Session | None) -> Session:
    if session is None:
        raise InputError(texts.NO_RECORDING)
    session.touch()
    return session
