"""Turns errors into what the browser shows: one sentence, never a traceback."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr

from a3t.errors import InputError
from a3t.plan.edit_limits import shortened
from alignment import AlignmentError
from app import texts
from app.processes.progress import CancelledError

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


class Page(gr.Blocks):  # type: ignore[misc]
    """Blocks that answer a request whose fields have wrong types or paths with one sentence.

    Gradio would answer `{"error": null}`, and write a traceback for each into the log.
    """

    async def preprocess_data(self, *args: Any, **options: Any) -> list[Any]:
        try:
            values: list[Any] = await super().preprocess_data(*args, **options)
        except gr.Error as error:  # of a component: a number out of range
            raise _error(shortened(str(error.message), 200)) from None
        except Exception:
            raise _error(texts.WRONG_FIELDS) from None
        return values
