"""What the page does: one method for each request, all of them through the Editor.

The models are loaded once, into a process of their own, and work for one request at a time. Every
request of the API, and every session of the page, has a folder of its own under `folder`, with a
name that can't be guessed; it is deleted an hour after it was last used (`limits.forget_old`).
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.errors import InputError
from alignment import AlignmentError
from app import limits, texts
from app.bounded import bounded
from app.page_request import USUAL, Models, PageRequest
from app.progress import CancelledError, Running, Watch
from app.sessions import Session, Version, close_session
from app.worker import AbandonedError, EditorProcess, always

if TYPE_CHECKING:  # torch is imported with the models, in the background
    from a3t.plan.edit_plan import EditPlan
    from a3t.plan.request import EditRequest
    from alignment import Alignment
    from app.words_file import WordsFile

log = logging.getLogger(__name__)


class Service:
    """The editor behind the page. `folder` also takes the web server's uploads; nothing outside it
    is ever read on request."""

    def __init__(self, folder: Path, start: Callable[[], EditorProcess] = EditorProcess) -> None:
        self.folder = folder
        self._start = start
        self._editor: EditorProcess | None = None
        self._lock = threading.Lock()
        self.running = Running()

    def warm_up(self) -> None:
        """Load the models in the background, so that the page appears before they are loaded."""
        threading.Thread(target=self._warm_up, name="models", daemon=True).start()

    def _warm_up(self) -> None:
        try:
            with self.editor(Watch()) as editor:
                import a3t.audio.mel_window  # noqa: F401  (torch, which the stage's mel needs)

                editor.use(USUAL)
        except Exception:
            log.exception("the models could not be loaded; the first request tries again")

    @contextmanager
    def editor(self, watch: Watch, models: Models = USUAL) -> Iterator[EditorProcess]:
        """The editor, for one request at a time; it reports its steps to `watch`."""
        watch("load")
        while not self._lock.acquire(timeout=0.2):
            watch.check()
        try:
            if self._editor is None or not self._editor.alive:
                self._editor = self._start()
            self._editor.progress, self._editor.wanted = watch, watch.wanted
            self._editor.use(models)
            yield self._editor
        except AbandonedError:  # so that the next request finds the models loaded
            self._editor = self._start()
            self.warm_up()
            raise CancelledError from None
        finally:
            if self._editor is not None:
                self._editor.progress, self._editor.wanted = None, always
            self._lock.release()

    def close(self) -> None:
        """Ends the editor's process."""
        if self._editor is not None:
            self._editor.close()

    # ---- a session's steps --------------------------------------------------------------------

    def open_session(self, upload: str | None) -> Session:
        """A session for an uploaded recording; InputError if it can't be taken."""
        from app.recordings import opened

        source = limits.check_upload(upload, self.folder)
        session = self._session(source)
        session.upload = upload
        try:
            with self._sentences(session.folder):
                opened(session.current.audio)
        except InputError:
            session.close()
            raise
        return session

    def session_of(self, upload: str | None, session: Session | None) -> Session:
        """The visitor's session, a new one if the page shows another recording than it has."""
        if session is not None and (not upload or upload == session.upload):
            return session
        if session is not None and session.began_with(limits.check_upload(upload, self.folder)):
            session.upload = upload
            return session
        begun = self.open_session(upload)
        close_session(session)
        return begun

    def example_session(self) -> tuple[Session, str, str]:
        """A session for the example recording, its text, and a new text to try."""
        from a3t.demo import NEW_TEXT, TEXT, example_recording

        try:
            source = example_recording()
        except InputError:
            raise InputError(texts.NO_EXAMPLE) from None
        return self._session(source), TEXT, NEW_TEXT

    def _session(self, source: Path) -> Session:
        stem = limits.safe_stem(source.name)
        suffix = source.suffix.lower() if source.suffix.isascii() else ""
        audio = self.request_folder() / (stem + suffix)
        shutil.copyfile(source, audio)
        return Session(audio.parent, stem, [Version(audio, texts.STARTED)])

    def find_words(self, session: Session, text: str, watch: Watch, models: Models = USUAL) -> str:
        """Align the recording with its text, recognised if there is none; returns the text.

        What an edited version says is known already.
        """
        from app.recordings import opened
        from app.session_edits import check_text

        session.touch()
        if session.position:
            check_text(session, text)
            return session.current.text
        with self._sentences(session.folder), self.editor(watch, models) as editor:
            recording = opened(session.original.audio)
            if not text:
                text = editor.transcribe(recording).text
            alignment = editor.align(recording, text)
        session.learn(text, alignment)
        return text

    def plan(self, session: Session, request: PageRequest, watch: Watch) -> EditPlan:
        """Plan the edit of the session's recording, and remember the plan."""
        from app.session_edits import plan_edit

        with self._sentences(session.folder), self.editor(watch, request.models) as editor:
            _, plan = plan_edit(session, request, editor)
        session.forget_takes()
        session.plan = plan
        return plan

    def make(self, session: Session, request: PageRequest, watch: Watch) -> None:
        """Make the takes, write their files, and choose the first."""
        from app.session_edits import keep_accepted, plan_edit
        from app.takes import write_take

        with self._sentences(session.folder), self.editor(watch, request.models) as editor:
            edit, plan = plan_edit(session, request, editor)
            current = session.current
            watch.pieces = request.edit.candidates * max(1, len(plan.windows))
            results = editor.candidates(plan, request.edit.candidates)
            results = [keep_accepted(session, edit, result) for result in results]
            watch("save")
            folder = session.new_folder()
            takes = [
                write_take(result, session, folder / str(k), request.suffix, edit.notes(result))
                for k, result in enumerate(results)
            ]
        if session.current is not current:  # undone while it was made
            raise InputError(texts.MEANWHILE)
        session.forget_takes()
        session.plan, session.takes = results[0].plan, tuple(takes)

    def attention(self, session: Session, watch: Watch, models: Models = USUAL) -> Path:
        """A picture of where the network looks as it fills the planned edit."""

        session.touch()
        if session.plan is None:
            raise InputError(texts.NOTHING_PLANNED)
        path = session.new_folder() / "attention.png"
        with self._sentences(session.folder), self.editor(watch, models) as editor:
            editor.draw_attention(session.plan, path)
        return path

    def move_word(self, session: Session, number: int, start: float, end: float) -> None:
        """Correct where a word of the current version is."""
        from app.session_edits import move_word

        session.touch()
        move_word(session, number, start, end)

    def read_words(self, session: Session | None, upload: str | None) -> WordsFile:
        """What an uploaded file of words says; a session learns the alignment of its recording.

        Raises InputError.
        """
        from app.recordings import opened
        from app.words_file import words_in

        path = limits.check_text_file(upload, self.folder)
        with self._sentences(path.parent):
            found = bounded(words_in, path)
        if session is not None and found.alignment is not None:
            session.touch()
            if (
                found.source in (None, opened(session.original.audio).sha256)
                and not session.position
            ):
                session.learn(found.text, found.alignment)
        return found

    # ---- requests of the API ------------------------------------------------------------------

    def transcribe(self, upload: str | None, expected: str, watch: Watch) -> str:
        """The words heard in the upload; `expected` is a text that it is likely to say."""
        with self._request(upload) as recording, self.editor(watch) as editor:
            return editor.transcribe(recording, expected or None).text

    def align(self, upload: str | None, text: str, watch: Watch) -> Alignment:
        """Where the words of the text are in the upload; without a text it is recognised."""
        with self._request(upload) as recording, self.editor(watch) as editor:
            return editor.align(recording, text or None)

    def plan_upload(self, upload: str | None, request: EditRequest, watch: Watch) -> dict[str, Any]:
        """The plan of an edit, as `a3t edit --plan --json` prints it."""
        with self._request(upload) as recording, self.editor(watch) as editor:
            plan = editor.plan(recording, request).to_json()
        del plan["source"]  # visitors need not know the server's folders
        return plan

    def edit(
        self, upload: str | None, request: PageRequest, watch: Watch
    ) -> tuple[Path, Path, str]:
        """The edited recording, its edit.json, and the transcript that was used."""
        from app.takes import without_folders

        with self._request(upload) as recording, self.editor(watch) as editor:
            result = editor.edit(recording, request.edit)
            suffix = request.suffix or (".flac" if recording.suffix == ".flac" else ".wav")
            out = bounded(result.save, recording.with_name(f"{recording.stem}.edited{suffix}"))
        return out, without_folders(out.with_suffix(".edit.json")), result.plan.text.text

    def tts(
        self,
        upload: str | None,
        prompt_text: str,
        text: str,
        watch: Watch,
        seed: int = 0,
        speed: float = 1.0,
    ) -> tuple[Path, Path, str]:
        """The text in the voice of the upload: the speech, its record, the prompt's text."""
        from app.takes import without_folders

        with self._request(upload) as prompt, self.editor(watch) as editor:
            result = editor.tts(prompt, text, prompt_text or None, seed, speed)
            out = bounded(result.save, prompt.with_name(f"{prompt.stem}.spoken.wav"))
        return out, without_folders(out.with_suffix(".speech.json")), result.prompt_text

    @contextmanager
    def _request(self, upload: str | None) -> Iterator[Path]:
        """A copy of the upload in a folder of its own; errors don't reveal where that is."""
        source = limits.check_upload(upload, self.folder)
        session = self._session(source)
        with self._sentences(session.folder):
            yield session.current.audio

    @contextmanager
    def _sentences(self, folder: Path) -> Iterator[None]:
        """Errors as the page shows them: without the server's folders."""
        try:
            yield
        except (InputError, AlignmentError) as error:
            sentence = str(error).replace(f"{folder}{os.sep}", "").replace(f"{folder}", "")
            raise InputError(sentence) from None

    def request_folder(self) -> Path:
        """A new folder whose name can't be guessed; old ones are deleted along the way."""
        limits.forget_old(self.folder)
        folder = self.folder / secrets.token_hex(24)
        folder.mkdir(parents=True)
        return folder
