"""Where a track whose words nobody knows is silent, by its level."""

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
