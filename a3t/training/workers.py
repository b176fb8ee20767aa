"""One function over many clips by processes that don't get old."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from a3t.errors import InputError

Job = TypeVar("Job")
Result = TypeVar("Result")

PORTION = 100  # clips of a process: PocketSphinx keeps some MB of every one


def by_workers(
    function: Callable[[Job], Result], jobs: Sequence[Job], processes: int
) -> Iterator[Result]:
    """``function`` of each job, in order. A few jobs for one process are done in this one.

    InputError if a process is stopped from outside.
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
                "A process was stopped, perhaps for want of memory: start again with fewer --jobs; "
                "what is done is kept."
            ) from None
