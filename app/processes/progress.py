"""A request's progress, its end by whoever asked, and its errors as one sentence."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

import numpy as np

from a3t.errors import InputError
from app import texts

# The share of a whole request that is done where each step begins.
BEGINS = {
    "load": 0.02, "read": 0.1, "transcribe": 0.12, "align": 0.2, "plan": 0.5,
    "fill": 0.55, "vocode": 0.8, "splice": 0.89, "check": 0.91,
}  # fmt: skip


class CancelledError(Exception):
    """The visitor has pressed Cancel; nothing was changed."""


class Watch:
    """Called by an editor at each step: keeps how far it is, or raises CancelledError.

    step: gets each step's name. cancelled: set by whoever no longer waits. take: gets speech that
    is made piece by piece, (n,) at 24 kHz, where a step would be named. share, sentence: the share
    done (0..1, never falling), and the step as people are told of it.
    """

    def __init__(
        self,
        step: Callable[[str], None] | None = None,
        cancelled: threading.Event | None = None,
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
        self.sentence, reached = texts.STEPS.get(step, step), BEGINS.get(step, 0.97)
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
