"""A speaker's rate, and durations on the frame grid.

Section 4.3.5 of He Bai's thesis, "Novel Methods for Natural Language Modeling and Pretraining"
(University of Waterloo, 2023).
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def rate_ratio(spoken: Sequence[float], predicted: Sequence[float]) -> float:
    """This speaker's slowness: the sum of the phones' durations over the sum of those predicted.

    A ratio of sums, as in the thesis, not a mean of ratios; 1 if either sum is 0.
    """
    total = sum(predicted)
    return sum(spoken) / total if total > 0 and sum(spoken) > 0 else 1.0


def whole_frames(lengths: Sequence[float]) -> list[int]:
    """Round lengths in frames to whole frames, at least 1 each.

    The rounding error is carried forward, so that the total is the rounded total unless the minimum
    of 1 prevents it.
    """
    result: list[int] = []
    exact = placed = 0.0
    for length in lengths:
        exact += length
        frames = max(1, math.floor(exact - placed + 0.5))
        placed += frames
        result.append(frames)
    return result
