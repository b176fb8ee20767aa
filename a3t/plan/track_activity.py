"""When somebody is heard on a track."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording

FRAME = 0.05  # seconds

FLOOR_SHARE, SPEECH_SHARE = 0.1, 0.95  # of the frames are below the room's level, and speech's

ABOVE_FLOOR, BELOW_SPEECH = 8.0, 25.0  # dB

SILENCE = 1e-10  # power, full scale at 1


@dataclass(frozen=True, eq=False)
class TrackActivity:
    """Frames of 50 ms, (n,) of bool: true where somebody is heard on a track."""

    loud: np.ndarray

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
        return cls(powers > limit)

    def written(self) -> str:
        """Return a 0 or 1 for each frame."""
        return "".join("01"[each] for each in self.loud.astype(int))

    @classmethod
    def read(cls, written: str) -> TrackActivity:
        """Read what `written` returned."""
        return cls(np.array([each == "1" for each in written], bool))

    def is_silent(self, start: float, end: float) -> bool:
        """Return whether nobody is heard between two times in seconds."""
        first, last = int(start / FRAME), int(np.ceil(end / FRAME))
        return not bool(self.loud[first:last].any())
