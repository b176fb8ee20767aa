"""The endpoints for programs: /transcribe, /align, /plan, /edit, /tts (docs/python.md).

Each is one of the service's methods, and stands alone: the recording is sent with the request, and
nothing is remembered of it. Their fields are components that the page doesn't show, which gives
them types, checks uploads and serves the results.
"""

from __future__ import annotations

import inspect
from typing import Any

import gradio as gr

from app.page.page_requests import LINE, asked
from app.service import Service

MAX_SEED = 2**31 - 1

SOUND = ["audio", "record", "used"]
# The service's methods, and what each gives.
ENDPOINTS = {
    "transcribe": ["used"], "align": ["result"], "plan": ["result"], "edit": SOUND, "tts": SOUND
}  # fmt: skip


def add_endpoints(service: Service) -> None:
    """Called inside a `gr.Blocks`."""
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
