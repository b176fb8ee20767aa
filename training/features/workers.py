"""A function over many clips, in processes that are replaced now and then, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import TypeVar

from a3t.errors import InputError
from alignment import AlignmentError
from alignment.parallel import run_jobs

Job = TypeVar("Job")
Result = TypeVar("Result")

PORTION = 100  # clips per process: an aligner may keep some memory of every clip


def by_workers(
    function: Callable[[Job], Result], jobs: Sequence[Job], processes: int
) -> Iterator[Result]:
    """``function`` of each job, in order; a few jobs for one process are done in this one.

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


class FailedJobError(Exception):
    """A job has no result, for this reason."""


def by_cluster(
    function: Callable[[Job], Result], jobs: Sequence[Job], scheduler: str
) -> Iterator[Result | FailedJobError]:
    """``function`` of each job, in order, by the workers of the Dask ``scheduler``, at an address
    such as tcp://host:8786.

    A job whose worker died, or that raised, is a `FailedJobError`. Raises InputError if the
    scheduler can't be reached.
    """
    early: dict[int, Result | FailedJobError] = {}  # results that others are waiting for
    following = 0
    try:
        for done in run_jobs(partial(_second, function), list(enumerate(jobs)), 1, scheduler):
            found = done.result if done.error is None else FailedJobError(str(done.error))
            early[done.job[0]] = found  # type: ignore[assignment]
            while following in early:
                yield early.pop(following)
                following += 1
    except AlignmentError as error:
        raise InputError(str(error)) from None


def _second(function: Callable[[Job], Result], numbered: tuple[int, Job]) -> Result:
    return function(numbered[1])
