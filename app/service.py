"""What the page's buttons do: one function each, from a request's values to what is shown.

Every request works in a folder of its own: the upload is copied there, results are written there,
and the folder is deleted an hour later (`limits.forget_old_results`).
"""

from __future__ import annotations

import json
import os
import shutil
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from a3t.audio.files import atomic_path
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.evaluation.pictures import draw_edit
from alignment.errors import AlignmentError
from app import limits


@dataclass(frozen=True)
class Made:
    """What one edit gives to the page."""

    audio: Path
    record: Path
    picture: Path
    text: str  # the transcript that was used: typed, or recognised


class Service:
    """The editor behind the page: models are loaded once, when they are first needed.

    `uploads` is the folder into which the web server writes uploads; nothing outside it is read.
    """

    def __init__(self, uploads: Path, results: Path) -> None:
        self.uploads = uploads
        self.results = results
        self._editor: Editor | None = None
        self._lock = threading.Lock()

    def edit(self, upload: str | None, text: str | None, new_text: str | None, seed: int) -> Made:
        """Make the edited recording; InputError with one sentence if it can't be made."""
        source = limits.check_upload(upload, self.uploads)
        typed = limits.check_text(text, "transcript")
        wanted = limits.check_text(new_text, "new text")
        if not wanted:
            raise InputError("There is no new text yet: type what the recording should say.")
        with self._request(source) as recording, self._loaded() as editor:
            result = editor.edit(recording, new_text=wanted, text=typed or None, seed=seed)
            out = result.save(recording.with_name(f"{recording.stem}.edited.wav"))
            record = _without_folders(out.with_suffix(".edit.json"))
            picture = draw_edit(recording, out, record, out.with_suffix(".png"))
        return Made(out, record, picture, result.plan.text.text)

    def recognise(self, upload: str | None, new_text: str | None) -> str:
        """The words heard in the upload, with the new text (if there is one) as what to expect."""
        source = limits.check_upload(upload, self.uploads)
        wanted = limits.check_text(new_text, "new text")
        with self._request(source) as recording, self._loaded() as editor:
            return editor.recognise(recording, wanted or None).text

    @contextmanager
    def _loaded(self) -> Iterator[Editor]:
        """The editor, for one request at a time."""
        with self._lock:
            if self._editor is None:
                self._editor = Editor.load()
            yield self._editor

    @contextmanager
    def _request(self, source: Path) -> Iterator[Path]:
        """A copy of the upload in a folder of its own; errors don't tell where that is."""
        limits.forget_old_results(self.results)
        folder = self.results / uuid.uuid4().hex
        folder.mkdir(parents=True)
        copy = folder / (limits.safe_stem(source.name) + source.suffix.lower())
        shutil.copyfile(source, copy)
        try:
            yield copy
        except (InputError, AlignmentError) as error:
            raise InputError(str(error).replace(f"{folder}{os.sep}", "")) from None


def _without_folders(record: Path) -> Path:
    """The edit.json with the recording's bare name: visitors need not know the server's folders."""
    told = json.loads(record.read_text(encoding="utf-8"))
    told["source"]["path"] = Path(told["source"]["path"]).name
    with atomic_path(record) as temporary:
        temporary.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    return record
