"""Entries of an edit.json in an earlier format, brought up by one migration a format.

Every entry that describes an edit says its "format"; the first one didn't.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from a3t.errors import InputError


class LaterFormatError(InputError):
    """A later version of a3t wrote a file."""


def _from_1(entry: dict[str, Any]) -> dict[str, Any]:
    """0.1.0 to 1.0.0: what an edit.json doesn't name, its version of a3t didn't do."""
    asked = {"punctuate": False, "moves": False} | dict(entry.get("asked") or {})
    return entry | {"asked": asked}


_MIGRATIONS: tuple[Callable[[dict[str, Any]], dict[str, Any]], ...] = (_from_1,)
FORMAT = len(_MIGRATIONS) + 1


def brought_up(data: object) -> dict[str, Any]:
    """The entry in today's format. ValueError if it isn't one; LaterFormatError."""
    if not isinstance(data, Mapping):
        raise ValueError("an edit")
    entry = dict(data)
    written = entry.get("format")
    written = 1 if written is None else written
    if type(written) is not int or written < 1:
        raise ValueError("format")
    if written > FORMAT:
        raise LaterFormatError(
            f"It was written by a later version of a3t (format {written}, and this one reads up to "
            f"{FORMAT}): update a3t."
        )
    for migrate in _MIGRATIONS[written - 1 :]:
        entry = migrate(entry)
    return entry | {"format": FORMAT}
