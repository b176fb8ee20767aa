"""Turns errors into what the browser shows: one sentence, never a traceback."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import gradio as gr

from a3t.errors import InputError
from alignment import AlignmentError
from app import texts
from app.progress import CancelledError

log = logging.getLogger(__name__)


@contextmanager
def one_sentence() -> Iterator[None]:
    """Whatever goes wrong inside reaches the page as one sentence, and the log in full."""
    try:
        yield
    except (InputError, AlignmentError) as error:
        raise _error(str(error)) from None
    except CancelledError:
        raise _error(texts.CANCELLED) from None
    except Exception:
        log.exception("a request failed")
        raise _error(texts.FAILED) from None


def _error(sentence: str) -> gr.Error:
    # Gradio shows messages as HTML: what a person typed must stay text.
    plain = " ".join(sentence.split()).replace("<", "‹").replace(">", "›")
    return gr.Error(plain, print_exception=False)
