"""Gradio's endpoints for programs, and its login, which are all that the page needs of Gradio."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gradio as gr
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from a3t.plan.edit_limits import shortened
from app import PageOptions, limits, texts
from app.guard import Visitors
from app.processes.request_jobs import BusyError, sentence_of
from app.service import Service

# The editors' lanes take requests one by one, long ones beside short ones.
LINE: dict[str, Any] = {"concurrency_id": "editor", "concurrency_limit": 4}


def asked(service: Service, name: str, *given: Any) -> Any:
    """The result of the service's method of that name, its files by name."""
    with one_sentence():
        method = getattr(service, name)
        job = service.jobs.start(name, lambda watch: method(watch, *given))
        job.outcome.exception()  # waits
        if job.error is not None:
            raise _error(job.error)
        made = job.outcome.result()
    return [str(x) for x in made] if isinstance(made, tuple) else made


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


class Endpoints(gr.Blocks):  # type: ignore[misc]
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


MAX_SEED = 2**31 - 1

SOUND = ["audio", "record", "used"]
# The service's methods, and what each gives.
ENDPOINTS = {
    "transcribe": ["used"], "align": ["result"], "plan": ["result"], "edit": SOUND, "tts": SOUND
}  # fmt: skip


def add_endpoints(service: Service) -> None:
    """Add /transcribe, /align, /plan, /edit and /tts (docs/python.md), inside a `gr.Blocks`.

    Each is one of the service's methods, and stands alone: the recording is sent with the request,
    and nothing is remembered of it. Their fields are components that the page doesn't show, which
    give them types, check uploads and serve the results.
    """
    hidden: dict[str, Any] = {"visible": False}
    recording = gr.Audio(label="recording", type="filepath", sources=["upload"], **hidden)
    fields = {
        "recording": recording,
        "prompt": recording,
        "text": gr.Textbox("", label="text", **hidden),
        "new_text": gr.Textbox("", label="new_text", **hidden),
        "prompt_text": gr.Textbox("", label="prompt_text", **hidden),
        "expected": gr.Textbox("", label="expected", **hidden),
        "seed": gr.Number(0, label="seed", precision=0, minimum=0, maximum=MAX_SEED, **hidden),
        "speed": gr.Number(1.0, label="speed", **hidden),
    }
    results = {
        "audio": gr.Audio(label="audio", type="filepath", **hidden),
        "record": gr.File(label="record", **hidden),
        "result": gr.JSON(label="result", **hidden),
        "used": gr.Textbox(label="text", **hidden),
    }
    ask = gr.Button("", **hidden)
    for name, gives in ENDPOINTS.items():
        call = _function(service, name)
        inputs = [fields[field] for field in inspect.signature(call).parameters]
        ask.click(call, inputs, [results[each] for each in gives], api_name=name, **LINE)


def _function(service: Service, name: str) -> Any:
    """A function with the name, the fields and the description of the service's method."""
    method = getattr(service, name)

    def call(*given: Any) -> Any:
        return asked(service, name, *given)

    fields = list(inspect.signature(method).parameters.values())[1:]  # without the watch
    call.__signature__ = inspect.Signature(fields)  # type: ignore[attr-defined]
    call.__name__, call.__doc__ = name, method.__doc__
    return call


WAITING = 24  # length of the queue; further requests are rejected with "try again"


def gradio_app(service: Service, options: PageOptions, visitors: Visitors) -> FastAPI:
    """Gradio's application, whose logins the visitors are known by from now on."""
    clear = (limits.KEEP_SECONDS // 6, limits.KEEP_SECONDS)
    with Endpoints(title=texts.TITLE, analytics_enabled=False, delete_cache=clear) as blocks:
        add_endpoints(service)
    blocks.queue(default_concurrency_limit=1, max_size=WAITING)
    # Gradio refuses paths that nobody uploaded only in a page that it launched itself: without
    # this, it copies any file that a request names into the uploads.
    blocks.has_launched = True
    settings: dict[str, Any] = {
        "auth": options.auth,
        "root_path": options.root_path or None,
        "show_error": False,
        "max_file_size": limits.MAX_MEGABYTES * 1_000_000,
        "ssr_mode": False,
        "enable_monitoring": False,
    }
    app = FastAPI()
    gr.mount_gradio_app(app, blocks, "/", **settings)
    visitors.gradio_app = app.routes[-1].app  # type: ignore[attr-defined]
    visitors.gradio_app.add_exception_handler(RequestValidationError, _no_request)
    return app


def _no_request(request: Request, error: Exception) -> JSONResponse:
    """Without what was sent, which Gradio would repeat: JSON has no words for infinity."""
    return JSONResponse({"detail": texts.WRONG_FIELDS}, 422)
