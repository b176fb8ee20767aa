"""Batches for the systems that speak from text: the clips and crops that A3T's batches have.

B clips, T frames, L phones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from torch import Tensor

from a3t.errors import InputError
from a3t.model.variance.adaptors import frame_energy
from evaluation.systems.interface import Gap
from evaluation.systems.speaker_vectors import Vectors
from training.configuration import settings
from training.features.augment import augment_of
from training.features.corpus_batches import Batches, DataConfig, MaskingConfig
from training.features.store import Store
from training.training_runs import TrainingSchedule


@dataclass(frozen=True)
class SpeechBatch:
    """Clips padded to the longest, with what FastSpeech 2's variance adaptor is taught."""

    mel: Tensor  # (B, T, 80) log10
    frames: Tensor  # (B,)
    phones: Tensor  # (B, L) ids, 0 beyond the last one
    phone_count: Tensor  # (B,)
    durations: Tensor  # (B, L) frames
    pitch: Tensor  # (B, L) mean log2 F0 of each phone's voiced frames, 0 where there are none
    energy: Tensor  # (B, L) mean energy of each phone's frames, log10 RMS over the bins
    voice: Tensor  # (B, 256) speaker embedding

    def to(self, device: str) -> SpeechBatch:
        """Return the batch on a device."""
        return SpeechBatch(
            *(getattr(self, f.name).to(device, non_blocking=True) for f in fields(self))
        )

    def pin_memory(self) -> SpeechBatch:
        """Return the batch in memory that a GPU copies from."""
        return SpeechBatch(*(getattr(self, field.name).pin_memory() for field in fields(self)))


class SpeechBatches:
    """The batches of one split; ``vectors`` has the speaker embedding of each clip."""

    def __init__(
        self, config: Mapping[str, Any], store: Store, vectors: Vectors, train: bool
    ) -> None:
        data = settings(DataConfig, config.get("data"))
        self.batches = Batches(
            store,
            "train" if train else "dev",
            MaskingConfig(),
            data,
            train=train,
            augment=augment_of(data),
            pitch=True,
            seed=settings(TrainingSchedule, config.get("training")).seed,
        )
        missing = [clip.name for clip in self.batches.clips if clip.name not in vectors]
        if missing:
            raise InputError(
                f"{len(missing)} clips have no speaker embedding, such as {missing[0]}: run python"
                " -m evaluation.systems.speaker_vectors."
            )
        self.vectors = vectors

    def __call__(self, step: int, part: tuple[int, int] = (0, 1)) -> SpeechBatch:
        """Return the batch of a step, or the share of process ``part[0]`` of ``part[1]``.

        Where there is no clip left for a process, it has the first one too.
        """
        draws = self.batches.draws(step)
        draws = draws[part[0] :: part[1]] or draws[:1]
        batch = self.batches.collate(draws)
        assert batch.pitch is not None
        voices = np.stack([self.vectors[draw.clip.name] for draw in draws])
        frame_phone = torch.where(
            torch.arange(batch.mel.shape[1])[None] < batch.frames[:, None], batch.frame_phone, -1
        )
        L = batch.phones.shape[1]
        return SpeechBatch(
            batch.mel,
            batch.frames,
            batch.phones,
            batch.phone_count,
            _sums(torch.ones_like(batch.pitch), frame_phone, L).long(),
            phone_means(batch.pitch, frame_phone, L, batch.pitch > 0),
            phone_means(frame_energy(batch.mel), frame_phone, L),
            torch.from_numpy(voices),
        )


def _sums(values: Tensor, frame_phone: Tensor, phones: int) -> Tensor:
    """Sum frames' values (B, T) over each phone, (B, L); frames of phone -1 don't count."""
    result = torch.zeros(len(values), phones + 1)
    result.scatter_add_(1, torch.where(frame_phone < 0, phones, frame_phone), values)
    return result[:, :phones]


def phone_means(
    values: Tensor, frame_phone: Tensor, phones: int, counted: Tensor | None = None
) -> Tensor:
    """Average each phone's frames (B, T) -> (B, L), of ``counted`` ones alone; 0 for none."""
    weight = torch.ones_like(values) if counted is None else counted.float()
    total = _sums(weight, frame_phone, phones)
    return _sums(values * weight, frame_phone, phones) / total.clamp(min=1.0)


@dataclass(frozen=True)
class Sentence:
    """An utterance to speak: a sentence, or a part of one, with its durations and voice."""

    phones: Tensor  # (1, L)
    durations: Tensor  # (1, L) frames
    voice: Tensor  # (1, 256)
    style: Tensor  # (1, T', 80) mel of the same speaker

    @classmethod
    def of(cls, gap: Gap, first: int = 0, last: int | None = None) -> Sentence:
        """Take the phones [first, last) of a gap's sentence, all of it by default.

        A gap in which there is nothing but a pause is spoken as one.
        """
        part = slice(first, len(gap.phones) if last is None else last)
        return cls(
            torch.from_numpy(gap.phones[part])[None],
            torch.from_numpy(gap.durations[part])[None],
            torch.from_numpy(gap.voice)[None],
            torch.from_numpy(np.ascontiguousarray(gap.visible))[None],
        )
