"""A made-up sentence with a gap in it."""

from __future__ import annotations

import numpy as np

from a3t.grid import HOP
from evaluation.systems.interface import Gap


def make_gap(first: int = 3, last: int = 6, seed: int = 5) -> Gap:
    """Nine phones of 4 to 8 frames, [first, last) of them hidden, and two frames of nothing."""
    rng = np.random.default_rng(seed)
    durations = rng.integers(4, 9, 9)
    ends = np.concatenate([[0], durations.cumsum()])
    mel = rng.normal(-1, 0.5, (int(ends[-1]) + 2, 80)).astype(np.float32)
    span = (int(ends[first]), int(ends[last]))
    mel[slice(*span)] = 0
    sound = rng.normal(0, 0.05, (len(mel) - span[1] + span[0]) * HOP).astype(np.float32)
    gap = Gap(mel, rng.integers(3, 70, 9), durations, span, np.arange(9) // 3, sound, "one")
    gap.__dict__["voice"] = rng.normal(size=256).astype(np.float32)  # as if it had been embedded
    return gap
