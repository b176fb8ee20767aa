"""Errors as people are told of them: one sentence, never a traceback."""

from __future__ import annotations

import logging

from a3t.errors import InputError
from app import texts
from app.processes.progress import CancelledError

log = logging.getLogger(__name__)


def sentence_of(error: BaseException) -> str:
    """The sentence for an error; this program's own faults also go to the log in full."""
    if isinstance(error, InputError):
        return " ".join(str(error).split())
    if isinstance(error, CancelledError):
        return texts.CANCELLED
    log.error("a request failed", exc_info=error)
    return texts.FAILED
