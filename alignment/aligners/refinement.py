"""The boundaries of the found phones: between frames, and at least some time apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from alignment.network.boundaries import Boundaries, changes
from alignment.network.graph import SILENCE, Visit
from alignment.network.phone_network import (
    FRAME_SECONDS,
    INDEX,
    SYMBOLS,
    features,
    posteriors,
    posteriors_and_sequence_scores,
)
from alignment.result import PAUSE

SHORTEST = 0.005  # seconds of a phone
SHORTEST_PAUSE = 0.05  # seconds; a shorter one goes to its neighbours
CHANGE_REACH = 3  # frames of 5 ms on either side in which the spectral change is looked for


@dataclass(frozen=True, slots=True)
class Acoustics:
    """Both networks' outputs for a recording.

    frames: (K, BANDS). scores: the phone network's log posteriors, (T, 40). second: the sequence
    network's, which count where boundaries are corrected. sequences: its scores of sequences,
    (T, 40).
    """

    frames: np.ndarray
    scores: np.ndarray
    second: np.ndarray
    sequences: np.ndarray

    @classmethod
    def of(cls, samples: np.ndarray) -> Acoustics:
        """`samples`: 16 kHz mono, (n,)."""
        frames = features(samples)
        return cls(frames, posteriors(frames), *posteriors_and_sequence_scores(frames))


def boundaries_of(
    visits: Sequence[Visit], sound: Acoustics, duration: float
) -> tuple[list[Visit], Boundaries]:
    """The states that are kept, and the boundaries between them before they are corrected: what
    training.alignment.train_boundaries learns from."""
    kept, starts = _kept(visits, _starts(visits, sound.scores), duration)
    found = starts[1:]
    times = changes(sound.frames, found, CHANGE_REACH) if len(found) else found
    return kept, Boundaries([_symbol(visit) for visit in kept], times, found, duration)


def _symbol(visit: Visit) -> str:
    """The phone's; anything else counts as a pause."""
    return SYMBOLS[visit.state.symbol] if visit.state.symbol < len(SYMBOLS) else PAUSE


def _starts(visits: Sequence[Visit], scores: np.ndarray) -> np.ndarray:
    """The start of each state, seconds, (m,): where the posteriors of two phones cross."""
    indices = np.array([INDEX[_symbol(visit)] for visit in visits])
    firsts = np.array([visit.start for visit in visits[1:]], dtype=int)
    if not len(firsts):
        return np.zeros(1)
    return np.append(0.0, crossed(scores, indices[:-1], indices[1:], firsts))


def _kept(
    visits: Sequence[Visit], starts: np.ndarray, duration: float
) -> tuple[list[Visit], np.ndarray]:
    """Without pauses that are too short to be one."""
    starts = starts.copy()
    ends = np.append(starts[1:], duration)
    kept: list[int] = []
    for place, visit in enumerate(visits):
        length = float(ends[place] - starts[place])
        inside = 0 < place < len(visits) - 1
        if visit.state.kind == SILENCE and length < SHORTEST_PAUSE and len(visits) > 1:
            if inside:
                starts[place + 1] -= length / 2
            elif place == 0:
                starts[1] = 0.0
            continue
        kept.append(place)
    return [visits[place] for place in kept], starts[kept]


def crossed(
    scores: np.ndarray, left: np.ndarray, right: np.ndarray, firsts: np.ndarray
) -> np.ndarray:
    """Seconds at which symbols `left` give way to `right`, just before the frames `firsts`."""
    before = scores[firsts - 1, left] - scores[firsts - 1, right]
    after = scores[firsts, left] - scores[firsts, right]
    crosses = (before > 0) & (after < 0)
    share = np.where(crosses, before / np.where(crosses, before - after, 1.0), 0.5)
    return (firsts - 1 + share) * FRAME_SECONDS


def apart(ends: np.ndarray) -> np.ndarray:
    """Rising ends with at least SHORTEST between them; the last one stays."""
    count = np.arange(1, len(ends))
    if not len(count):
        return ends
    moved = np.maximum.accumulate(np.maximum(ends[:-1], 0) - count * SHORTEST) + count * SHORTEST
    return np.append(np.minimum(moved, ends[-1] - SHORTEST * count[::-1]), ends[-1])
