"""Detect clipping: where a recording is clipped, a patch must stop at the same ceiling."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

NEAR = 0.98  # of the peak: what is above lies at the ceiling
# Of the samples, so many lie there in a clipped recording; in others the peak is reached by a few.
CLIPPED = 0.003


def clipping_ceiling(pieces: Iterable[np.ndarray]) -> float | None:
    """The level that the samples (n,) of these pieces are cut off at; None if they are not."""
    samples = np.abs(np.concatenate([*pieces, np.empty(0)]))
    peak = float(samples.max(initial=0.0))
    if peak == 0.0 or float((samples >= NEAR * peak).mean()) < CLIPPED:
        return None
    return peak
