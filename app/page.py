"""The page itself: what stands on it, and which button calls what."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import gradio as gr

from a3t.errors import InputError
from app import limits
from app.service import Service

log = logging.getLogger(__name__)

INTRODUCTION = f"""# Change what a recording says
Upload a recording of English speech, type what it says, type what it should say, and press
**Make it**. Only the words that differ are made anew; everything else stays as it was recorded.
At most {limits.MAX_MEGABYTES} MB and {limits.MAX_SECONDS // 60} minutes.
"""
CONSENT = (
    "Edit only recordings of yourself, or of people who have agreed to it, and tell those who "
    "listen that the recording was edited: the downloadable edit.json says where."
)


def build_page(service: Service) -> gr.Blocks:
    """The page over `service`, ready to launch."""
    with gr.Blocks(title="a3t speech editor", analytics_enabled=False) as page:
        gr.Markdown(INTRODUCTION)
        with gr.Row():
            with gr.Column():
                # As a path: gradio's own decoding ("numpy") needs ffmpeg for anything but WAV.
                recording = gr.Audio(
                    label="Recording", type="filepath", sources=["upload"], buttons=["download"]
                )
                text = gr.Textbox(
                    label="Transcript",
                    lines=3,
                    placeholder="What the recording says; left empty, it is recognised",
                )
                recognise = gr.Button("Recognise the transcript", size="sm")
                new_text = gr.Textbox(
                    label="New text", lines=3, placeholder="What it should say instead"
                )
                with gr.Accordion("More", open=False):
                    seed = gr.Number(
                        label="Seed", value=0, precision=0, minimum=0, maximum=2**31 - 1
                    )
                make = gr.Button("Make it", variant="primary")
            with gr.Column():
                edited = gr.Audio(
                    label="Edited recording",
                    type="filepath",
                    interactive=False,
                    buttons=["download"],
                )
                picture = gr.Image(label="Before and after", type="filepath", interactive=False)
                record = gr.File(label="edit.json: what was changed, in samples")
        gr.Markdown(CONSENT)

        def on_make(
            upload: str | None, text: str | None, new_text: str | None, seed: float | None
        ) -> tuple[str, str, str, str]:
            with one_sentence():
                made = service.edit(upload, text, new_text, int(seed or 0))
            return str(made.audio), str(made.picture), str(made.record), made.text

        def on_recognise(upload: str | None, new_text: str | None) -> str:
            with one_sentence():
                return service.recognise(upload, new_text)

        make.click(
            on_make,
            [recording, text, new_text, seed],
            [edited, picture, record, text],
            show_progress_on=[edited, picture],
            api_name="edit",
        )
        recognise.click(on_recognise, [recording, new_text], text, api_name="recognise")
    # One edit at a time: a second one would only slow the first on a machine of few cores.
    page.queue(default_concurrency_limit=1, max_size=16)
    return page


@contextmanager
def one_sentence() -> Iterator[None]:
    """Whatever goes wrong inside reaches the page as one sentence, and the log as it is."""
    try:
        yield
    except InputError as error:
        raise gr.Error(str(error), print_exception=False) from None
    except Exception:
        log.exception("a request failed")
        raise gr.Error(
            "Something went wrong inside the editor; the person who runs this page finds it in "
            "the log.",
            print_exception=False,
        ) from None
