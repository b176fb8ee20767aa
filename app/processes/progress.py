"""A request's progress, shown to whoever waits for it, and the way to cancel it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from app import texts

# Where each step begins, as a share of the whole; the rest is the synthesis of the new words.
BEGINS = {"load": 0.02, "read": 0.1, "transcribe": 0.12, "align": 0.2, "plan": 0.5}
MAKING = {"fill": 0.0, "vocode": 0.6, "splice": 0.8, "check": 0.85}  # shares of one piece
LEARN = "learn"  # a step's name, followed by how many steps of learning are done, and by all
MADE_FROM, MADE_TO = 0.55, 0.97


class CancelledError(Exception):
    """The visitor has pressed Cancel; nothing was changed."""


class Watch:
    """Called by an editor at each step: shows it, or raises CancelledError.

    show: gets the share done (0..1, never falling) and a sentence. cancelled: set by the page.
    take: gets speech that is made piece by piece, (n,) at 24 kHz, where a step would be named.
    """

    def __init__(
        self,
        show: Callable[[float, str], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> None:
        self._show = show
        self._cancelled = cancelled
        self.take: Callable[[np.ndarray], None] | None = None
        self.pieces = 1  # how often the spectrogram will be filled
        self._filled = 0
        self.share = 0.0

    def wanted(self) -> bool:
        """True if the visitor still waits for it."""
        return self._cancelled is None or not self._cancelled.is_set()

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
        sentence = texts.STEPS.get(step, step)
        if step.startswith(f"{LEARN} "):
            done, steps = map(int, step.split()[1:])
            reached = BEGINS["plan"] + (MADE_FROM - BEGINS["plan"]) * done / steps
            sentence = texts.learning(done, steps)
        elif step in MAKING:
            self._filled += step == "fill"
            piece = (max(self._filled - 1, 0) + MAKING[step]) / max(self.pieces, 1)
            reached = MADE_FROM + (MADE_TO - MADE_FROM) * min(piece, 1.0)
        else:
            reached = BEGINS.get(step, MADE_TO)
        self.share = max(self.share, reached)
        if self._show is not None:
            self._show(self.share, sentence)


class Running:
    """The requests that each page is waiting for, so that they can be cancelled.

    A page is known by gradio's name for its connection, which only its browser has.
    """

    def __init__(self) -> None:
        self._events: dict[str, set[threading.Event]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def watch(self, page: str, show: Callable[[float, str], None]) -> Iterator[Watch]:
        """A Watch for one request of the page, which `cancel` ends."""
        event = threading.Event()
        with self._lock:
            self._events.setdefault(page, set()).add(event)
        try:
            yield Watch(show, event)
        finally:
            with self._lock:
                self._events[page].discard(event)
                if not self._events[page]:
                    del self._events[page]

    def cancel(self, page: str) -> None:
        """End everything that the page waits for."""
        with self._lock:
            for event in self._events.get(page, ()):
                event.set()
