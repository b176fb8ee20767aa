"""Batches of crops for A3T's pretraining: windows of a few seconds, masked and varied.

A crop starts and ends between phones, as the editor's windows do. Every batch is a function of the
seed and the step alone, so a resumed run sees what an uninterrupted one would have seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from a3t.audio.mel import MELS
from a3t.model.embeddings import Batch
from a3t.model.masking import Masking
from a3t.training.augment import Augment
from a3t.training.features import Features, Item

# Below this mean confidence a clip's text and sound hardly belong together.
LEAST_SCORE = 0.3


@dataclass(frozen=True)
class Crop:
    """A piece of a clip: phones [first, last) with their frames."""

    mel: np.ndarray  # (T, 80) log10
    phones: np.ndarray  # (L,)
    durations: np.ndarray  # (L,) frames, their sum is T
    words: np.ndarray  # (L,)
    pitch: np.ndarray | None = None  # (T,) log2 F0, 0 unvoiced


class Crops:
    """Draws crops of one split.

    Args:
        features: packed features.
        split: "train", "dev" or "test".
        frames: shortest and longest crop of a batch, in frames of 12.5 ms.
        batch_frames: frames in a batch, padding included.
        degraded: share of the crops that are of a degraded copy, where the features have some.
        evenness: how evenly voices are drawn. 0: by length, so that all speech is seen alike;
            1: every voice as often as any other.
        least_score: clips whose alignment has less mean confidence are left out.
    """

    def __init__(
        self,
        features: Features,
        split: str,
        masking: Masking,
        frames: tuple[int, int] = (160, 360),
        batch_frames: int = 2000,
        augment: Augment | None = None,
        jitter: int = 2,
        alignment_rows: int = 500,
        pitch: bool = False,
        degraded: float = 0.0,
        evenness: float = 0.0,
        least_score: float = LEAST_SCORE,
    ) -> None:
        self.features, self.pitch = features, pitch
        self.items = [
            item
            for item in features.items
            if item.split == split and item.score >= least_score and item.frames >= 40
        ]
        if not self.items:
            raise ValueError(f"no clips of split {split!r} in these features")
        self.masking, self.frames, self.batch_frames = masking, frames, batch_frames
        self.augment, self.jitter, self.alignment_rows = augment, jitter, alignment_rows
        if degraded > 0 and not features.degraded:
            raise ValueError(
                "these features have no degraded copies: make them with a3t.training.degrade"
            )
        self.degraded = degraded
        self._odds = _odds(self.items, evenness)

    def batch(self, seed: int, step: int) -> Batch:
        """The batch of a step."""
        rng = np.random.default_rng([seed, step])
        length = int(rng.integers(self.frames[0], self.frames[1] + 1))
        count = max(1, self.batch_frames // length)
        chosen = rng.choice(len(self.items), count, p=self._odds)
        return self.collate([self.crop(self.items[k], length, rng) for k in chosen], rng)

    def crop(self, item: Item, length: int, rng: np.random.Generator) -> Crop:
        """A crop of at most ``length`` frames (or one phone), anywhere in the clip."""
        copy = 0
        if self.degraded and rng.random() < self.degraded:
            copy = 1 + int(rng.integers(len(self.features.degraded)))
        mel, phones, durations, words = self.features.of(item, copy)
        edges = np.concatenate([[0], np.cumsum(durations)])
        first, last = crop_phones(durations, length, rng)
        piece = mel[edges[first] : edges[last]][: 4 * length]
        durations = durations[first:last].astype(np.int64)
        durations[-1] -= durations.sum() - len(piece)
        factor = 1.0
        if self.augment is not None:
            piece, factor = self.augment(piece, rng)
        pitch = None
        if self.pitch:
            pitch = self.features.pitch_of(item)[edges[first] :][: len(piece)]
            pitch = np.where(pitch > 0, pitch + np.float32(np.log2(factor)), 0.0)
        numbers = phones[first:last].astype(np.int64)
        return Crop(piece, numbers, durations, words[first:last], pitch)

    def collate(self, crops: list[Crop], rng: np.random.Generator) -> Batch:
        """Pad, mask, and shift the alignment rows so that all of them are trained."""
        B = len(crops)
        T, L = max(len(c.mel) for c in crops), max(len(c.phones) for c in crops)
        mel = np.zeros((B, T, MELS), np.float32)
        masked = np.zeros((B, T), bool)
        phones = np.zeros((B, L), np.int64)
        frame_phone = np.full((B, T), -1, np.int64)
        pitch = np.zeros((B, T), np.float32)
        for b, crop in enumerate(crops):
            t, n = len(crop.mel), len(crop.phones)
            mel[b, :t] = crop.mel
            if crop.pitch is not None:
                pitch[b, :t] = crop.pitch
            phones[b, :n] = crop.phones
            frame_phone[b, :t] = np.repeat(np.arange(n), crop.durations)
            hidden = np.repeat(self.masking.draw(crop.words, rng), crop.durations)
            masked[b, :t] = shift_edges(hidden, self.jitter, rng)
        offsets = rng.integers(0, max(1, self.alignment_rows - 1), B)
        return Batch(
            torch.from_numpy(mel),
            torch.from_numpy(masked),
            torch.from_numpy(phones),
            torch.from_numpy(frame_phone),
            torch.tensor([len(c.mel) for c in crops]),
            torch.tensor([len(c.phones) for c in crops]),
            torch.from_numpy(offsets),
            torch.from_numpy(pitch) if self.pitch else None,
        )


def _odds(items: Sequence[Item], evenness: float) -> np.ndarray:
    """How likely each clip is: by its length, and its voice's length to the power -evenness."""
    lengths = np.array([item.frames for item in items], dtype=np.float64)
    spoken: dict[str, float] = {}
    for item in items:
        spoken[item.voice] = spoken.get(item.voice, 0.0) + item.frames
    odds = lengths * np.array([spoken[item.voice] ** -evenness for item in items])
    return np.asarray(odds / odds.sum())


def crop_phones(durations: np.ndarray, length: int, rng: np.random.Generator) -> tuple[int, int]:
    """Phones [first, last) of a crop of at most ``length`` frames (or one phone) that begins and
    ends between phones, as edits do; ``durations`` (L,) in frames."""
    edges = np.concatenate([[0], np.cumsum(durations)])
    # Any phone may be the first, and those near the end may be the last: edges are seen too.
    start = int(rng.integers(-length // 4, max(1, edges[-1] - 3 * length // 4)))
    first = min(int(np.searchsorted(edges[:-1], max(0, start))), len(durations) - 1)
    last = int(np.searchsorted(edges, edges[first] + length, side="right")) - 1
    return first, max(last, first + 1)


def shift_edges(masked: np.ndarray, reach: int, rng: np.random.Generator) -> np.ndarray:
    """Move every edge of the mask by up to ``reach`` frames: no aligner is right to the frame."""
    if reach == 0:
        return masked
    result = masked.copy()
    for edge in np.flatnonzero(masked[1:] != masked[:-1]) + 1:
        shift = int(rng.integers(-reach, reach + 1))
        low, high = sorted((edge, edge + shift))
        # Moved to the right, an edge leaves behind what stood on its left; else the reverse.
        result[max(0, low) : high] = masked[edge - 1] if shift > 0 else masked[edge]
    return result if result.any() else masked
