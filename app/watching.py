"""How far a request is, told to its person; and the way to end it before it is done."""

from __future__ import annotations

import threading
from collections.abc import Callable

from app import texts

# Where each step begins, as a share of the whole; the rest is the making of the new words.
BEGINS = {"load": 0.02, "read": 0.1, "transcribe": 0.12, "align": 0.2, "plan": 0.5}
MAKING = {"fill": 0.0, "vocode": 0.6, "splice": 0.9}  # shares of one piece
MADE_FROM, MADE_TO = 0.55, 0.97


class CancelledError(Exception):
    """The person has pressed Cancel; nothing was changed."""


class Watch:
    """What an editor calls at each step: shows it, or raises CancelledError.

    show: gets the share done (0..1, never falling) and a sentence. cancelled: set by the page.
    """

    def __init__(
        self,
        show: Callable[[float, str], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> None:
        self._show = show
        self._cancelled = cancelled
        self.pieces = 1  # how often the spectrogram will be filled
        self._filled = 0
        self.share = 0.0

    def __call__(self, step: str) -> None:
        if self._cancelled is not None and self._cancelled.is_set():
            raise CancelledError
        if step in MAKING:
            self._filled += step == "fill"
            piece = (max(self._filled - 1, 0) + MAKING[step]) / max(self.pieces, 1)
            reached = MADE_FROM + (MADE_TO - MADE_FROM) * min(piece, 1.0)
        else:
            reached = BEGINS.get(step, MADE_TO)
        self.share = max(self.share, reached)
        if self._show is not None:
            self._show(self.share, texts.STEPS.get(step, step))
