"""The endpoints for programs: /transcribe, /align, /plan, /edit, /tts (see the README).

Each stands alone: the recording is sent with the request, and nothing is remembered of it. Their
fields are components that the page doesn't show, which gives them types, checks uploads and serves
the results.
"""

from __future__ import annotations

from typing import Any

import gradio as gr

from a3t.errors import InputError
from app import limits, texts
from app.edit_tab import EDITOR
from app.sentences import one_sentence
from app.service import Service
from app.settings import MOST_SEED
from app.watching import Watch
from app.wishes import Wish, texts_of


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
    audio = gr.Audio(label="audio", type="filepath", **hidden)
    record = gr.File(label="record", **hidden)
    told = gr.JSON(label="result", **hidden)
    used = gr.Textbox(label="text", **hidden)

    def transcribe(recording: str | None, expected: str = "") -> str:
        """What the recording says; a text that it is likely to say helps."""
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
        """What an edit would do, in frames of 12.5 ms; nothing is rendered."""
        with one_sentence():
            wish = Wish(*texts_of(text, new_text), speed=float(speed))
            return service.plan_upload(recording, wish, Watch())

    def edit(
        recording: str | None, text: str, new_text: str, seed: int = 0, speed: float = 1.0
    ) -> tuple[str, str, str]:
        """The edited recording, its edit.json, and the transcript that was used."""
        with one_sentence():
            wish = Wish(*texts_of(text, new_text), seed=int(seed or 0), speed=float(speed))
            made, written, known = service.edit(recording, wish, Watch())
            return str(made), str(written), known

    def tts(
        prompt: str | None, text: str, prompt_text: str = "", seed: int = 0, speed: float = 1.0
    ) -> tuple[str, str, str]:
        """The text in the prompt's voice, its speech.json, and the prompt's text."""
        with one_sentence():
            wanted = limits.check_text(text, texts.THE_TEXT)
            if not wanted:
                raise InputError(texts.NO_TEXT_TO_SAY)
            known = limits.check_text(prompt_text, texts.THE_PROMPTS_TEXT)
            wish = Wish("", wanted, seed=int(seed or 0), speed=float(speed))
            made, written, heard = service.tts(prompt, known, wish, Watch())
            return str(made), str(written), heard

    line: dict[str, Any] = {"concurrency_id": EDITOR, "concurrency_limit": 1}
    ask.click(transcribe, [recording, expected], used, api_name="transcribe", **line)
    ask.click(align, [recording, text], told, api_name="align", **line)
    ask.click(plan, [recording, other_text, text, speed], told, api_name="plan", **line)
    ask.click(
        edit,
        [recording, text, other_text, seed, speed],
        [audio, record, used],
        api_name="edit",
        **line,
    )
    ask.click(
        tts,
        [recording, other_text, text, seed, speed],
        [audio, record, used],
        api_name="tts",
        **line,
    )
