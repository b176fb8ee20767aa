"""Packed features as training reads them: mel, phones and frames of many clips, memory-mapped.

`a3t.training.extract` makes them; reading them needs numpy alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

INDEX = "index.jsonl"
PITCH = "pitch.npy"


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

    @classmethod
    def load(cls, folder: Path | str) -> Features:
        folder = Path(folder)
        lines = (folder / INDEX).read_text().splitlines()
        items = tuple(Item(**json.loads(line)) for line in lines)
        arrays = [
            np.load(folder / f"{name}.npy", mmap_mode="r")
            for name in ("mel", "phones", "durations", "words")
        ]
        pitch = folder / PITCH
        voices = [np.load(pitch, mmap_mode="r")] if pitch.exists() else []
        return cls(items, *arrays, *voices)

    def of(self, item: Item) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """One clip's mel (T, 80) float32, phone ids, durations in frames and words, (L,) each."""
        frames = slice(item.first_frame, item.first_frame + item.frames)
        phones = slice(item.first_phone, item.first_phone + item.phones)
        mel = np.asarray(self.mel[frames], dtype=np.float32)
        rest = (np.asarray(array[phones]) for array in (self.phones, self.durations, self.words))
        return (mel, *rest)  # type: ignore[return-value]

    def pitch_of(self, item: Item) -> np.ndarray:
        """One clip's log2 F0, (T,) float32; ValueError if these features have no pitch."""
        if self.pitch is None:
            raise ValueError(f"these features have no {PITCH}: make it with a3t.training.pitch")
        frames = slice(item.first_frame, item.first_frame + item.frames)
        return np.asarray(self.pitch[frames], dtype=np.float32)
