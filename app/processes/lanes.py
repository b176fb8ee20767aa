"""Lanes of work, in which what somebody waits for comes first.

What takes moments never waits behind what takes minutes: that has a lane of its own.
Each lane has the models in a process of its own. The long lane's process gives way to the other's
on a busy machine.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from operator import methodcaller
from typing import Any

from app.models import USUAL_MODELS, Models
from app.processes.request_jobs import CancelledError, Watch, sentence_of
from app.processes.worker import AbandonedError, WorkerProcess, always, free_memory

MAKING = 1  # the urgency of what somebody waits for


@dataclass(eq=False)
class LaneJob:
    """Work for a lane's editor.

    urgency: the lowest goes first, after those jobs that somebody waits for (`is_awaited`). owner,
    name: its project, and the job's name among the project's. makes: the key of the change of which
    it makes a take. failed: is called with one sentence if it fails. watch: sees its steps, and may
    cancel it.
    """

    run: Callable[[WorkerProcess], Any]
    urgency: int = MAKING
    owner: str = ""
    name: str = ""
    failed: Callable[[str], None] | None = None
    models: Models = USUAL_MODELS
    watch: Watch = field(default_factory=Watch)
    is_awaited: Callable[[], bool] = always
    outcome: Future[Any] = field(default_factory=Future)
    makes: str = ""


class EditorLane:
    """Jobs for one editor's process, done one after the other by a thread.

    Process and thread begin with the first job. Without one for `idle_s` seconds the process ends,
    and the next job begins another.
    """

    def __init__(self, start: Callable[[], WorkerProcess], idle_s: float | None = None) -> None:
        self._start, self._idle_s = start, idle_s
        self._editor: WorkerProcess | None = None
        self._waiting: list[LaneJob] = []  # in the order in which they came
        self._running: LaneJob | None = None
        self._gone: set[str] = set()  # owners that have been deleted
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closing = False

    def do(
        self, watch: Watch, function: Callable[..., Any], *args: Any, models: Models = USUAL_MODELS
    ) -> Any:
        """Return `function(editor, *args)` to somebody who waits for it.

        Raises the function's errors, and CancelledError once nobody waits any more.
        """
        watch("load")
        run = methodcaller("ask", function, *args)
        job = LaneJob(run, models=models, watch=watch, is_awaited=watch.wanted)
        self.add(job)
        while not wait([job.outcome], timeout=0.2).done:
            watch.check()
        return job.outcome.result()

    def add(self, job: LaneJob) -> bool:
        """Add a job, and return False if one of that name waits or runs already."""
        with self._change:
            if job.owner in self._gone or (job.name and job.name in self.pending(job.owner)):
                return False
            self._waiting.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="lane", daemon=True)
                self._thread.start()
            self._change.notify()
        return True

    def cancel(self, owner: str, name: str | None = None) -> None:
        """Cancel an owner's job of that name; without one all jobs of a deleted owner."""
        with self._change:
            if name is None:
                self._gone.add(owner)
            for job in self._all():
                if job.owner == owner and name in (None, job.name):
                    job.watch.cancelled.set()

    def unblock(self, owner: str) -> None:
        """Take jobs of an owner that was deleted again."""
        with self._change:
            self._gone.discard(owner)

    def reorder(self, owner: str, urgencies: Mapping[str, int]) -> None:
        """Change the urgencies of an owner's waiting jobs, by their names."""
        with self._change:
            for job in self._waiting:
                if job.owner == owner:
                    job.urgency = urgencies.get(job.name, job.urgency)

    def pending(self, owner: str) -> list[str]:
        """Return the names of an owner's jobs that wait or run."""
        with self._change:
            return [job.name for job in self._all() if job.owner == owner]

    def being_made(self, owner: str) -> list[str]:
        """Return the keys of an owner's changes whose takes are being made."""
        with self._change:
            return sorted({job.makes for job in self._all() if job.owner == owner and job.makes})

    def warm_up(self) -> None:
        """Load the models in the background, so that the page appears before they are loaded."""
        self.add(LaneJob(methodcaller("ask", bool), failed=lambda sentence: None))

    def stop(self) -> None:
        """Start no further process."""
        self._closing = True

    def close(self) -> None:
        """End the editor's process."""
        self.stop()
        if self._editor is not None:
            self._editor.close()

    def _all(self) -> list[LaneJob]:
        running = [self._running] if self._running is not None else []
        return [job for job in running + self._waiting if job.watch.wanted()]

    def _work(self) -> None:
        while True:
            self._do(self._next())
            free_memory()

    def _next(self) -> LaneJob:
        with self._change:
            while not self._waiting:
                if not self._change.wait(self._idle_s) and self._editor is not None:
                    self._editor.end()
                    self._editor = None
            first = min(self._waiting, key=lambda job: (not job.is_awaited(), job.urgency))
            self._waiting.remove(first)
            self._running = first
            return first

    def _do(self, job: LaneJob) -> None:
        error, result = None, None
        try:
            result = self._done(job)
        except BaseException as raised:
            error = raised
        with self._change:
            self._running = None  # first, so that it can be asked for again
        if error is None:
            job.outcome.set_result(result)
            return
        job.outcome.set_exception(error)
        if job.failed is not None and job.watch.wanted():  # else its project is gone
            job.failed(sentence_of(error))

    def _done(self, job: LaneJob) -> Any:
        """Do a job with the editor and the job's models; CancelledError if nobody wants it."""
        job.watch.check()
        try:
            if self._closing:
                raise CancelledError
            if self._editor is None or not self._editor.alive:
                self._editor = self._start()
            self._editor.progress, self._editor.wanted = job.watch, job.watch.wanted
            self._editor.models = job.models
            return job.run(self._editor)
        except AbandonedError:
            self._editor = None
            if not self._closing:  # so that the next request finds the models loaded
                self._editor = self._start()
                self.warm_up()
            raise CancelledError from None
        finally:
            if self._editor is not None:
                self._editor.progress, self._editor.wanted = None, always
