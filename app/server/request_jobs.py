"""Requests that take their time: each is a job with progress, that can be asked for and ended."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from a3t.errors import InputError
from alignment import AlignmentError
from app import limits, texts
from app.processes.progress import CancelledError, Watch

log = logging.getLogger(__name__)

MOST_JOBS = 20  # that wait or run


class BusyError(Exception):
    """MOST_JOBS wait already."""


@dataclass
class RequestJob:
    """A request's work. status: "running", "done", "failed" or "cancelled"; progress: the share
    done, 0..1; result: what it gave; error: one sentence, and whether it is the request's fault."""

    kind: str
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    status: str = "running"
    step: str = ""
    progress: float = 0.0
    result: Any = None
    error: str = ""
    at_fault: bool = False
    ended: float = 0.0
    done: threading.Event = field(default_factory=threading.Event)
    cancelled: threading.Event = field(default_factory=threading.Event)

    def show(self, share: float, step: str) -> None:
        self.progress, self.step = round(share, 3), step

    def to_json(self) -> dict[str, Any]:
        told = {"id": self.id, "object": self.kind, "status": self.status, "step": self.step}
        return told | {"progress": self.progress, "error": self.error or None}


class RequestJobs:
    """The jobs of a server. Work waits for the editor's lanes, each in a thread of its own; what
    is done is forgotten after `limits.KEEP_SECONDS`."""

    def __init__(self) -> None:
        self._jobs: dict[str, RequestJob] = {}
        self._lock = threading.Lock()

    def start(self, kind: str, work: Callable[[Watch], Any], kept: bool = True) -> RequestJob:
        """Begin a job, kept for whoever asks for it when it is done; BusyError if too many wait
        already."""
        job = RequestJob(kind)
        with self._lock:
            old = time.monotonic() - limits.KEEP_SECONDS
            self._jobs = {
                name: each
                for name, each in self._jobs.items()
                if not each.done.is_set() or each.ended > old
            }
            if sum(not each.done.is_set() for each in self._jobs.values()) >= MOST_JOBS:
                raise BusyError
            self._jobs[job.id] = job
        threading.Thread(target=self._do, args=(job, work, kept), name=job.id, daemon=True).start()
        return job

    def get(self, name: str) -> RequestJob | None:
        """The job of that name, if there is one."""
        with self._lock:
            return self._jobs.get(name)

    def _do(self, job: RequestJob, work: Callable[[Watch], Any], kept: bool) -> None:
        try:
            job.result = work(Watch(job.show, job.cancelled))
            job.status, job.progress = "done", 1.0
        except CancelledError:
            job.status, job.error = "cancelled", texts.CANCELLED
        except (InputError, AlignmentError) as error:
            job.status, job.error, job.at_fault = "failed", " ".join(str(error).split()), True
        except Exception:
            log.exception("a job failed")
            job.status, job.error = "failed", texts.FAILED
        finally:
            job.ended = time.monotonic()
            if not kept:
                with self._lock:
                    del self._jobs[job.id]
            job.done.set()
