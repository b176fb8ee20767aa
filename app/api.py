"""The endpoints for programs: /transcribe, /align, /plan, /edit, /tts (docs/python.md).

Each stands alone: the recording is sent with the request, and nothing is remembered of it. Their
fields are components that the page doesn't show, which gives them types, checks uploads and serves
the results.
"""

from __future__ import annotations

from typing import Any

import gradio as gr

from a3t.errors import InputError
from a3t.plan.request import EditRequest, SpeechRequest
from app import limits, texts
from app.error_sentences import one_sentence
from app.gradio_queue import AT_ONCE, EDITOR
from app.processes.progress import Watch
from app.service import Service
from app.settings import MOST_SEED


def wanted(
    text: str, new_text: str, speed: float, seed: int = 0, adapt: str = "never"
) -> EditRequest:
    """The edit that an endpoint's fields request; InputError if a value is out of range."""
    old, new = limits.texts_of(text, new_text)
    return EditRequest(new_text=new, text=old, speed=number(speed), seed=whole(seed), adapt=adapt)


def speech_wanted(
    text: str, prompt_text: str, seed: float | None, speed: float | None, adapt: str
) -> SpeechRequest:
    """The speech that those fields request; InputError without a text, or out of range."""
    to_say = limits.check_text(text, texts.THE_TEXT)
    if not to_say:
        raise InputError(texts.NO_TEXT_TO_SAY)
    known = limits.check_text(prompt_text, texts.THE_PROMPTS_TEXT)
    return SpeechRequest(
        text=to_say,
        prompt_text=known or None,
        speed=number(speed),
        seed=whole(seed),
        adapt=adapt,
    )


def number(value: float | None) -> float:
    """A field's number; InputError for anything else, and for integers that no float holds."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise InputError(texts.WRONG_FIELDS) from None


def whole(value: float | None) -> int:
    """A field's whole number, 0 if it is empty; InputError for anything else."""
    try:
        return int(value or 0)
    except (TypeError, ValueError, OverflowError):
        raise InputError(texts.WRONG_FIELDS) from None


def add_endpoints(service: Service) -> None:
    """Called inside a `gr.Blocks`."""
    hidden: dict[str, Any] = {"visible": False}
    ask = gr.Button("", **hidden)
    recording = gr.Audio(label="recording", type="filepath", sources=["upload"], **hidden)
    text = gr.Textbox("", label="text", **hidden)
    other_text = gr.Textbox("", label="new_text", **hidden)
    expected = gr.Textbox("", label="expected", **hidden)
    seed = gr.Number(0, label="seed", precision=0, minimum=0, maximum=MOST_SEED, **hidden)
    speed = gr.Number(1.0, label="speed", **hidden)
    adapt = gr.Textbox("never", label="adapt", **hidden)
    audio = gr.Audio(label="audio", type="filepath", **hidden)
    record = gr.File(label="record", **hidden)
    result = gr.JSON(label="result", **hidden)
    used = gr.Textbox(label="text", **hidden)

    def transcribe(recording: str | None, expected: str = "") -> str:
        """Transcribe the recording; a text close to what it says helps."""
        with one_sentence():
            prior = limits.check_text(expected, texts.THE_EXPECTED_TEXT)
            return service.transcribe(recording, prior, Watch())

    def align(recording: str | None, text: str = "") -> dict[str, Any]:
        """Words and phones with start, end (seconds) and confidence (0..1)."""
        with one_sentence():
            typed = limits.check_text(text, texts.THE_TRANSCRIPT)
            return service.align(recording, typed, Watch()).to_json()

    def plan(
        recording: str | None, new_text: str, text: str = "", speed: float = 1.0
    ) -> dict[str, Any]:
        """Plan an edit, in frames of 12.5 ms; nothing is rendered."""
        with one_sentence():
            return service.plan_upload(recording, wanted(text, new_text, speed), Watch())

    def edit(
        recording: str | None,
        text: str,
        new_text: str,
        seed: int = 0,
        speed: float = 1.0,
        adapt: str = "never",
    ) -> tuple[str, str, str]:
        """The edited recording, its edit.json, and the transcript that was used. adapt: when its
        voice is learnt first, as for `a3t edit`."""
        with one_sentence():
            request = wanted(text, new_text, speed, seed, adapt)
            made, written, known = service.edit(recording, request, Watch())
            return str(made), str(written), known

    def tts(
        prompt: str | None,
        text: str,
        prompt_text: str = "",
        seed: int = 0,
        speed: float = 1.0,
        adapt: str = "never",
    ) -> tuple[str, str, str]:
        """The text in the prompt's voice, its speech.json, and the prompt's text. adapt: when the
        voice is learnt first, as for `a3t tts`."""
        with one_sentence():
            request = speech_wanted(text, prompt_text, seed, speed, adapt)
            made, written, prompt_said = service.tts(prompt, request, Watch())
            return str(made), str(written), prompt_said

    line: dict[str, Any] = {"concurrency_id": EDITOR, "concurrency_limit": AT_ONCE}
    ask.click(transcribe, [recording, expected], used, api_name="transcribe", **line)
    ask.click(align, [recording, text], result, api_name="align", **line)
    ask.click(plan, [recording, other_text, text, speed], result, api_name="plan", **line)
    ask.click(
        edit,
        [recording, text, other_text, seed, speed, adapt],
        [audio, record, used],
        api_name="edit",
        **line,
    )
    ask.click(
        tts,
        [recording, other_text, text, seed, speed, adapt],
        [audio, record, used],
        api_name="tts",
        **line,
    )
