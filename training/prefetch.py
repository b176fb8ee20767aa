"""Batches prepared by other processes: a GPU consumes them faster than one core makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch
from torch.utils.data import DataLoader, Dataset

from a3t.model.embeddings import Batch

MakeBatch = Callable[[int], Batch]  # of a step


class _Steps(Dataset[Batch]):
    """The batch of each step, for DataLoader's workers."""

    def __init__(self, make: MakeBatch) -> None:
        self.make = make

    def __getitem__(self, step: int) -> Batch:
        return self.make(step)


def prefetch(
    make: MakeBatch, steps: Sequence[int], workers: int = 0, pinned: bool = False
) -> Iterator[Batch]:
    """``make(step)`` for each step, prepared by ``workers`` processes (0: on demand).

    The batch of a step depends neither on the workers nor on where the run began. ``pinned``: in
    memory that a GPU copies from while it computes.
    """
    if not workers:
        return (make(step).pin_memory() if pinned else make(step) for step in steps)
    return iter(
        DataLoader(
            _Steps(make),
            batch_size=None,
            sampler=steps,
            num_workers=workers,
            prefetch_factor=4,
            pin_memory=pinned,
            multiprocessing_context="fork",
            generator=torch.Generator(),  # its own, not the one that dropout draws from
        )
    )
