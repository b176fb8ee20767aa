"""Batches made ahead by other processes: a GPU eats them faster than one core makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from torch.utils.data import DataLoader, Dataset

from a3t.model.embeddings import Batch

MakeBatch = Callable[[int, int], Batch]  # of a seed and a step


class _Steps(Dataset[Batch]):
    """The batch of each step, for DataLoader's workers."""

    def __init__(self, make: MakeBatch, seed: int) -> None:
        self.make, self.seed = make, seed

    def __getitem__(self, step: int) -> Batch:
        return self.make(self.seed, step)


class Prefetch:
    """``prefetch(step)`` is ``make(seed, step)``, made ahead by ``workers`` (0: made when asked).

    Which batch a step gets doesn't depend on the workers, nor on where the run began.
    """

    def __init__(self, make: MakeBatch, seed: int, workers: int = 0) -> None:
        self.make, self.seed, self.workers = make, seed, workers
        self._batches: Iterator[Batch] | None = None
        self._next = -1

    def __call__(self, step: int) -> Batch:
        if not self.workers:
            return self.make(self.seed, step)
        if self._batches is None or step != self._next:
            loader = DataLoader(
                _Steps(self.make, self.seed),
                batch_size=None,
                sampler=range(step, 2**31),
                num_workers=self.workers,
                prefetch_factor=4,
                multiprocessing_context="fork",
            )
            self._batches = iter(loader)
        self._next = step + 1
        return next(self._batches)
