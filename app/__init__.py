"""The web page over the editor, and HTTP for programs: `python -m app`, `a3t app`, `a3t serve`.

`application` is put together and served here, with limits and the service behind it. Who may ask is
in `guard`, the editors are in `processes`, /v1 is in `server`, Gradio's pages are in `front`, the
script editor in `studio`, and its script in `web`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class PageOptions:
    """The page, where there is one.

    auth: the name and password of who may log in. root_path: the path under which a proxy shows it.
    projects: their folder, in the service's own if that isn't given. frame_from: whose pages may
    frame it: a site such as huggingface.co, or an origin. share: whether Gradio's servers pass it
    on to whoever has the address.
    """

    auth: tuple[str, str] | None = None
    root_path: str = ""
    projects: Path | None = None
    frame_from: str = ""
    share: bool = False
