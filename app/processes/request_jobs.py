"""Long requests as jobs, which have progress, can be cancelled, and fail with one sentence."""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from a3t.errors import InputError
from app import limits, texts

JobStatus = Literal["running", "done", "failed", "cancelled"]

# The share of a whole request that is done where each step begins.
BEGINS = {
    "load": 0.02, "read": 0.1, "transcribe": 0.12, "align": 0.2, "plan": 0.5,
    "fill": 0.55, "vocode": 0.8, "splice": 0.89, "check": 0.91,
}  # fmt: skip
MAX_JOBS = 20  # that wait or run
POLL_S = 0.05  # between looks at a job, and at whether its client is still there
STOPPING = 2.0  # seconds that they have to end in


class CancelledError(Exception):
    """The visitor has pressed Cancel; nothing was changed."""


class Watch:
    """Called by an editor at each step: keeps how far it is, or raises CancelledError.

    step: gets each step's name. cancelled: set by whoever no longer waits. take: gets speech that
    is made piece by piece, (n,) at 24 kHz, where a step would be named. share, sentence: the share
    done (0..1, never falling), and the step as people are told of it.
    """

    def __init__(
        self, step: Callable[[str], None] | None = None, cancelled: threading.Event | None = None
    ) -> None:
        self._step = step
        self.cancelled = cancelled or threading.Event()
        self.take: Callable[[np.ndarray], None] | None = None
        self.share, self.sentence = 0.0, ""

    def wanted(self) -> bool:
        """Return whether the visitor still waits for it."""
        return not self.cancelled.is_set()

    def check(self) -> None:
        """Raise CancelledError if nobody is waiting any more."""
        if not self.wanted():
            raise CancelledError

    def __call__(self, step: str | np.ndarray) -> None:
        """Note a step, or hand speech on."""
        self.check()
        if isinstance(step, np.ndarray):
            if self.take is not None:
                self.take(step)
            return
        self.sentence, reached = texts.STEP_SENTENCES.get(step, step), BEGINS.get(step, 0.97)
        self.share = max(self.share, reached)
        if self._step is not None:
            self._step(step)


log = logging.getLogger(__name__)


def sentence_of(error: BaseException) -> str:
    """Return the sentence for an error; this program's own faults go to the log in full."""
    if isinstance(error, InputError):
        return " ".join(str(error).split())
    if isinstance(error, CancelledError):
        return texts.CANCELLED
    log.error("a request failed", exc_info=error)
    return texts.FAILED


class BusyError(Exception):
    """MAX_JOBS wait already."""


@dataclass
class RequestJob:
    """A request's work: its progress, and its outcome or the sentence of its failure.

    owner: whoever asked for it.
    """

    kind: str
    watch: Watch
    owner: str = ""
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    outcome: Future[Any] = field(default_factory=Future)
    ended: float = float("inf")

    error: str | None = None

    @property
    def status(self) -> JobStatus:
        """What has become of it."""
        if not self.outcome.done():
            return "running"
        if self.error is None:
            return "done"
        is_cancelled = isinstance(self.outcome.exception(), CancelledError)
        return "cancelled" if is_cancelled else "failed"


class RequestJobs:
    """The requests that a server is answering, each in a thread that waits for an editor's lane.

    What is done is forgotten after `limits.KEEP_SECONDS`.
    """

    def __init__(self) -> None:
        self._jobs: dict[str, RequestJob] = {}
        self._lock = threading.Lock()
        self._stopped = False

    def start(
        self, kind: str, work: Callable[[Watch], Any], kept: bool = False, owner: str = ""
    ) -> RequestJob:
        """Begin a job; BusyError if too many wait already.

        kept: whether it can still be looked up when it is done.
        """
        job = RequestJob(kind, Watch(), owner)
        with self._lock:
            old = time.monotonic() - limits.KEEP_SECONDS
            self._jobs = {name: each for name, each in self._jobs.items() if each.ended > old}
            if self._stopped:
                raise CancelledError
            if sum(not each.outcome.done() for each in self._jobs.values()) >= MAX_JOBS:
                raise BusyError
            self._jobs[job.id] = job
        threading.Thread(target=self._do, args=(job, work, kept), name=job.id, daemon=True).start()
        return job

    def get(self, name: str) -> RequestJob | None:
        """Return the job of that name, or None."""
        with self._lock:
            return self._jobs.get(name)

    def stop(self) -> None:
        """End all jobs, and wait until they have ended, because the server stops."""
        with self._lock:
            jobs = [job for job in self._jobs.values() if not job.outcome.done()]
            self._stopped = True
        for job in jobs:
            job.watch.cancelled.set()
        wait([job.outcome for job in jobs], timeout=STOPPING)

    def _do(self, job: RequestJob, work: Callable[[Watch], Any], kept: bool) -> None:
        result, error = None, None
        try:
            result = work(job.watch)
        except BaseException as raised:
            error = raised
        job.ended = time.monotonic()
        if not kept:
            with self._lock:
                del self._jobs[job.id]
        if error is None:
            job.outcome.set_result(result)
        else:
            job.error = sentence_of(error)
            job.outcome.set_exception(error)


async def pieces_of(
    job: RequestJob, ready: deque[Any], look: Callable[[], object] = lambda: None
) -> AsyncIterator[Any]:
    """Yield what a job puts into ``ready`` until it is done; end it if nobody takes it any more.

    ``look`` is called at each look at the job. The job's error is raised.
    """
    try:
        over = False
        while not over:
            look()
            over = job.outcome.done()  # before the last pieces are taken
            while ready:
                yield ready.popleft()
            await asyncio.sleep(0 if over else POLL_S)
        job.outcome.result()  # or the answer is cut off, which clients notice
    finally:
        job.watch.cancelled.set()
