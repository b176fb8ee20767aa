"""The clips that batches are made of, and the parts to learn. T frames, L phones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np


@dataclass(frozen=True)
class StoredClip:
    """One clip of a store: frames and phones are [first, first + count) of its shard's arrays."""

    name: str
    voice: str
    corpus: str
    split: str
    score: float  # mean confidence of its alignment, 0 to 1
    first_frame: int
    frames: int
    first_phone: int
    phones: int
    shard: int = 0  # set when the store is opened; not in the index


@dataclass(frozen=True)
class StoredFeatures:
    """The features of a clip, or of a stretch of one."""

    mel: np.ndarray  # (T, 80) log10, float32
    phones: np.ndarray  # (L,) ids
    durations: np.ndarray  # (L,) frames, together T
    words: np.ndarray  # (L,) index of the word, -1 for a pause
    pitch: np.ndarray | None = None  # (T,) log2 F0, 0 unvoiced


class Features(Protocol):
    """Clips with their features, in memory or on a disk."""

    @property
    def has_pitch(self) -> bool: ...

    def of_split(self, split: str) -> list[StoredClip]: ...

    def copies(self, clips: Sequence[StoredClip]) -> int:
        """The number of degraded copies that each of some clips has."""

    def read(self, clip: StoredClip, mel: bool = True, copy: int = 0) -> StoredFeatures:
        """One clip; ``copy`` is 0 for the mel as recorded."""
