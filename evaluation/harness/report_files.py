"""Files that are written whole or line by line, and Markdown tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from a3t.audio.output.files import atomic_path
from a3t.errors import InputError
from training.text_lines import whole_lines


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table; a line break follows."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def write_text(path: Path, text: str) -> None:
    """Write a file whole, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_report(out: Path, name: str, page: str) -> None:
    """Write NAME.md into a folder, and print it."""
    write_text(out / f"{name}.md", page)
    print(page)


def cue(number: int, start: float, end: float, text: str) -> str:
    """Return a cue of SubRip's subtitles, from and to so many seconds."""

    def stamp(seconds: float) -> str:
        whole, thousandths = divmod(round(seconds * 1000), 1000)
        return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02},{thousandths:03}"

    return f"{number}\n{stamp(start)} --> {stamp(end)}\n{text}\n\n"


def json_line(value: Any) -> str:
    """Return a value as a line of JSON, arrays of NumPy as lists."""
    return json.dumps(value, default=_plain) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is nothing to write as JSON")


def read_lines(path: Path) -> list[Any]:
    """Read a file of JSON lines, and cut off one that a killed run left unfinished.

    Raises InputError if another line can't be read.
    """
    try:
        return [json.loads(line) for line in whole_lines(path)]
    except ValueError:
        raise InputError(f"{path} is not a file of rows of this command.") from None
