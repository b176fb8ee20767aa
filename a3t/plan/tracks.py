"""Recordings of other speakers, made at the same time, that stay in step with the one edited."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from alignment.serialisation import Record

MAX_TRACKS = 20


@dataclass(frozen=True)
class Track(Record):
    """A file in step with the recording; sha256: of its bytes, once it was used."""

    path: Path
    sha256: str | None = None

    def open(self) -> Recording:
        """The recording; InputError if it can't be used, or is no longer the one that it was."""
        recording = Recording.open(self.path)
        if self.sha256 not in (None, recording.sha256):
            raise InputError(
                f"{self.path} is not the recording that was kept in step (the sha256 differs): put "
                "the right one there."
            )
        return recording


def tracks_of(files: Iterable[Path | str | Track]) -> tuple[Track, ...]:
    """Tracks by their files' names; each file once."""
    tracks = [each if isinstance(each, Track) else Track(Path(each)) for each in files]
    return tuple({track.path.resolve(): track for track in tracks}.values())


def identified(tracks: Sequence[Track], recording: Recording) -> tuple[Track, ...]:
    """The tracks, opened once, with their sha256. InputError if one can't be used, or is the
    recording itself."""
    found = []
    for track in tracks:
        opened = track.open()
        if opened.sha256 == recording.sha256:
            raise InputError(f"{track.path} is the recording itself: name another track.")
        found.append(Track(track.path, opened.sha256))
    return tuple(found)
