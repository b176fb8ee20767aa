"""Batches of crops for ESPnet's Trainer, whose own batches are of whole utterances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from espnet2.iterators.abs_iter_factory import AbsIterFactory
from espnet2.iterators.sequence_iter_factory import worker_init_fn
from torch.utils.data import DataLoader, Dataset

from a3t.audio.mel import MELS
from a3t.training.espnet.preprocess import Arrays, Preprocess, collate


@dataclass(frozen=True)
class Draw:
    """A crop to be made: of which clip, how many frames long, and which of the epoch it is."""

    name: str
    length: int
    number: int


class Cropped(Dataset[tuple[str, Arrays]]):
    """Stored clips as crops, for a loader's workers."""

    def __init__(self, stored: Any, preprocess: Preprocess) -> None:
        self.stored, self.preprocess = stored, preprocess

    def __getitem__(self, draw: Draw) -> tuple[str, Arrays]:
        name, arrays = self.stored[draw.name]
        return name, self.preprocess(name, arrays, draw.length, draw.number)


@dataclass
class CropIterFactory(AbsIterFactory):
    """Every batch has crops of one length, drawn anew; clips are drawn by their frames, so that
    all speech is heard alike.

    Args:
        stored: ESPnet's dataset, without preprocessing.
        names, frames: the clips and how long they are.
        bins: mel elements of a batch, all processes together.
        steps: batches an epoch.
        part: which of how many processes this is.
    """

    stored: Any
    preprocess: Preprocess
    names: Sequence[str]
    frames: np.ndarray
    bins: int
    steps: int
    workers: int = 0
    pin_memory: bool = False
    part: tuple[int, int] = (0, 1)

    def batches(self, epoch: int) -> list[list[Draw]]:
        """This process's share of an epoch's batches: a function of seed and epoch alone."""
        assert self.preprocess.data.crop is not None
        low, high = self.preprocess.data.crop
        rng = np.random.default_rng([self.preprocess.seed, epoch])
        odds = self.frames / self.frames.sum()
        result = []
        number = 0
        for _ in range(self.steps):
            length = int(rng.integers(low, high + 1))
            count = max(self.part[1], self.bins // (length * MELS))
            chosen = rng.choice(len(self.names), count, p=odds)
            draws = [Draw(self.names[k], length, number + i) for i, k in enumerate(chosen)]
            result.append(draws[self.part[0] :: self.part[1]])
            number += count
        return result

    def build_iter(self, epoch: int, shuffle: bool | None = None) -> Any:
        self.preprocess.epoch = epoch  # before the loader's workers are forked
        return DataLoader(
            Cropped(self.stored, self.preprocess),
            batch_sampler=self.batches(epoch),  # type: ignore[arg-type]
            num_workers=self.workers,
            pin_memory=self.pin_memory,
            worker_init_fn=partial(worker_init_fn, base_seed=epoch),
            collate_fn=collate,
        )
