"""A function over many clips, in processes that are replaced now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from a3t.errors import InputError

Job = TypeVar("Job")
Result = TypeVar("Result")

PORTION = 100  # clips per process: an aligner may keep some memory of every clip


def by_workers(
    function: Callable[[Job], Result], jobs: Sequence[Job], processes: int
) -> Iterator[Result]:
    """Yield ``function`` of each job, in order; a few jobs for one process are done in this one.

    Processes are replaced by making a new pool for each portion: ``max_tasks_per_child`` of
    concurrent.futures deadlocks in Python 3.11.7 when a worker reaches it while jobs are waiting,
    and needs workers that are spawned, each of which imports torch anew. Raises InputError if a
    process is killed.
    """
    if processes <= 1 and len(jobs) <= PORTION:
        yield from map(function, jobs)
        return
    portion = processes * PORTION
    for first in range(0, len(jobs), portion):
        try:
            with ProcessPoolExecutor(processes) as pool:
                yield from pool.map(function, jobs[first : first + portion], chunksize=4)
        except BrokenProcessPool:
            raise InputError(
                "A process was killed, perhaps for lack of memory: run the command again with "
                "fewer --jobs; finished clips are kept."
            ) from None
