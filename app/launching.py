"""The page, served by Gradio, and the editors behind it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.processes.worker import EditorProcess
    from app.service import Service


def background_editor() -> EditorProcess:
    """The editor for long work, which gives way to everything else on this machine."""
    from app.processes.worker import EditorProcess

    return EditorProcess(niceness=10)


def learning_editor() -> EditorProcess:
    """The editor that learns voices: last of all, and with bounded means."""
    from app.processes.worker import LEARNING_MEMORY, LEARNING_SECONDS, EditorProcess

    return EditorProcess(memory=LEARNING_MEMORY, seconds=LEARNING_SECONDS, niceness=19)


@contextmanager
def launch(
    service: Service,
    host: str,
    port: int | None,
    auth: tuple[str, str] | None = None,
    root_path: str = "",
    local_only: bool = False,
    projects: Path | None = None,
) -> Iterator[str]:
    """The page, served on `host` at `port` (None: a free one) while the context lasts; its address.

    projects: where they are kept; in the service's own folder if that isn't given.

    Raises OSError if the port can't be had, ModuleNotFoundError without gradio.
    """
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # read when gradio is imported
    from starlette.middleware import Middleware

    from app import limits
    from app.guarding.page_guard import Guard
    from app.page import build_page
    from app.studio.owners import Owners
    from app.studio.routes import interface
    from app.studio.studio import Studio

    visitors = Owners()
    studio = Studio(service, projects or service.folder / "projects")
    studio.recogniser.is_offered = local_only
    settings: dict[str, Any] = {
        "share": False,
        "quiet": True,
        "prevent_thread_lock": True,
        "max_file_size": limits.MAX_MEGABYTES * 1_000_000,
        "ssr_mode": False,
        "footer_links": [],
        "enable_monitoring": False,
        "css": (Path(__file__).parent / "page.css").read_text(encoding="utf-8"),
        "app_kwargs": {
            "middleware": [Middleware(Guard, folder=service.folder, local_only=local_only)],
            "routes": interface(studio, visitors),
        },
        # Leaves out gradio's look at its own page, which gives up after 3 s on a busy machine.
        "_frontend": False,
    }
    page = build_page(service)
    gradio_app, address, _ = page.launch(
        server_name=host, server_port=port, auth=auth, root_path=root_path or None, **settings
    )
    visitors.gradio_app = gradio_app
    try:
        yield address.rstrip("/")
    finally:
        page.close(verbose=False)
