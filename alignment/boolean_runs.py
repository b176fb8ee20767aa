"""Runs of True in a row of flags."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np


def runs_of(flags: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield [first, last) of each run of True in flags (n,), in order."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
