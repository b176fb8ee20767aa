"""Packed features as training reads them: mel, phones and frames of many clips, memory-mapped.

`a3t.training.extract` makes them; reading them needs numpy alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

INDEX = "index.jsonl"
PITCH = "pitch.npy"


def degraded_mel(folder: Path, number: int) -> Path:
    """Where the mel of the clips' degraded copies of this number stands (1, 2, …)."""
    return folder / f"mel-degraded-{number}.npy"


@dataclass(frozen=True)
class Item:
    """One clip of the packed features: frames and phones are [first, first + count)."""

    name: str
    voice: str
    corpus: str
    split: str
    score: float  # mean confidence of its alignment
    first_frame: int
    frames: int
    first_phone: int
    phones: int


@dataclass(frozen=True)
class Features:
    """Packed features of many clips, memory-mapped."""

    items: tuple[Item, ...]
    mel: np.ndarray  # (all frames, 80) float16
    phones: np.ndarray  # (all phones,) int16 ids
    durations: np.ndarray  # (all phones,) int16 frames
    words: np.ndarray  # (all phones,) int16 index of the word in its clip, -1 for a pause
    pitch: np.ndarray | None = None  # (all frames,) float16 log2 F0, 0 unvoiced; where it was made
    degraded: Sequence[np.ndarray] = ()  # (all frames, 80) float16 each: `a3t.training.degrade`

    @classmethod
    def load(cls, folder: Path | str) -> Features:
        folder = Path(folder)
        lines = (folder / INDEX).read_text().splitlines()
        items = tuple(Item(**json.loads(line)) for line in lines)
        names = ("mel", "phones", "durations", "words")
        arrays = {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in names}
        pitch = folder / PITCH
        voices = np.load(pitch, mmap_mode="r") if pitch.exists() else None
        copies: list[np.ndarray] = []
        while (path := degraded_mel(folder, len(copies) + 1)).exists():
            copies.append(np.load(path, mmap_mode="r"))
        return cls(items, **arrays, pitch=voices, degraded=copies)

    def of(
        self, item: Item, copy: int = 0
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """One clip's mel (T, 80) float32, phone ids, durations in frames and words, (L,) each.

        ``copy`` is 0 for the mel as recorded, else the number of a degraded one.
        """
        frames = slice(item.first_frame, item.first_frame + item.frames)
        phones = slice(item.first_phone, item.first_phone + item.phones)
        source = self.degraded[copy - 1] if copy else self.mel
        mel = np.asarray(source[frames], dtype=np.float32)
        rest = (np.asarray(array[phones]) for array in (self.phones, self.durations, self.words))
        return (mel, *rest)  # type: ignore[return-value]

    def pitch_of(self, item: Item) -> np.ndarray:
        """One clip's log2 F0, (T,) float32; ValueError if these features have no pitch."""
        if self.pitch is None:
            raise ValueError(f"these features have no {PITCH}: make it with a3t.training.pitch")
        frames = slice(item.first_frame, item.first_frame + item.frames)
        return np.asarray(self.pitch[frames], dtype=np.float32)
