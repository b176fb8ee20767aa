"""The parts that Gradio's events share: the queue's name, its progress, the way to cancel."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from app.service import Service

PROGRESS = gr.Progress()
EDITOR = "editor"
AT_ONCE = 4  # requests; the editors' lanes take them one by one, long ones beside short ones


def page_of(request: gr.Request) -> str:
    """Gradio's name for this page's connection, which nobody else knows."""
    return request.session_hash or ""


def cancelling(service: Service) -> Callable[[gr.Request], None]:
    """An event's function that ends what the page waits for."""

    def cancel(request: gr.Request) -> None:
        service.running.cancel(page_of(request))

    return cancel
