"""Requests that take their time: each is a job with progress, that can be asked for and ended by
whoever asked, and whose error is one sentence."""

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
        """True if the visitor still waits for it."""
        return not self.cancelled.is_set()

    def check(self) -> None:
        """Raises CancelledError if nobody is waiting any more."""
        if not self.wanted():
            raise CancelledError

    def __call__(self, step: str | np.ndarray) -> None:
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
    """The sentence for an error; this program's own faults also go to the log in full."""
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
    """A request's work: its progress, and its outcome or one sentence that says why there is none.
    owner: whoever asked for it."""

    kind: str
    watch: Watch
    owner: str = ""
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    outcome: Future[Any] = field(default_factory=Future)
    ended: float = float("inf")

    error: str | None = None

    @property
    def status(self) -> JobStatus:
        if not self.outcome.done():
            return "running"
        if self.error is None:
            return "done"
        is_cancelled = isinstance(self.outcome.exception(), CancelledError)
        return "cancelled" if is_cancelled else "failed"


class RequestJobs:
    """The requests that a server is answering, each in a thread of its own, in which it waits for
    the editor's lanes. What is done is forgotten after `limits.KEEP_SECONDS`."""

    def __init__(self) -> None:
        self._jobs: dict[str, RequestJob] = {}
        self._lock = threading.Lock()
        self._stopped = False

    def start(
        self, kind: str, work: Callable[[Watch], Any], kept: bool = False, owner: str = ""
    ) -> RequestJob:
        """Begin a job, kept for whoever asks for it when it is done; BusyError if too many wait
        already."""
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
        """The job of that name, if there is one."""
        with self._lock:
            return self._jobs.get(name)

    def stop(self) -> None:
        """End everything, and wait until it has ended: the server stops."""
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
