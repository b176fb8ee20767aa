"""The batch of each pretraining step: clips, crops and masks.

A batch depends only on the seed and the step, and every clip in it draws its own random numbers.
A resumed run therefore sees the batches an uninterrupted run would have seen, any number of workers
can prepare them in advance, and several processes can share a batch. T frames, L phones.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import nn

from a3t.errors import InputError
from a3t.learning.batches import (
    VALIDATION_SEED,
    MaskedClip,
    collate,
    crop,
    grouped,
    shift_edges,
)
from a3t.model.conformer import Batch
from a3t.model.masking import EditMasking, random_spans
from training.features.store import Store, StoredClip

# Below this mean confidence a clip's text probably isn't what is spoken.
LEAST_SCORE = 0.3
SHORTEST = 40  # frames of a clip that is cropped

# Varies a crop's mel (T, 80), and tells by which factor its pitch has risen.
Augment = Callable[[np.ndarray, np.random.Generator], tuple[np.ndarray, float]]


@dataclass(frozen=True)
class ThesisMasking:
    """Spans of ``mean_span`` phones that cover ``ratio`` of them (thesis, section 4.4.2)."""

    ratio: float = 0.8
    mean_span: float = 8.0

    def draw(self, words: Sequence[int] | np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Mask phones, (L,) bool, by the word of each in ``words`` (L,), -1 for a pause."""
        masked = max(1, round(self.ratio * len(words)))
        return random_spans(len(words), masked, round(masked / self.mean_span), rng)


SCHEMES: dict[str, Any] = {"thesis": ThesisMasking, "use": EditMasking}


@dataclass(frozen=True)
class MaskingConfig:
    """The ``masking:`` part of a configuration: a scheme's name and its arguments."""

    scheme: str = "thesis"
    arguments: Mapping[str, object] = field(default_factory=dict)

    def build(self) -> ThesisMasking | EditMasking:
        """Build the mask that is named."""
        arguments = {k: tuple(v) if isinstance(v, list) else v for k, v in self.arguments.items()}
        return SCHEMES[self.scheme](**arguments)  # type: ignore[no-any-return]


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
        speech_share: share of a batch's frames that are of speech without text, where a store of
            such speech is given (`MixedBatches`).
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
    speech_share: float = 0.5


@dataclass(frozen=True)
class Draw:
    """One item of a batch: a clip, and the seed of all its random numbers.

    Also the length of its crop in frames (None: the whole clip).
    """

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
        store: Store,
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
        clips = sorted(self.clips, key=lambda clip: (-clip.frames, clip.name))
        lengths = [min(longest, clip.frames) for clip in clips]
        groups = grouped(range(len(clips)), lengths, self.data.batch_frames)
        return [[clips[k] for k in group] for group in groups]

    def draws(self, step: int) -> list[Draw]:
        """Draw the items of the batch of a step."""
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
        """Make the batch of a step, or the share of it for process ``part[0]`` of ``part[1]``."""
        return _share([(self, draw) for draw in self.draws(step)], part)

    def collate(self, draws: Sequence[Draw]) -> Batch:
        """Cut, vary and mask each clip, and pad them all to the longest."""
        return collate([self.clip(draw) for draw in draws])

    def clip(self, draw: Draw) -> MaskedClip:
        """Return one clip's inputs to the network.

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
        rows = max(1, self.alignment_rows - 1)
        offset = int(rng.integers(0, rows)) if self.train and self.data.shift_rows else 0
        pitch = stored.pitch if self.pitch else None
        return MaskedClip(stored.mel, masked, phones, frame_phone, offset, pitch)


class MixedBatches:
    """The batches of clips with text and of speech without, each its share of every batch's frames.

    Both draw crops of the same lengths if they have the same seed, so that none is padded.
    """

    def __init__(self, paired: Batches, speech: Batches) -> None:
        self.both, self.train = (paired, speech), paired.train

    @property
    def steps_a_pass(self) -> int:
        """The number of steps that cover about as many frames as the clips with text have."""
        return self.both[0].steps_a_pass

    def __call__(self, step: int, part: tuple[int, int] = (0, 1)) -> Batch:
        """Return the batch of a step, or the share of process ``part[0]`` of ``part[1]``."""
        both = [(batches, draw) for batches in self.both for draw in batches.draws(step)]
        return _share(both, part)


def _share(items: Sequence[tuple[Batches, Draw]], part: tuple[int, int]) -> Batch:
    """Return the batch of a process's share of the items.

    If no clip is left for a process, it gets one with nothing masked, which has no weight.
    """
    own = items[part[0] :: part[1]]
    batch = collate([batches.clip(draw) for batches, draw in own or items[:1]])
    return batch if own else replace(batch, masked=torch.zeros_like(batch.masked))


def _odds(clips: Sequence[StoredClip], data: DataConfig) -> np.ndarray:
    """Return the probability of each clip.

    It is its length times its voice's total length ** -evenness, within its corpus's share if it
    has one.
    """
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
    """Return the order of the batches of a pass."""
    return np.random.default_rng([seed, turn]).permutation(groups)


def standardise(network: nn.Module, store: Store) -> None:
    """Let a network standardise mels by the statistics of a store's training clips."""
    for name, value in zip(("mel_mean", "mel_scale"), store.statistics(), strict=True):
        network.get_buffer(name).copy_(torch.from_numpy(value))
