"""JSON files of a project: missing, unreadable and later are three answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from a3t.audio.output.files import atomic_path
from a3t.errors import InputError
from a3t.plan.request import LaterFormatError
from alignment.serialisation import from_json

T = TypeVar("T")


class UnreadableError(InputError):
    """A file of a project is there but can't be read; whatever it holds stays as it is."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"This project's {path.name} can't be read ({reason}), and nothing was changed: try "
            "again, or put back an undamaged copy."
        )


def read_file(path: Path, kind: type[T], otherwise: T, newest: int = 1) -> T:
    """Return what a JSON file holds, ``otherwise`` if there is no such file.

    Raises
    ------
    UnreadableError
        If the file is there but can't be read, or doesn't hold this type.
    LaterFormatError
        If its format is later than the ``newest`` one that is known.
    """
    try:
        data = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return otherwise
    except OSError as error:
        raise UnreadableError(path, error.strerror or "an error of the disk") from None
    except (ValueError, RecursionError):
        raise UnreadableError(path, "it is damaged") from None
    written = data.get("format") if isinstance(data, dict) else None
    if type(written) is int and written > newest:
        raise LaterFormatError(
            f"This project's {path.name} was written by a later version of a3t, and nothing was "
            "changed: update a3t."
        )
    try:
        return from_json(kind, data)
    except ValueError:
        raise UnreadableError(path, "it is damaged") from None


def write_json(path: Path, value: object) -> None:
    """Write a JSON file, whole or not at all; the folder is made if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(value), encoding="utf-8")
