"""What is needed of a recording again and again, worked out once: its header, its overview.

An hour of speech is read by blocks, so memory does not grow with the recording; what others made is
decoded in a process of its own (`app.bounded`).
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from a3t.audio.formats import to_float
from a3t.audio.recording import Recording
from app.bounded import bounded

COLUMNS = 1000  # of the picture of a whole recording


def opened(path: Path) -> Recording:
    """`Recording.open`, which reads compressed files to their end, once for each state of a file.

    Raises InputError as that does.
    """
    try:
        state = path.stat()
    except OSError:
        return bounded(Recording.open, path)
    return _opened(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=64)
def _opened(path: Path, modified: int, size: int) -> Recording:
    return bounded(Recording.open, path)


@lru_cache(maxsize=64)
def overview(recording: Recording) -> tuple[int, ...]:
    """The lowest and highest sample, alternately, of each of COLUMNS slices, -100..100; mono."""
    return bounded(_overview, recording)


def _overview(recording: Recording) -> tuple[int, ...]:
    edges = np.linspace(0, recording.samples, COLUMNS + 1).astype(np.int64)
    low, high = np.zeros(COLUMNS), np.zeros(COLUMNS)
    position = 0
    for block in recording.blocks():
        mono = to_float(block).mean(axis=1)
        first = int(np.searchsorted(edges, position, side="right")) - 1
        inner = edges[(edges > position) & (edges < position + len(mono))] - position
        starts = np.concatenate([[0], inner])
        columns = slice(first, first + len(starts))
        low[columns] = np.minimum(low[columns], np.minimum.reduceat(mono, starts))
        high[columns] = np.maximum(high[columns], np.maximum.reduceat(mono, starts))
        position += len(mono)
    return as_percent(low, high)


def as_percent(low: np.ndarray, high: np.ndarray) -> tuple[int, ...]:
    """(n,) and (n,) -> 2 n whole numbers, alternately, the loudest at 100."""
    loudest = max(float(np.abs(low).max(initial=0)), float(np.abs(high).max(initial=0)), 1e-6)
    return tuple(int(v) for v in np.round(np.stack([low, high], 1) * 100 / loudest).ravel())
