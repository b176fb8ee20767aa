"""Texts, plain or compressed with xz."""

from __future__ import annotations

import lzma
import os
from collections.abc import Iterator
from pathlib import Path


def text_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, with their ends; a name that ends in ``.xz`` is compressed."""
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8") as lines:  # type: ignore[operator]
        yield from lines


def whole_lines(path: Path) -> list[str]:
    """Return the lines of a file to which a program appends, none if there is no file.

    A last line that a kill cut off is removed from it.
    """
    if not path.is_file():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        os.truncate(path, len(whole))
    return whole.decode().splitlines()
