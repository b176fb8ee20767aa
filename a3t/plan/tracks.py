"""Recordings of other speakers, made at the same time, that stay in step with the one edited."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from a3t.audio.reading.formats import to_float
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


FRAME = 0.05  # seconds
FLOOR_SHARE, SPEECH_SHARE = 0.1, 0.95  # of the frames are below the room's level, and speech's
ABOVE_FLOOR, BELOW_SPEECH = 8.0, 25.0  # dB
SILENCE = 1e-10  # power, full scale at 1


@dataclass(frozen=True, eq=False)
class TrackActivity:
    """A track's power in frames of 50 ms, (n,), and what is above the limit of silence."""

    powers: np.ndarray
    limit: float

    @classmethod
    def of(cls, track: Recording) -> TrackActivity:
        """Measure a track; it is read once, by blocks."""
        size, kept, found = round(FRAME * track.sample_rate), np.empty((0, track.channels)), []
        for block in track.blocks():
            sound = np.concatenate([kept, to_float(block)])
            whole = len(sound) // size * size
            power = np.square(sound[:whole]).reshape(-1, size * track.channels).mean(axis=1)
            found.append(power)
            kept = sound[whole:]
        powers = np.concatenate([*found, [np.square(kept).mean()] if kept.size else []])
        floor, speech = np.quantile(powers, [FLOOR_SHARE, SPEECH_SHARE])
        limit = max(floor * 10 ** (ABOVE_FLOOR / 10), speech * 10 ** (-BELOW_SPEECH / 10), SILENCE)
        return cls(powers, float(limit))

    def is_silent(self, start: float, end: float) -> bool:
        """True if nobody is heard from one second to another."""
        first, last = int(start / FRAME), int(np.ceil(end / FRAME))
        return not bool((self.powers[first:last] > self.limit).any())
