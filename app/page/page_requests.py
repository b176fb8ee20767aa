"""Gradio's events as requests to the service: jobs with progress, one-sentence errors, a cancel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr

from a3t.plan.edit_limits import shortened
from app import texts
from app.error_sentences import sentence_of
from app.processes.request_jobs import BusyError
from app.service import Service

PROGRESS = gr.Progress()
# The editors' lanes take requests one by one, long ones beside short ones.
LINE: dict[str, Any] = {"concurrency_id": "editor", "concurrency_limit": 4}


def asked(
    service: Service,
    name: str,
    *given: Any,
    page: str = "",
    show: Callable[[float, str], None] | None = None,
) -> Any:
    """The result of the service's method of that name, its files by name. page: Gradio's name
    for a connection, which nobody else knows."""
    with one_sentence():
        method = getattr(service, name)
        job = service.jobs.start(name, lambda watch: method(watch, *given), owner=page, show=show)
        job.outcome.exception()  # waits
        if job.error is not None:
            raise _error(job.error)
        made = job.outcome.result()
    return [str(x) for x in made] if isinstance(made, tuple) else made


def cancelling(service: Service) -> Callable[[gr.Request], None]:
    """An event's function that ends what the page waits for."""

    def cancel(request: gr.Request) -> None:
        if request.session_hash:
            service.jobs.cancel(request.session_hash)

    return cancel


@contextmanager
def one_sentence() -> Iterator[None]:
    """Whatever goes wrong inside reaches the page as one sentence."""
    try:
        yield
    except gr.Error:
        raise
    except BusyError:
        raise _error(texts.QUEUE_FULL) from None
    except Exception as error:
        raise _error(sentence_of(error)) from None


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
