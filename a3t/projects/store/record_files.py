"""JSON files of a project: missing, unreadable and later are three answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from a3t.audio.output.files import atomic_path
from a3t.errors import InputError
from a3t.plan.request import LaterFormatError
from alignment.serialisation import Record, from_json

T = TypeVar("T")


class UnreadableError(InputError):
    """A file of a project is there but can't be read; whatever it holds stays as it is."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(
            f"This project's {path.name} can't be read ({reason}), and nothing was changed: try "
            "again, or put back an undamaged copy."
        )


def read_file(path: Path, kind: type[T], otherwise: T) -> T:
    """Return what a JSON file holds, ``otherwise`` if there is no such file.

    Raises UnreadableError if the file is there but can't be read, or doesn't hold this type.
    """
    try:
        data = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return otherwise
    except OSError as error:
        raise UnreadableError(path, error.strerror or "an error of the disk") from None
    except (ValueError, RecursionError):
        raise UnreadableError(path, "it is damaged") from None
    try:
        return from_json(kind, data)
    except ValueError:
        raise UnreadableError(path, "it is damaged") from None


class StoredRecord(Record):
    """A record that is a file of a project, with the number of its format.

    stored_in: the file's name, "" where a project has several. migrations: each from a format's
    JSON to the next one's; a file without a number is of format 1.
    """

    stored_in: ClassVar[str] = ""
    migrations: ClassVar[tuple[Callable[[Any], Any], ...]] = ()

    @classmethod
    def newest(cls) -> int:
        """Return the format that is written."""
        return len(cls.migrations) + 1

    def to_json(self) -> dict[str, Any]:
        """Return the record's JSON, with its format."""
        return {"format": self.newest(), **super().to_json()}

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Return the record of any format so far.

        Raises ValueError if it is none, LaterFormatError if its format isn't known yet.
        """
        written = data.get("format", 1) if isinstance(data, dict) else 1
        if type(written) is not int or written < 1:
            raise ValueError("format")
        if written > cls.newest():
            raise LaterFormatError("A later version of a3t wrote this project: update a3t.")
        try:
            for migrate in cls.migrations[written - 1 :]:
                data = migrate(data)
        except (KeyError, TypeError, AttributeError):
            raise ValueError("an earlier format") from None
        return from_json(cls, data)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return what a file holds, the record without anything if there is none.

        Raises
        ------
        UnreadableError
            If the file is there but can't be read, or holds something else.
        LaterFormatError
            If a later version wrote it.
        """
        data = read_file(path, Any, None)
        try:
            return cls() if data is None else cls.from_json(data)
        except LaterFormatError:
            raise LaterFormatError(
                f"This project's {path.name} was written by a later version of a3t, and nothing "
                "was changed: update a3t."
            ) from None
        except (ValueError, TypeError):
            raise UnreadableError(path, "it is damaged") from None


def write_json(path: Path, value: object) -> None:
    """Write a JSON file, whole or not at all; the folder is made if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        temporary.write_text(json.dumps(value), encoding="utf-8")
