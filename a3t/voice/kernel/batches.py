"""The batch of each pretraining step: clips, crops and masks.

A batch depends only on the seed and the step, and every clip in it draws its own random numbers.
A resumed run therefore sees the batches an uninterrupted run would have seen, any number of workers
can prepare them in advance, and several processes can share a batch. T frames, L phones.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from a3t.audio.analysis.mel import MELS
from a3t.errors import InputError
from a3t.model.embeddings import Batch
from a3t.model.masking import MaskingConfig, random_spans
from a3t.voice.kernel.features import Features, StoredClip, StoredFeatures

# Below this mean confidence a clip's text probably isn't what is spoken.
LEAST_SCORE = 0.3
SHORTEST = 40  # frames of a clip that is cropped
VALIDATION_SEED = 12345

# Varies a crop's mel (T, 80), and tells by which factor its pitch has risen.
Augment = Callable[[np.ndarray, np.random.Generator], tuple[np.ndarray, float]]


@dataclass(frozen=True)
class DataConfig:
    """The ``data:`` part of a configuration.

    Args:
        crop: shortest and longest crop in frames; null for whole utterances, as in the thesis.
        batch_frames: frames in a batch, padding included, all processes together.
        jitter: frames by which every edge of a training mask may move.
        shift_rows: shift the alignment embedding's rows at random, so that all are trained.
        augment: arguments of `training.features.augment.Augment`, or null.
        speech_only: mask this share of the frames in spans, ignoring phones: for speech without
            text (the thesis: 0.15). Phones are then not given to the network either.
        span: mean length in frames of speech-only spans.
        degraded: share of the crops that are of a degraded copy, where the store has some.
        evenness: how evenly voices are drawn for crops. 0: in proportion to how much they speak;
            1: every voice equally often.
        shares: the corpora's shares of the crops, 0 for those that aren't used, or null for what
            their voices come to. A corpus is what a voice's name begins with, up to a hyphen.
        least_score: clips whose alignment has a lower mean confidence are left out.
    """

    crop: tuple[int, int] | None = None
    batch_frames: int = 2000
    jitter: int = 0
    shift_rows: bool = False
    augment: Mapping[str, float] | None = None
    speech_only: float | None = None
    span: float = 10.0
    degraded: float = 0.0
    evenness: float = 0.0
    shares: Mapping[str, float] | None = None
    least_score: float = LEAST_SCORE


@dataclass(frozen=True)
class Draw:
    """One item of a batch: a clip, the length of its crop in frames (None: the whole clip), and
    the seed of all its random numbers."""

    clip: StoredClip
    length: int | None
    seed: tuple[int, ...]


class Batches:
    """The batches of one split.

    Crops are drawn indefinitely; all crops of a batch have one length. Whole utterances come in
    passes over the split, in batches of clips of similar length. For validation (``train`` false)
    every clip comes once, always with the same crop and mask, so that losses can be compared
    between steps and between models. ``augment`` is for training alone.

    Raises InputError if the split has no usable clips, or no pitch although ``pitch`` is set.
    """

    def __init__(
        self,
        store: Features,
        split: str,
        masking: MaskingConfig,
        data: DataConfig,
        *,
        train: bool = True,
        augment: Augment | None = None,
        pitch: bool = False,
        alignment_rows: int = 500,
        seed: int = 0,
    ) -> None:
        self.store, self.data, self.train, self.seed = store, data, train, seed
        self.pitch, self.alignment_rows = pitch, alignment_rows
        self.masking = masking.build()
        self.augment = augment if train else None
        self.clips = [
            clip
            for clip in store.of_split(split)
            if clip.score >= data.least_score and (data.crop is None or clip.frames >= SHORTEST)
        ]
        if not self.clips:
            raise InputError(f'These features have no clips of the split "{split}".')
        if pitch and not store.has_pitch:
            raise InputError("These features have no pitch: extract them again with --pitch.")
        if not train or data.crop is None:
            self.groups = self._group()
        self.copies = store.copies(self.clips) if train and data.degraded else 0
        if train and data.degraded and not self.copies:
            raise InputError(
                "These features have no degraded copies: extract them again with --degraded."
            )
        if train:
            self._odds = _odds(self.clips, data)

    @property
    def steps_a_pass(self) -> int:
        """The number of steps that cover about as many frames as the split has."""
        if self.train and self.data.crop is not None:
            return max(1, sum(clip.frames for clip in self.clips) // self.data.batch_frames)
        return len(self.groups)

    def _group(self) -> list[list[StoredClip]]:
        """Group clips of similar length, as many as fit a batch when padded to the longest."""
        longest = self.data.crop[1] if self.data.crop else 2**31
        groups: list[list[StoredClip]] = [[]]
        for clip in sorted(self.clips, key=lambda clip: (-clip.frames, clip.name)):
            first = min(longest, (groups[-1] or [clip])[0].frames)
            if groups[-1] and first * (len(groups[-1]) + 1) > self.data.batch_frames:
                groups.append([])
            groups[-1].append(clip)
        return groups

    def draws(self, step: int) -> list[Draw]:
        """The items of the batch of a step."""
        if not self.train:
            longest = self.data.crop and self.data.crop[1]
            return [
                Draw(clip, longest, (VALIDATION_SEED, zlib.crc32(clip.name.encode())))
                for clip in self.groups[step]
            ]
        if self.data.crop is None:
            turn, place = divmod(step, len(self.groups))
            group = self.groups[_order(len(self.groups), self.seed, turn)[place]]
            return [Draw(clip, None, (self.seed, step, k)) for k, clip in enumerate(group)]
        rng = np.random.default_rng([self.seed, step])
        length = int(rng.integers(self.data.crop[0], self.data.crop[1] + 1))
        count = max(1, self.data.batch_frames // length)
        chosen = rng.choice(len(self.clips), count, p=self._odds)
        return [Draw(self.clips[k], length, (self.seed, step, n)) for n, k in enumerate(chosen)]

    def __call__(self, step: int, part: tuple[int, int] = (0, 1)) -> Batch:
        """The batch of a step, or the share of it for process ``part[0]`` of ``part[1]``.

        If no clip is left for a process, it gets one with nothing masked, which has no weight.
        """
        draws = self.draws(step)
        own = draws[part[0] :: part[1]]
        if own:
            return self.collate(own)
        idle = self.collate(draws[:1])
        return replace(idle, masked=torch.zeros_like(idle.masked))

    def collate(self, draws: Sequence[Draw]) -> Batch:
        """Cut, vary and mask each clip, and pad them all to the longest."""
        clips = [self.clip(draw) for draw in draws]
        B = len(clips)
        T, L = (max(len(values[key]) for values in clips) for key in ("mel", "phones"))
        mel = np.zeros((B, T, MELS), np.float32)
        masked = np.zeros((B, T), bool)
        phones = np.zeros((B, L), np.int64)
        frame_phone = np.full((B, T), -1, np.int64)
        pitch = np.zeros((B, T), np.float32)
        for b, values in enumerate(clips):
            t, n = len(values["mel"]), len(values["phones"])
            mel[b, :t], masked[b, :t] = values["mel"], values["masked"]
            phones[b, :n], frame_phone[b, :t] = values["phones"], values["frame_phone"]
            if self.pitch:
                pitch[b, :t] = values["pitch"]
        return Batch(
            torch.from_numpy(mel),
            torch.from_numpy(masked),
            torch.from_numpy(phones),
            torch.from_numpy(frame_phone),
            torch.tensor([len(values["mel"]) for values in clips]),
            torch.tensor([len(values["phones"]) for values in clips]),
            torch.tensor([values["row_offset"] for values in clips]),
            torch.from_numpy(pitch) if self.pitch else None,
        )

    def clip(self, draw: Draw) -> dict[str, Any]:
        """One clip's inputs to the network, named as in `Batch`.

        InputError if the clip's phones and frames don't match.
        """
        rng = np.random.default_rng(draw.seed)
        copy = 0
        if self.copies and rng.random() < self.data.degraded:
            copy = 1 + int(rng.integers(self.copies))
        stored = self.store.read(draw.clip, copy=copy)
        if stored.durations.sum() != len(stored.mel):
            raise InputError(
                f"{draw.clip.name} has {len(stored.mel)} frames, but its phones add up to "
                f"{stored.durations.sum()}: extract the features again."
            )
        if draw.length is not None:
            stored = crop(stored, draw.length, rng)
        if self.augment is not None:
            mel, factor = self.augment(stored.mel, rng)
            stored = replace(stored, mel=mel)
            if stored.pitch is not None:
                raised = stored.pitch + np.float32(np.log2(factor))
                stored = replace(stored, pitch=np.where(stored.pitch > 0, raised, 0.0))
        frame_phone = np.repeat(np.arange(len(stored.phones)), stored.durations)
        phones = stored.phones
        if self.data.speech_only is not None:
            count = max(1, round(self.data.speech_only * len(stored.mel)))
            masked = random_spans(len(stored.mel), count, round(count / self.data.span), rng)
            phones, frame_phone = phones[:0], np.full(len(stored.mel), -1)
        else:
            masked = self.masking.draw(stored.words, rng)[frame_phone]
            masked = shift_edges(masked, self.data.jitter if self.train else 0, rng)
        shifted = self.train and self.data.shift_rows
        return {
            "mel": stored.mel,
            "masked": masked,
            "phones": phones,
            "frame_phone": frame_phone,
            "row_offset": int(rng.integers(0, max(1, self.alignment_rows - 1))) if shifted else 0,
            "pitch": stored.pitch,
        }


def _odds(clips: Sequence[StoredClip], data: DataConfig) -> np.ndarray:
    """The probability of each clip: its length times its voice's total length ** -evenness, within
    its corpus's share if it has one."""
    spoken: dict[str, float] = {}
    for clip in clips:
        spoken[clip.voice] = spoken.get(clip.voice, 0.0) + clip.frames
    odds = np.array([clip.frames * spoken[clip.voice] ** -data.evenness for clip in clips])
    if data.shares is not None:
        corpora = np.array([clip.voice.partition("-")[0] for clip in clips])
        for corpus in np.unique(corpora):
            if corpus not in data.shares:
                raise InputError(f"{corpus} has no share of the crops: add it, with 0 to omit it.")
            inside = corpora == corpus
            odds[inside] *= data.shares[corpus] / odds[inside].sum()
        if not odds.any():
            raise InputError("All corpora of these features have a share of 0.")
    return np.asarray(odds / odds.sum())


@lru_cache(maxsize=4)
def _order(groups: int, seed: int, turn: int) -> np.ndarray:
    """The order of the batches of a pass."""
    return np.random.default_rng([seed, turn]).permutation(groups)


def crop(whole: StoredFeatures, length: int, rng: np.random.Generator) -> StoredFeatures:
    """A random stretch of at most ``length`` frames that begins and ends between phones, as edits
    do. A single phone that is longer is cut off at four times that length."""
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
    """Phones [first, last) of a crop of at most ``length`` frames (or one phone); ``durations``
    (L,) in frames."""
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
