"""What Gradio's pages need: jobs with progress, errors of one sentence, and options as fields."""

from __future__ import annotations

import asyncio
import sys
import warnings
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from importlib import import_module
from inspect import Parameter, Signature, signature
from shutil import which
from types import ModuleType
from typing import Any

import gradio as gr
import numpy as np
from fastapi import FastAPI, Request

from a3t.audio.matching.traits import MatchedTraits
from a3t.grid import SAMPLE_RATE
from a3t.plan.edit_limits import shortened
from a3t.plan.options import Option
from app import limits, texts
from app.processes.request_jobs import BusyError, Watch, pieces_of, sentence_of
from app.service import Service

PIECE_SAMPLES = SAMPLE_RATE // 4  # of the speech that is streamed
PACE_S = 0.1  # from piece to piece, faster than they are heard
CSS = """
#script-editor { width: 100%; height: calc(100dvh - 6rem); border: 0 }
@media (max-width: 40rem) { #script-editor { height: calc(100dvh - 11rem) } }
.editor-frame { padding: 0 !important } footer { margin: 0 !important }
.editor-frame h1 { position: absolute; clip-path: inset(50%); width: 1px; height: 1px }
#time, #duration, .playback { color: var(--body-text-color-subdued) !important }
.dark #preview :is(span, button) { color: var(--body-text-color) !important }
"""
THEME = gr.themes.Base(font=["sans-serif"], font_mono=["monospace"]).set(
    body_text_color_subdued="*neutral_600",  # the theme's own is too faint to read
    block_info_text_color="*neutral_600",
    button_primary_background_fill="*primary_600",
    button_primary_background_fill_hover="*primary_700",
)


class Requests:
    """Runs the service's work as jobs of the visitor's, with progress, until done or cancelled."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def run(self, work: Callable[..., Any], progress: gr.Progress, *given: Any) -> Any:
        """Return the result of ``work(watch, *given)``; every error is a gr.Error of a sentence."""
        return [each async for each in self.pieces(work, progress, *given)][-1]

    async def pieces(
        self, work: Callable[..., Any], progress: gr.Progress, *given: Any
    ) -> AsyncIterator[Any]:
        """Yield what ``work`` hands to its watch, in short pieces, then its result.

        Short and not at once: Gradio's encoder of a stream begins with the first piece, and what it
        has not encoded by then is heard with the next one.
        """
        ready: deque[np.ndarray] = deque()

        def begin(watch: Watch) -> Any:
            def take(sound: np.ndarray) -> None:
                ready.extend(np.split(sound, range(PIECE_SAMPLES, len(sound), PIECE_SAMPLES)))

            watch.take = take if which("ffmpeg") else None  # without which Gradio has no streams
            return work(watch, *given)

        def look() -> None:
            progress(job.watch.share, desc=job.watch.sentence or texts.STEP_SENTENCES["load"])

        try:
            job = self.service.jobs.start(work.__name__, begin)
            async for piece in pieces_of(job, ready, look):
                yield piece
                await asyncio.sleep(0 if job.outcome.done() else PACE_S)
            yield job.outcome.result()
        except BusyError:
            raise error(texts.QUEUE_FULL) from None
        except Exception as raised:
            raise error(sentence_of(raised)) from None


def error(sentence: str) -> gr.Error:
    """Return a sentence as Gradio's error, which is shown as HTML: what was typed stays text."""
    plain = " ".join(sentence.split()).replace("<", "‹").replace(">", "›")
    return gr.Error(plain, print_exception=False)


class Pages(gr.Blocks):  # type: ignore[misc]
    """Blocks that answer fields of wrong types or paths with one sentence."""

    async def preprocess_data(self, *args: Any, **options: Any) -> list[Any]:
        """Return the values of a request's fields, checked by their components."""
        try:
            values: list[Any] = await super().preprocess_data(*args, **options)
        except gr.Error as raised:  # of a component: a number out of range
            raise error(shortened(str(raised.message), 200)) from None
        except Exception:
            raise error(texts.WRONG_FIELDS) from None
        return values


def option_field(row: Option) -> gr.components.Component:
    """Return a field for a row of the table of options (`a3t.plan.options`)."""
    named: dict[str, Any] = {"label": row.name.capitalize(), "info": row.sentence}
    if row.kind is MatchedTraits:
        return gr.CheckboxGroup(list(row.choices), value=list(row.default.names), **named)
    if row.kind is bool:
        return gr.Checkbox(row.default, **named)
    if row.least is None or row.most is None or row.most > 1000 or row.default is None:
        whole = 0 if row.kind is int else None
        return gr.Number(row.default, precision=whole, minimum=row.least, **named)
    step = 1 if row.kind is int else None
    return gr.Slider(row.least, row.most, row.default, step=step, **named)


def with_arguments(function: Callable[..., Any], names: Sequence[str]) -> Callable[..., Any]:
    """Name a handler's further arguments, as programs send them, and last the progress."""
    own = list(signature(function).parameters.values())[:-1]
    further = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    last = Parameter("progress", Parameter.POSITIONAL_OR_KEYWORD, default=gr.Progress())
    function.__signature__ = Signature([*own, *further, last])  # type: ignore[attr-defined]
    return function


def mount(
    app: FastAPI, pages: gr.Blocks, user: Callable[[Request], str | None] | None, root: str
) -> None:
    """Mount the pages at the application's root; ``user`` names who has logged in."""
    pages.run_history = False  # nothing is remembered
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "SSR mode", UserWarning)  # told of any app of pages
        gr.mount_gradio_app(
            app, pages, "/", auth_dependency=user, root_path=root or None, show_error=False,
            max_file_size=limits.MAX_MEGABYTES * 1_000_000, ssr_mode=False,
            enable_monitoring=False, theme=THEME, css=CSS,
            head=f'<script type="module" src="{root}/studio/web/frame.js"></script>',
        )  # fmt: skip


class CallableModule(ModuleType):
    """A module that makes an `app.notebook.Front` when it is called."""

    def __call__(self, **options: Any) -> Any:
        """Return the editor for a notebook."""
        return import_module(".notebook", __package__).Front(**options)


def make_callable(module: str) -> None:
    """Make a module callable, for `from app import front; front().launch()`."""
    sys.modules[module].__class__ = CallableModule
