"""A speaker's rate, and lengths on the frame grid (thesis, section 4.3.5)."""

from __future__ import annotations

import math
from collections.abc import Sequence


def rate_ratio(spoken: Sequence[float], predicted: Sequence[float]) -> float:
    """This speaker's slowness: (sum of the old phones' durations) / (sum of those predicted).

    Sum over sum, as the thesis has it, not a mean of ratios; 1 for nothing.
    """
    total = sum(predicted)
    return sum(spoken) / total if total > 0 and sum(spoken) > 0 else 1.0


def whole_frames(lengths: Sequence[float]) -> list[int]:
    """Lengths in frames to whole frames, none below 1, the rounding carried on so that the total
    is the rounded total wherever single frames allow it."""
    result: list[int] = []
    exact = placed = 0.0
    for length in lengths:
        exact += length
        frames = max(1, math.floor(exact - placed + 0.5))
        placed += frames
        result.append(frames)
    return result
