"""The page: a tab for editing, a tab for speaking, and the endpoints for programs."""

from __future__ import annotations

import gradio as gr

from app import limits, texts
from app.api import add_endpoints
from app.edit_tab import EditTab, cancelling
from app.error_sentences import Page
from app.service import Service
from app.speak_tab import SpeakTab

WAITING = 24  # length of the queue; further requests are rejected with "try again"


def build_page(service: Service) -> gr.Blocks:
    """The page over `service`, ready to launch."""
    with Page(
        title=texts.TITLE,
        analytics_enabled=False,
        delete_cache=(limits.KEEP_SECONDS // 6, limits.KEEP_SECONDS),
    ) as page:
        gr.Markdown(
            f"{texts.HEADING}\n{texts.introduction(limits.MAX_MEGABYTES, limits.MAX_SECONDS / 60)}"
        )
        with gr.Tab(texts.TAB_EDIT):
            EditTab(service)
        with gr.Tab(texts.TAB_SPEAK):
            SpeakTab(service)
        gr.Markdown(texts.CONSENT)
        add_endpoints(service)
        page.unload(cancelling(service))
    page.queue(default_concurrency_limit=1, max_size=WAITING)
    return page
