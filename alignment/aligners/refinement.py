"""Boundaries between frames, and at least some time apart."""

from __future__ import annotations

import numpy as np

from alignment.network.phone_network import FRAME_SECONDS

SHORTEST = 0.005  # seconds of a phone
SHORTEST_PAUSE = 0.05  # seconds; a shorter one goes to its neighbours
CHANGE_REACH = 3  # frames of 5 ms on either side in which the spectral change is looked for


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
