"""Channels with a speaker each, as a podcast's: found by their levels while one of them speaks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from alignment import Alignment

REACH = 15.0  # seconds on either side of a place in which words tell
FRAME = 0.02  # seconds
FLOOR_SHARE = 0.1  # of a channel's frames are no louder than its room
LISTENING_SHARE = 0.25  # of a speaker's words through which the others are surely silent
ABOVE_FLOOR = 4.0  # as a ratio of powers: a voice that is no louder isn't heard in a channel
BELOW_SPEECH = 10**-3.5  # or one that is so much below the speaker's own channel
SILENCE = 1e-12


Seconds = tuple[float, float]  # [start, end)


def speaking_channels(
    recording: Recording, alignment: Alignment, said: Sequence[Seconds]
) -> tuple[int, ...]:
    """The channels in which words, or what else is said, are heard.

    They are all of a recording's, unless each speaker has a channel of their own: then those
    alone. said: when they are said, in order.
    """
    every = tuple(range(recording.channels))
    if len(every) == 1 or not said:
        return every
    start, end = max(0.0, said[0][0] - REACH), said[-1][1] + REACH
    powers = _powers(recording, *recording.samples_between(start, end))
    floors = np.quantile(powers, FLOOR_SHARE, axis=0)
    loudest = int(np.median(_during(said, powers, start), axis=0).argmax())
    words = [(w.start, w.end) for w in alignment.spoken if start <= w.start and w.end <= end]
    near = _during(words or said, powers, start)
    own = near[near.argmax(axis=1) == loudest]
    if not len(own):
        return every
    heard = np.quantile(own, LISTENING_SHARE, axis=0)
    limit = np.maximum(ABOVE_FLOOR * floors, BELOW_SPEECH * np.median(own[:, loudest]))
    alone = heard <= np.maximum(limit, SILENCE)
    return tuple(c for c in every if c == loudest or not alone[c])


def _powers(recording: Recording, first: int, last: int) -> np.ndarray:
    """(frames, channels): each channel's power, its constant part left out."""
    sound = to_float(recording.read(first, last))
    sound -= sound.mean(axis=0)
    size = min(round(FRAME * recording.sample_rate), len(sound))
    whole = len(sound) // size * size
    return np.square(sound[:whole]).reshape(-1, size, sound.shape[1]).mean(axis=1)


def _during(times: Sequence[Seconds], powers: np.ndarray, start: float) -> np.ndarray:
    """(n, channels): the mean power in each of some stretches; frames begin at ``start``."""
    last = len(powers) - 1
    frames = [[round((second - start) / FRAME) for second in stretch] for stretch in times]
    spans = [(min(first, last), max(end, min(first, last) + 1)) for first, end in frames]
    return np.array([powers[first:end].mean(axis=0) for first, end in spans])
