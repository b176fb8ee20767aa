"""What happens to a clip in a loader's worker: a crop, its mask, and batches of them.

The mel was computed once, by the feature dump; here nothing is heavier than a random number. What
is drawn for a clip depends on the seed, the epoch and the clip's name alone, not on the worker or
on the order of clips: a resumed run and one with other workers see the same. T frames, L phones.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from a3t.model.masking import MaskingConfig, random_spans
from a3t.training.augment import Augment
from a3t.training.data import crop_phones, shift_edges

Arrays = dict[str, np.ndarray]
VALIDATION_SEED = 12345


@dataclass(frozen=True)
class DataConfig:
    """The ``data_conf:`` part of a configuration.

    Args:
        crop: shortest and longest crop in frames; null for whole utterances, as in the thesis.
        jitter: frames by which every edge of a training mask may move.
        shift_rows: shift the alignment embedding's rows at random, so that all are trained.
        augment: arguments of `a3t.training.augment.Augment`, or null.
        speech_only: mask this share of the frames in spans, ignoring phones: for speech without
            text (the thesis: 0.15). Phones are then not given to the network either.
        span: mean length in frames of speech-only spans.
    """

    crop: tuple[int, int] | None = None
    jitter: int = 0
    shift_rows: bool = False
    augment: Mapping[str, float] | None = None
    speech_only: float | None = None
    span: float = 10.0


@dataclass
class Preprocess:
    """A clip's arrays as they are stored -> as the network takes them.

    Stored: ``mel`` (T, 80), ``phones``, ``durations`` in frames and ``words`` (L,) each, and for
    networks that are told it ``pitch`` (T,), log2 F0 with 0 for no voice. Made: ``mel``,
    ``phones``, ``masked`` (T,), ``frame_phone`` (T,), ``row_offset`` (1,), and ``pitch`` again.
    """

    train: bool
    masking: MaskingConfig = field(default_factory=MaskingConfig)
    data: DataConfig = field(default_factory=DataConfig)
    rows: int = 500
    seed: int = 0
    epoch: int = 0  # set before each epoch; see `a3t.training.espnet.trainer.EpochIterFactory`

    def __post_init__(self) -> None:
        self._masking = self.masking.build()
        self._augment = Augment(**self.data.augment) if self.data.augment else None

    def __call__(
        self,
        name: str,
        stored: Mapping[str, np.ndarray],
        length: int | None = None,
        number: int = 0,
    ) -> Arrays:
        """``length`` of a crop in frames (None: the longest), ``number`` of those of one epoch.

        ValueError if a clip's phones and frames don't belong together.
        """
        rng = self._random(name, number)
        mel, pitch = stored["mel"], stored.get("pitch")
        phones, durations, words = (stored[k] for k in ("phones", "durations", "words"))
        if not len(phones) == len(durations) == len(words) or durations.sum() != len(mel):
            raise ValueError(
                f"{name}: {len(mel)} frames, but its {len(phones)} phones have {durations.sum()}"
            )
        if self.data.crop is not None:
            first, last = crop_phones(durations, length or self.data.crop[1], rng)
            start, end = int(durations[:first].sum()), int(durations[:last].sum())
            mel, pitch = mel[start:end], None if pitch is None else pitch[start:end]
            phones, durations, words = (x[first:last] for x in (phones, durations, words))
        if self.train and self._augment is not None:
            mel, factor = self._augment(mel, rng)
            if pitch is not None:
                pitch = np.where(pitch > 0, pitch + np.log2(factor), 0.0)
        frame_phone = np.repeat(np.arange(len(phones)), durations)
        if self.data.speech_only is not None:
            masked = self._frame_spans(len(mel), rng)
            phones, frame_phone = phones[:0], np.full(len(mel), -1)
        else:
            masked = self._masking.draw(words, rng)[frame_phone]
            masked = shift_edges(masked, self.data.jitter if self.train else 0, rng)
        offset = rng.integers(0, max(1, self.rows - 1)) if self.train else 0
        made: Arrays = {
            "mel": np.asarray(mel, np.float32),
            "masked": masked.astype(np.int64),
            "phones": phones.astype(np.int64),
            "frame_phone": frame_phone.astype(np.int64),
            "row_offset": np.array([offset if self.data.shift_rows else 0], np.int64),
        }
        return made if pitch is None else {**made, "pitch": np.asarray(pitch, np.float32)}

    def _random(self, name: str, number: int) -> np.random.Generator:
        key = zlib.crc32(name.encode())
        if not self.train:  # the same crops and masks each time: losses of two epochs compare
            return np.random.default_rng([VALIDATION_SEED, key])
        return np.random.default_rng([self.seed, self.epoch, key, number])

    def _frame_spans(self, frames: int, rng: np.random.Generator) -> np.ndarray:
        masked = max(1, round((self.data.speech_only or 0.0) * frames))
        return random_spans(frames, masked, round(masked / self.data.span), rng)


def collate(clips: Sequence[tuple[str, Mapping[str, Any]]]) -> tuple[list[str], dict[str, Tensor]]:
    """Pad clips to the longest, as `a3t.training.espnet.model.A3TModel` takes them, B first.

    ``mel_lengths`` and ``phones_lengths`` (B,) say what is no padding.
    """
    names = [name for name, _ in clips]
    T = max(len(clip["mel"]) for _, clip in clips)
    L = max(len(clip["phones"]) for _, clip in clips)
    mel = np.zeros((len(clips), T, clips[0][1]["mel"].shape[1]), np.float32)
    masked = np.zeros((len(clips), T), bool)
    phones = np.zeros((len(clips), L), np.int64)
    frame_phone = np.full((len(clips), T), -1, np.int64)
    pitch = np.zeros((len(clips), T), np.float32)
    for b, (_, clip) in enumerate(clips):
        frames, count = len(clip["mel"]), len(clip["phones"])
        mel[b, :frames] = clip["mel"]
        masked[b, :frames] = clip["masked"]
        phones[b, :count] = clip["phones"]
        frame_phone[b, :frames] = clip["frame_phone"]
        if "pitch" in clip:
            pitch[b, :frames] = clip["pitch"]
    batch = {
        "mel": torch.from_numpy(mel),
        "mel_lengths": torch.tensor([len(clip["mel"]) for _, clip in clips]),
        "masked": torch.from_numpy(masked),
        "phones": torch.from_numpy(phones),
        "phones_lengths": torch.tensor([len(clip["phones"]) for _, clip in clips]),
        "frame_phone": torch.from_numpy(frame_phone),
        "row_offset": torch.tensor([int(clip["row_offset"][0]) for _, clip in clips]),
    }
    if "pitch" in clips[0][1]:
        batch["pitch"] = torch.from_numpy(pitch)
    return names, batch
