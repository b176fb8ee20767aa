"""What a3t has heard in recordings, remembered in the user's cache.

So a second edit of a recording doesn't listen again, and a file that was transcribed, changed in
any editor and given as the new text is compared with what a3t wrote: words that the person left
are never touched.
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
from a3t.text.transcript import Transcript
from a3t.user_folders import cache_folder
from alignment.serialisation import Record

MAX_REMEMBERED = 256  # recordings; the latest
MAX_HEARINGS = 4  # of a recording; the latest
MAX_FILE_BYTES = 20_000_000


@dataclass(frozen=True)
class HeardPart(Record):
    """Samples [start, stop) of a recording and the words heard there, with their confidences."""

    start: int
    stop: int
    transcript: Transcript
    confidences: tuple[float, ...]


@dataclass(frozen=True)
class Hearing(Record):
    """The parts of a recording with words, by a recogniser that listened for the user's names."""

    recogniser: str
    names: tuple[str, ...]
    parts: tuple[HeardPart, ...]

    @property
    def transcript(self) -> Transcript:
        """All words."""
        return Transcript.joined(part.transcript for part in self.parts)


@dataclass(frozen=True)
class _Hearings(Record):
    """All hearings of a recording, the latest first."""

    hearings: tuple[Hearing, ...]


def _path(recording: Recording) -> Path | None:
    """Return the file of a recording's hearings; None if A3T_CACHE is set to nothing."""
    folder = os.environ.get("A3T_CACHE")
    if folder == "":
        return None
    home = cache_folder("transcripts") if folder is None else Path(folder) / "transcripts"
    return home / f"{recording.identity.replace(' ', '-')}.json"


def remember(recording: Recording, hearing: Hearing) -> None:
    """Remember what was heard in a recording; do nothing where there is no cache."""
    if (path := _path(recording)) is None:
        return
    others = [
        each
        for each in hearings_of(recording)
        if (each.recogniser, each.names) != (hearing.recogniser, hearing.names)
    ]
    entry = _Hearings((hearing, *others)[:MAX_HEARINGS])
    with suppress(OSError, InputError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with atomic_path(path) as temporary:
            temporary.write_text(json.dumps(entry.to_json()), encoding="utf-8")
            temporary.chmod(0o600)
        files = sorted(path.parent.glob("*.json"), key=lambda each: -each.stat().st_mtime)
        for old in files[MAX_REMEMBERED:]:
            old.unlink(missing_ok=True)


def hearings_of(recording: Recording) -> tuple[Hearing, ...]:
    """Return what is remembered of a recording and can be read, the latest first."""
    path = _path(recording)
    with suppress(OSError, ValueError, RecursionError):
        if path is not None and path.stat().st_size <= MAX_FILE_BYTES:
            return _Hearings.from_json(json.loads(path.read_bytes())).hearings
    return ()
