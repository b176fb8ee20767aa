"""Texts, plain or compressed with xz."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from pathlib import Path


def text_lines(path: Path) -> Iterator[str]:
    """The lines of a file, with their ends; it is compressed if its name ends in ``.xz``."""
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8") as lines:  # type: ignore[operator]
        yield from lines
