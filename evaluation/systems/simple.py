"""The floor of every table: systems that know nothing of speech."""

from __future__ import annotations

import numpy as np

from a3t.errors import InputError
from evaluation.systems.interface import Gap, Mel, System


class MeanSpectrum(System):
    """Every masked frame is the mean of the visible ones, bin by bin."""

    name = "mean spectrum"

    def fill(self, gap: Gap) -> Mel:
        """Repeat the visible frames' mean."""
        return np.repeat(gap.visible.mean(0, keepdims=True), gap.length, axis=0)


class Interpolation(System):
    """Linear interpolation from the last frame before the gap to the first one after it.

    It is from either alone where the gap is at an end.
    """

    name = "interpolation"

    def fill(self, gap: Gap) -> Mel:
        """Interpolate between the frames beside the gap."""
        first, last = gap.frame_span
        if first == 0 and last == len(gap.mel):
            raise InputError("Interpolation needs a visible frame beside the gap.")
        left = gap.mel[first - 1] if first else gap.mel[last]
        right = gap.mel[last] if last < len(gap.mel) else left
        weight = (np.arange(first, last) - first + 1)[:, None] / (last - first + 1)
        return ((1 - weight) * left + weight * right).astype(np.float32)
