"""Batches prepared by other processes: a GPU consumes them faster than one core makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, Protocol, Self, TypeVar

import torch
from torch.utils.data import DataLoader, Dataset


class Pinnable(Protocol):
    """A batch that can be copied to where a GPU reads it."""

    def pin_memory(self) -> Self:
        """Return a copy in pinned memory."""
        ...


B = TypeVar("B", bound=Pinnable)


class _Steps(Dataset[B], Generic[B]):
    """The batch of each step, for DataLoader's workers."""

    def __init__(self, make: Callable[[int], B]) -> None:
        self.make = make

    def __getitem__(self, step: int) -> B:
        return self.make(step)


def prefetch(
    make: Callable[[int], B], steps: Sequence[int], workers: int = 0, pinned: bool = False
) -> Iterator[B]:
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


class Ahead(Generic[B]):
    """The batch of a step, prepared before it is asked for.

    That is while steps follow one another up to ``end``; with ``pinned`` and ``workers`` as
    `prefetch` has them.
    """

    def __init__(self, make: Callable[[int], B], end: int, workers: int, pinned: bool) -> None:
        self.make, self.end, self.workers, self.pinned = make, end, workers, pinned
        self._batches: Iterator[B] = iter(())
        self._next = -1

    def __call__(self, step: int) -> B:
        """Return the batch of a step."""
        if step != self._next:
            self._batches = prefetch(self.make, range(step, self.end), self.workers, self.pinned)
        self._next = step + 1
        return next(self._batches)
