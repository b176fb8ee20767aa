"""The page: the editor's place in a page of Gradio's, and the endpoints for programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr
from fastapi import FastAPI

from app import PageOptions, limits, texts
from app.guarding.visitors import Visitors
from app.page.page_endpoints import add_endpoints
from app.page.page_requests import Page, cancelling
from app.service import Service
from app.studio.routes import add_studio
from app.studio.studio import Studio

WAITING = 24  # length of the queue; further requests are rejected with "try again"

# The script lives in modules of its own (app/web), which the server serves as they are.
BEGIN = """
const root = ((window.gradio_config && window.gradio_config.root) || "").replace(/\\/$/, "");
import(`${root}/studio/web/main.js`).then((main) => main.begin(element, root));
"""


def build_page(service: Service) -> gr.Blocks:
    """The page over `service`, ready to mount."""
    with Page(
        title=texts.TITLE,
        analytics_enabled=False,
        fill_width=True,
        delete_cache=(limits.KEEP_SECONDS // 6, limits.KEEP_SECONDS),
    ) as page:
        gr.HTML(
            html_template='<div class="studio" data-part="studio"></div>',
            js_on_load=BEGIN,
            apply_default_css=False,
            elem_id="studio",
        )
        add_endpoints(service)
        page.unload(cancelling(service))
    page.queue(default_concurrency_limit=1, max_size=WAITING)
    return page


def add_page(app: FastAPI, service: Service, options: PageOptions, local_only: bool) -> None:
    """The page in the application, and the interface of its script."""
    projects = options.projects or service.folder / "projects"
    studio, visitors = Studio(service, projects), Visitors()
    studio.recogniser.is_offered = local_only
    add_studio(app, studio, visitors)
    page = build_page(service)
    # Gradio refuses paths that nobody uploaded only in a page that it launched itself: without
    # this, it copies any file that a request names into the uploads.
    page.has_launched = True
    settings: dict[str, Any] = {
        "auth": options.auth,
        "root_path": options.root_path or None,
        "show_error": False,
        "max_file_size": limits.MAX_MEGABYTES * 1_000_000,
        "ssr_mode": False,
        "footer_links": [],
        "enable_monitoring": False,
        "css": (Path(__file__).parent / "page.css").read_text(encoding="utf-8"),
    }
    gr.mount_gradio_app(app, page, "/", **settings)
    visitors.gradio_app = app.routes[-1].app  # type: ignore[attr-defined]
