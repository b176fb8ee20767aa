"""Run one function on many jobs: on this machine's cores, or on a Dask cluster.

    for done in run_jobs(function, jobs, workers=4, scheduler="tcp://10.0.0.1:8786"):
        print(done.job, done.result if done.error is None else done.error)

Nothing is stored: to resume, pass the jobs that remain.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Generic, TypeVar

from alignment.errors import AlignmentError

if TYPE_CHECKING:
    from distributed import Client

Job = TypeVar("Job")
Result = TypeVar("Result")

# Every worker gets one core: threads that numpy and torch start by themselves would compete.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

CONNECT_S = 30


class WorkerDiedError(RuntimeError):
    """The process that ran the job crashed or was killed, twice."""

    def __init__(self) -> None:
        super().__init__("The process was killed, perhaps for lack of memory.")


@dataclass(frozen=True, slots=True)
class JobResult(Generic[Job, Result]):
    """A job with its `result`, or the `error` that it raised."""

    job: Job
    result: Result | None = None
    error: Exception | None = None


def run_jobs(
    function: Callable[[Job], Result],
    jobs: Iterable[Job],
    workers: int,
    scheduler: str | None = None,
) -> Iterator[JobResult[Job, Result]]:
    """Run ``function`` on each job, yielding results in order of completion.

    ``function`` (of a module, or a functools.partial of one), jobs and results travel between
    processes; a job is taken from ``jobs`` when a worker is free. A failed job is a value, not a
    raise. With one worker everything happens in this process, in order. With more, each is a fresh
    interpreter; one that dies takes no other job with it. ``scheduler``, the address of a Dask
    scheduler ("tcp://host:8786"): its workers do the jobs instead, where this package is installed
    and paths must mean the same files.

    Raises AlignmentError when ``scheduler`` can't be reached or Dask is not installed.
    """
    if scheduler is not None:
        return _on_cluster(function, jobs, scheduler)
    waiting = iter(jobs)
    begin = list(islice(waiting, 2))
    jobs = chain(begin, waiting)
    if min(workers, len(begin)) <= 1:
        return _in_turn(function, jobs)
    return _on_cores(function, jobs, workers)


def _in_turn(
    function: Callable[[Job], Result], jobs: Iterable[Job]
) -> Iterator[JobResult[Job, Result]]:
    for job in jobs:
        try:
            done = JobResult(job, function(job))
        except Exception as error:
            done = JobResult(job, error=error)
        yield done


def _on_cores(
    function: Callable[[Job], Result], jobs: Iterator[Job], workers: int
) -> Iterator[JobResult[Job, Result]]:
    """Run jobs in a pool; after a worker's death, run what was under way again one by one."""
    while True:
        suspects: list[Job] = []
        yield from _in_pool(function, jobs, workers, 2 * workers, suspects)
        if not suspects:
            return
        again = iter(suspects)
        while True:
            dead: list[Job] = []
            yield from _in_pool(function, again, 1, 1, dead)
            if not dead:
                break
            for job in dead:
                yield JobResult(job, error=WorkerDiedError())


def _in_pool(
    function: Callable[[Job], Result],
    waiting: Iterator[Job],
    workers: int,
    ahead: int,
    lost: list[Job],
) -> Iterator[JobResult[Job, Result]]:
    """Run jobs, ``ahead`` at a time, until there are none left or a worker dies.

    ``lost`` receives those under way then.
    """
    # Fresh interpreters: a fork would copy locks and threads in the middle of their work.
    context = multiprocessing.get_context("spawn")
    running: dict[Future[Result], Job] = {}
    pool = ProcessPoolExecutor(workers, context)
    try:
        while True:
            for job in islice(waiting, ahead - len(running)):
                with _one_thread_each():
                    running[pool.submit(function, job)] = job
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                error = future.exception()
                if isinstance(error, BrokenProcessPool):
                    lost += running.values()
                    return
                job = running.pop(future)
                if error is None:
                    yield JobResult(job, future.result())
                elif isinstance(error, Exception):
                    yield JobResult(job, error=error)
                else:
                    raise error
    except BrokenProcessPool:  # noticed while a job, the last of them, was submitted
        lost += [*running.values(), job]
    finally:
        # Idle workers are waited for; busy ones, if no more results are wanted, are not.
        pool.shutdown(wait=not running, cancel_futures=True)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let processes started meanwhile use one thread each, unless the environment says more."""
    added = [name for name in ONE_THREAD if name not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


def connect(scheduler: str) -> Client:
    """Return a client of a Dask scheduler; errors as for `run_jobs`."""
    try:
        from distributed import Client
    except ImportError:
        raise AlignmentError("A cluster needs Dask: pip install 'a3t[cluster]'.") from None
    try:
        return Client(scheduler, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise AlignmentError(
            f"The Dask scheduler at {scheduler} can't be reached: check its address "
            f"(tcp://host:8786) and that it runs."
        ) from error


def _on_cluster(
    function: Callable[[Job], Result], jobs: Iterable[Job], scheduler: str
) -> Iterator[JobResult[Job, Result]]:
    with connect(scheduler) as client:
        from distributed import as_completed

        running = {client.submit(function, job, pure=False): job for job in jobs}
        for future in as_completed(list(running), loop=client.loop):
            job, raised = running.pop(future), future.exception()
            if raised is None:
                yield JobResult(job, future.result())
            else:  # a KilledWorker: the scheduler tried several workers already
                killed = type(raised).__name__ == "KilledWorker"
                yield JobResult(job, error=WorkerDiedError() if killed else raised)
            future.release()
