"""The page's service for programs: one method for each endpoint, all through the Editor.

Every request has a folder of its own under `folder`, with a name that can't be guessed; it is
deleted an hour after it was last used (`limits.forget_old`).
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.audio.output.speech import write_json
from a3t.errors import InputError
from a3t.source.alignment_cache import voices_cache
from alignment import AlignmentError
from app import limits, texts
from app.processes.bounded import bounded
from app.processes.lanes import EditorLane
from app.processes.learnt_voice import MissingVoice, Order, made, made_if_known
from app.processes.progress import Running, Watch
from app.processes.worker import EditorProcess

if TYPE_CHECKING:  # torch is imported with the models, in their processes
    from a3t.plan.request import EditRequest, SpeechRequest
    from alignment import Alignment

LONG = 40.0  # seconds; what is longer has its own lane


class Service:
    """The editor behind the page. `folder` also takes the web server's uploads; nothing outside it
    is ever read on request."""

    def __init__(
        self,
        folder: Path,
        start: Callable[[], EditorProcess] = EditorProcess,
        start_long: Callable[[], EditorProcess] | None = None,
        start_learning: Callable[[], EditorProcess] | None = None,
    ) -> None:
        self.folder = folder
        self.quick = EditorLane(start)
        # Without a process of its own, long work waits in the same line.
        self.long = self.quick if start_long is None else EditorLane(start_long)
        # Only for as long as a voice is learnt: it takes as much memory as the others together.
        self.learning = None if start_learning is None else EditorLane(start_learning, kept=False)
        self.running = Running()
        # For voices that prompts teach where this machine's user has no cache; it goes with the
        # other folders, an hour after the last of them was learnt.
        self._taught = folder / secrets.token_hex(24)

    def close(self) -> None:
        """Ends the editors' processes."""
        self.quick.close()
        self.long.close()
        if self.learning is not None:
            self.learning.close()

    @contextmanager
    def editor(self, watch: Watch, recording: Path) -> Iterator[EditorProcess]:
        """An editor for a recording: those that take minutes don't hold up the others."""
        with self.lane(recording).editor(watch) as editor:
            yield editor

    def lane(self, recording: Path) -> EditorLane:
        """The lane for a recording of this length."""
        return self.long if bounded(limits.stated_length, recording) > LONG else self.quick

    # ---- requests of the API ------------------------------------------------------------------

    def transcribe(self, upload: str | None, expected: str, watch: Watch) -> str:
        """The words heard in the upload; `expected` is a text that it is likely to say."""
        with self._request(upload) as recording, self.editor(watch, recording) as editor:
            return editor.transcribe(recording, expected or None).text

    def align(self, upload: str | None, text: str, watch: Watch) -> Alignment:
        """Align the text with the upload; without a text it is recognised."""
        with self._request(upload) as recording, self.editor(watch, recording) as editor:
            return editor.align(recording, text or None)

    def plan_upload(self, upload: str | None, request: EditRequest, watch: Watch) -> dict[str, Any]:
        """The plan of an edit, as `a3t edit --plan --json` prints it."""
        with self._request(upload) as recording, self.editor(watch, recording) as editor:
            plan = editor.plan(recording, request).to_json()
        del plan["source"]  # visitors need not know the server's folders
        return plan

    def edit(
        self,
        upload: str | None,
        request: EditRequest,
        watch: Watch,
        suffix: str = "",
    ) -> tuple[Path, Path, str]:
        """The edited recording, its edit.json, and the transcript that was used. suffix: ".wav",
        ".flac", or "" for the recording's own."""
        with self._request(upload) as recording:
            result = self.make(Order(recording, request), watch, self.lane(recording))
            suffix = suffix or (".flac" if recording.suffix == ".flac" else ".wav")
            out = bounded(result.save, recording.with_name(f"{recording.stem}.edited{suffix}"))
        return out, without_folders(out.with_suffix(".edit.json")), result.plan.text.text

    def tts(
        self,
        upload: str | None,
        request: SpeechRequest,
        watch: Watch,
    ) -> tuple[Path, Path, str]:
        """The text in the voice of the upload: the speech, its record, the prompt's text."""
        with self._request(upload) as prompt:
            result = self.make(Order(prompt, request), watch, self.lane(prompt))
            out = bounded(result.save, prompt.with_name(f"{prompt.stem}.spoken.wav"))
        return out, without_folders(out.with_suffix(".speech.json")), result.prompt_text

    def make(self, order: Order, watch: Watch, lane: EditorLane) -> Any:
        """Make an order in that lane unless a voice has to be learnt first, which holds
        nobody up there. What is learnt is kept, so that the next request finds it. InputError if it
        is to be learnt in any case, and this server learns no voices."""
        if self.learning is None:
            if order.request.adapt == "always":
                raise InputError(texts.LEARNS_NOTHING)
            order = replace(order, request=replace(order.request, adapt="never"))
        cache = voices_cache() or self._taught
        with lane.editor(watch, order.models) as editor:
            found = editor.run(made_if_known, order, cache)
        if not isinstance(found, MissingVoice):
            return found
        assert self.learning is not None
        with self.learning.editor(watch, order.models) as editor:
            return editor.run(made, order, found.plan, cache)

    @contextmanager
    def _request(self, upload: str | None) -> Iterator[Path]:
        """A copy of the upload in a folder of its own; errors don't reveal where that is."""
        source = limits.check_upload(upload, self.folder)
        suffix = source.suffix.lower() if source.suffix.isascii() else ""
        copy = self.request_folder() / (limits.safe_stem(source.name) + suffix)
        shutil.copyfile(source, copy)
        with without_folder(copy.parent):
            yield copy

    def request_folder(self) -> Path:
        """A new folder whose name can't be guessed; old ones are deleted along the way."""
        limits.forget_old(self.folder)
        folder = self.folder / secrets.token_hex(24)
        folder.mkdir(parents=True)
        return folder


@contextmanager
def without_folder(folder: Path) -> Iterator[None]:
    """Errors as the page shows them: without the server's folders."""
    try:
        yield
    except (InputError, AlignmentError) as error:
        sentence = str(error).replace(f"{folder}{os.sep}", "").replace(f"{folder}", "")
        raise InputError(sentence) from None


def without_folders(record: Path) -> Path:
    """The record with bare file names: visitors need not know the server's folders."""
    written = json.loads(record.read_text(encoding="utf-8"))
    sources = [written["source"]] if "source" in written else written["prompts"]
    for source in sources:
        source["path"] = Path(source["path"]).name
    write_json(record, written)
    return record
