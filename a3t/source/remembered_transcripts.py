"""What a3t has recognised in recordings, remembered in the user's cache.

So a file that was transcribed, changed in any editor and given as the new text is compared with
what a3t wrote: words that the person left are never touched.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from a3t.audio.output.files import atomic_path
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.source.records import FoundTranscript
from a3t.text.transcript import Transcript
from a3t.user_folders import cache_folder
from alignment.serialisation import Record

MAX_REMEMBERED = 256  # transcripts; the latest
MAX_FILE_BYTES = 20_000_000


@dataclass(frozen=True)
class RememberedTranscript(Record):
    """The words that a recogniser heard in a recording, with their confidences."""

    transcript: Transcript
    confidences: tuple[float, ...]
    recogniser: str


def remembering_folder() -> Path | None:
    """Return the folder of the remembered transcripts; None if A3T_CACHE is set to nothing."""
    folder = os.environ.get("A3T_CACHE")
    if folder is not None:
        return Path(folder) / "transcripts" if folder else None
    return cache_folder("transcripts")


def remember(recording: Recording, found: FoundTranscript, recogniser: str) -> None:
    """Remember what was recognised in a recording; do nothing where there is no cache."""
    folder = remembering_folder()
    if folder is None or recording.sha256 is None:
        return
    entry = RememberedTranscript(found.transcript, found.confidences, recogniser)
    path = folder / f"{recording.sha256}.json"
    with suppress(OSError, InputError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with atomic_path(path) as temporary:
            temporary.write_text(json.dumps(entry.to_json()), encoding="utf-8")
            temporary.chmod(0o600)
        files = sorted(folder.glob("*.json"), key=lambda each: -each.stat().st_mtime)
        for old in files[MAX_REMEMBERED:]:
            old.unlink(missing_ok=True)


def recall(recording: Recording) -> RememberedTranscript | None:
    """Return what was recognised in a recording, if that is remembered and can be read."""
    folder = remembering_folder()
    if folder is None or recording.sha256 is None:
        return None
    path = folder / f"{recording.sha256}.json"
    with suppress(OSError, ValueError, RecursionError):
        if path.stat().st_size <= MAX_FILE_BYTES:
            return RememberedTranscript.from_json(json.loads(path.read_bytes()))
    return None
