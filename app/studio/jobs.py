"""The work that waits for a lane: what somebody is waiting for first, nothing twice."""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from a3t.errors import InputError
from alignment import AlignmentError
from app import texts
from app.page_request import USUAL, Models
from app.processes.lanes import EditorLane
from app.processes.progress import CancelledError, Watch
from app.processes.worker import EditorProcess

log = logging.getLogger(__name__)


@dataclass
class ProjectJob:
    """Work for a lane's editor.

    owner, name: the project's, and the job's among its jobs. urgency: the lowest goes first, and
    before all others those that somebody waits for, as long as `is_awaited`.
    run: does it. failed: gets one sentence if that is impossible. step: gets each step.
    """

    owner: str
    name: str
    urgency: int
    run: Callable[[EditorProcess], None]
    failed: Callable[[str], None]
    step: Callable[[str], None] = lambda step: None
    models: Models = USUAL
    cancelled: threading.Event = field(default_factory=threading.Event)
    is_awaited: Callable[[], bool] = lambda: True


class StepWatch(Watch):
    """A job's: it gets each step's name, not the sentence for the person who waits."""

    def __init__(self, job: ProjectJob) -> None:
        super().__init__(cancelled=job.cancelled)
        self._step = job.step

    def __call__(self, step: str | np.ndarray) -> None:
        super().__call__(step)
        if isinstance(step, str):
            self._step(step)


class JobQueue:
    """One lane's jobs, done one after the other by a thread that begins with the first."""

    def __init__(self, lane: EditorLane) -> None:
        self._lane = lane
        self._waiting: list[tuple[int, int, ProjectJob]] = []
        self._running: ProjectJob | None = None
        self._gone: set[str] = set()  # owners that have been deleted
        self._count = itertools.count()
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None

    @property
    def is_busy(self) -> bool:
        """True if the lane's editor is working, or about to."""
        return bool(self._waiting) or self._lane.is_busy

    def add(self, job: ProjectJob) -> bool:
        """Add a job; False if one of that name waits or runs already."""
        with self._change:
            if job.owner in self._gone or any(self._same(job, other) for other in self._all()):
                return False
            self._waiting.append((job.urgency, next(self._count), job))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="jobs", daemon=True)
                self._thread.start()
            self._change.notify()
        return True

    def cancel(self, owner: str, name: str | None = None) -> None:
        """End the job of that name, wherever it is; without one all of an owner that is deleted."""
        with self._change:
            if name is None:
                self._gone.add(owner)
            for job in self._all():
                if job.owner == owner and name in (None, job.name):
                    job.cancelled.set()

    def welcome(self, owner: str) -> None:
        """Take jobs of an owner that was deleted again."""
        with self._change:
            self._gone.discard(owner)

    def reorder(self, owner: str, urgencies: Mapping[str, int]) -> None:
        """Other urgencies for an owner's jobs of these names that wait."""

        def urgency(usual: int, job: ProjectJob) -> int:
            return urgencies.get(job.name, usual) if job.owner == owner else usual

        with self._change:
            self._waiting = [(urgency(u, job), n, job) for u, n, job in self._waiting]

    def pending(self, owner: str) -> list[str]:
        """The names of an owner's jobs that wait or run."""
        with self._change:
            return [job.name for job in self._all() if job.owner == owner]

    def _all(self) -> list[ProjectJob]:
        running = [self._running] if self._running is not None else []
        waiting = [job for _, _, job in self._waiting]
        return [job for job in running + waiting if not job.cancelled.is_set()]

    @staticmethod
    def _same(job: ProjectJob, other: ProjectJob) -> bool:
        return (job.owner, job.name) == (other.owner, other.name)

    def _work(self) -> None:
        while True:
            with self._change:
                while not self._waiting:
                    self._change.wait()
                first = min(self._waiting, key=lambda w: (not w[2].is_awaited(), *w[:2]))
                self._waiting.remove(first)
                self._running = job = first[2]
            sentence = self._do(job)
            with self._change:
                self._running = None
            if sentence is not None:  # told once it is over, so that it can be asked for again
                job.failed(sentence)

    def _do(self, job: ProjectJob) -> str | None:
        """Do a job; returns one sentence if it can't be done."""
        if job.cancelled.is_set():
            return None
        try:
            watch = StepWatch(job)
            with self._lane.editor(watch, job.models) as editor:
                job.run(editor)
        except CancelledError:
            return None
        except (InputError, AlignmentError) as error:
            return str(error)
        except Exception:
            if job.cancelled.is_set():  # its project is gone
                return None
            log.exception("a job failed")
            return texts.FAILED
        return None
