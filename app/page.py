"""The page: a tab for editing, a tab for speaking, and the endpoints for programs."""

from __future__ import annotations

import gradio as gr

from app import limits, texts
from app.api import add_endpoints
from app.error_sentences import Page
from app.gradio_queue import cancelling
from app.service import Service
from app.settings import Settings
from app.speak_tab import SpeakTab

WAITING = 24  # length of the queue; further requests are rejected with "try again"

# The script lives in modules of its own (app/web), which the server serves as they are.
BEGIN = """
const root = ((window.gradio_config && window.gradio_config.root) || "").replace(/\\/$/, "");
import(`${root}/studio/web/main.js`).then((main) => main.begin(element, root));
"""


def build_page(service: Service) -> gr.Blocks:
    """The page over `service`, ready to launch."""
    with Page(
        title=texts.TITLE,
        analytics_enabled=False,
        fill_width=True,
        delete_cache=(limits.KEEP_SECONDS // 6, limits.KEEP_SECONDS),
    ) as page:
        with gr.Tab(texts.TAB_EDIT):
            gr.HTML(
                html_template='<div class="studio" data-part="studio"></div>',
                js_on_load=BEGIN,
                apply_default_css=False,
                elem_id="studio",
            )
            Settings()
        with gr.Tab(texts.TAB_SPEAK), gr.Column(elem_id="speak-tab"):
            SpeakTab(service)
        gr.Markdown(texts.CONSENT, elem_classes="consent")
        add_endpoints(service)
        page.unload(cancelling(service))
    page.queue(default_concurrency_limit=1, max_size=WAITING)
    return page
