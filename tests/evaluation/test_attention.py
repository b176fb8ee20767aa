"""The part of an attention map that a picture shows."""

from __future__ import annotations

import numpy as np

from evaluation.thesis_figures import Attention


def test_the_shown_part_stays_within_the_clip() -> None:
    whole = Attention(np.ones((40, 20)), tuple("abcdefghijklmnopqrst"), np.arange(0, 41, 2))
    for first, last in ((0, 1), (19, 20), (5, 18)):
        part = whole.around(first, last)
        assert set(whole.phones[first:last]) <= set(part.phones)
        assert part.weights.shape == (part.edges[-1] - part.edges[0], len(part.phones))
