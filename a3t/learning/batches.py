"""The batches of each step in which a network learns: crops of clips, and their masks.

T frames, L phones.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from a3t.audio.analysis.mel import MELS
from a3t.model.conformer import Batch
from a3t.model.masking import EditMasking

VALIDATION_SEED = 12345
JITTER = 2  # frames by which every edge of a training mask may move: no aligner is exact to them


@dataclass(frozen=True)
class StoredFeatures:
    """The features of a clip, or of a stretch of one."""

    mel: np.ndarray  # (T, 80) log10, float32
    phones: np.ndarray  # (L,) ids
    durations: np.ndarray  # (L,) frames, together T
    words: np.ndarray  # (L,) index of the word, -1 for a pause
    pitch: np.ndarray | None = None  # (T,) log2 F0, 0 unvoiced


@dataclass(frozen=True)
class MaskedClip:
    """A clip with some frames to be filled, as `Batch` has them."""

    mel: np.ndarray  # (T, 80) log10, float32
    masked: np.ndarray  # (T,) bool
    phones: np.ndarray  # (L,) ids
    frame_phone: np.ndarray  # (T,) index of each frame's phone
    row_offset: int = 0
    pitch: np.ndarray | None = None  # (T,) log2 F0, 0 unvoiced


class ClipBatches:
    """The batches of some clips in memory, which depend on the seed and the step alone.

    In training all crops of a batch have one length, and clips are drawn in proportion to theirs.
    For validation (``train`` false) every clip comes once, always with the same crop and mask.
    ``crop``: shortest and longest crop in frames; ``frames``: those of a batch, padding included;
    ``rows``: of the alignment embedding, shifted at random in training, so that all are trained.
    """

    def __init__(
        self,
        clips: Sequence[tuple[str, StoredFeatures]],
        crop: tuple[int, int],
        frames: int,
        rows: int,
        seed: int = 0,
        train: bool = True,
    ) -> None:
        self.clips, self.crop, self.frames = list(clips), crop, frames
        self.rows, self.seed, self.train = rows, seed, train
        lengths = [len(clip.mel) for _, clip in self.clips]
        self.odds = np.array(lengths) / sum(lengths)
        order = sorted(range(len(lengths)), key=lambda k: (-lengths[k], self.clips[k][0]))
        self.groups = grouped(order, [min(crop[1], length) for length in lengths], frames)

    def __call__(self, step: int) -> Batch:
        """Return the batch of a step."""
        drawn: list[tuple[int, int, tuple[int, ...]]]
        if not self.train:
            names = [(k, zlib.crc32(self.clips[k][0].encode())) for k in self.groups[step]]
            drawn = [(k, self.crop[1], (VALIDATION_SEED, name)) for k, name in names]
        else:
            rng = np.random.default_rng([self.seed, step])
            length = int(rng.integers(self.crop[0], self.crop[1] + 1))
            chosen = rng.choice(len(self.clips), max(1, self.frames // length), p=self.odds)
            drawn = [(int(k), length, (self.seed, step, n)) for n, k in enumerate(chosen)]
        return collate([self._masked(*each) for each in drawn])

    def _masked(self, number: int, length: int, seed: tuple[int, ...]) -> MaskedClip:
        rng = np.random.default_rng(seed)
        clip = crop(self.clips[number][1], length, rng)
        frame_phone = np.repeat(np.arange(len(clip.phones)), clip.durations)
        masked = EditMasking().draw(clip.words, rng)[frame_phone]
        offset = 0
        if self.train:
            masked = shift_edges(masked, JITTER, rng)
            offset = int(rng.integers(0, max(1, self.rows - 1)))
        return MaskedClip(clip.mel, masked, clip.phones, frame_phone, offset, clip.pitch)


def grouped(order: Sequence[int], lengths: Sequence[int], frames: int) -> list[list[int]]:
    """Group clips so that each group, padded to its longest, fits a batch of ``frames``.

    order: the clips, the longest first.
    """
    groups: list[list[int]] = [[]]
    for k in order:
        if groups[-1] and lengths[groups[-1][0]] * (len(groups[-1]) + 1) > frames:
            groups.append([])
        groups[-1].append(k)
    return groups


def collate(clips: Sequence[MaskedClip]) -> Batch:
    """Pad clips to the longest and join them; with their pitch if all have one."""
    B, T, L = len(clips), max(len(c.mel) for c in clips), max(len(c.phones) for c in clips)
    mel = np.zeros((B, T, MELS), np.float32)
    masked = np.zeros((B, T), bool)
    phones = np.zeros((B, L), np.int64)
    frame_phone = np.full((B, T), -1, np.int64)
    pitch = np.zeros((B, T), np.float32)
    for b, clip in enumerate(clips):
        t, n = len(clip.mel), len(clip.phones)
        mel[b, :t], masked[b, :t] = clip.mel, clip.masked
        phones[b, :n], frame_phone[b, :t] = clip.phones, clip.frame_phone
        if clip.pitch is not None:
            pitch[b, :t] = clip.pitch
    return Batch(
        torch.from_numpy(mel),
        torch.from_numpy(masked),
        torch.from_numpy(phones),
        torch.from_numpy(frame_phone),
        torch.tensor([len(clip.mel) for clip in clips]),
        torch.tensor([len(clip.phones) for clip in clips]),
        torch.tensor([clip.row_offset for clip in clips]),
        torch.from_numpy(pitch) if all(clip.pitch is not None for clip in clips) else None,
    )


def crop(whole: StoredFeatures, length: int, rng: np.random.Generator) -> StoredFeatures:
    """Draw a stretch of at most ``length`` frames between phones, where edits begin and end.

    A single phone that is longer is cut off at four times that length.
    """
    first, last = crop_phones(whole.durations, length, rng)
    start, end = int(whole.durations[:first].sum()), int(whole.durations[:last].sum())
    end = min(end, start + 4 * length)
    durations = whole.durations[first:last].copy()
    durations[-1] -= durations.sum() - (end - start)
    return StoredFeatures(
        whole.mel[start:end],
        whole.phones[first:last],
        durations,
        whole.words[first:last],
        None if whole.pitch is None else whole.pitch[start:end],
    )


def crop_phones(durations: np.ndarray, length: int, rng: np.random.Generator) -> tuple[int, int]:
    """Draw the phones [first, last) of a crop of at most ``length`` frames, or one phone.

    durations: (L,) in frames.
    """
    edges = np.concatenate([[0], np.cumsum(durations)])
    # Any phone may be the first or the last of a crop: people edit beginnings and endings too.
    start = int(rng.integers(-length // 4, max(1, edges[-1] - 3 * length // 4)))
    first = min(int(np.searchsorted(edges[:-1], max(0, start))), len(durations) - 1)
    last = int(np.searchsorted(edges, edges[first] + length, side="right")) - 1
    return first, max(last, first + 1)


def shift_edges(masked: np.ndarray, reach: int, rng: np.random.Generator) -> np.ndarray:
    """Move every edge of the mask by up to ``reach`` frames: no aligner is exact to the frame."""
    if reach == 0:
        return masked
    result = masked.copy()
    for edge in np.flatnonzero(masked[1:] != masked[:-1]) + 1:
        shift = int(rng.integers(-reach, reach + 1))
        low, high = sorted((edge, edge + shift))
        # An edge that moves right extends what was on its left, and the reverse.
        result[max(0, low) : high] = masked[edge - 1] if shift > 0 else masked[edge]
    return result if result.any() else masked
