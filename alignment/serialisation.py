"""Records to JSON and back, by the types of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Self, TypeVar

T = TypeVar("T")

MAX_PATH = 4096  # characters; systems have none longer, nor names above 255
OMITTED = {"omitted": True}
"""The metadata of a field whose default says nothing, and so is not written."""


_KNOWN: set[Any] = set()  # types that msgspec has met
_FINDING_OUT = Lock()


class Record:
    """A dataclass that goes to JSON and back by the types of its fields.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Place(Record):
    ...     name: str
    ...     span: tuple[int, int]
    >>> Place.from_json({"name": "here", "span": [3, 4]})
    Place(name='here', span=(3, 4))
    """

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """Return the record as dicts, lists, strings and numbers, as `json.dump` takes them."""
        written: dict[str, Any] = to_json(self)
        return written

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Invert `to_json`; raise ValueError as `from_json` of this module does."""
        return from_json(cls, data)


def to_json(value: Any) -> Any:
    """Return a value of dataclasses, tuples, sets, mappings and paths as plain JSON types."""
    if is_dataclass(value):
        return {
            each.name: to_json(attribute)
            for each in fields(value)
            for attribute in [getattr(value, each.name)]
            if not (each.metadata.get("omitted") and attribute == each.default)
        }
    if isinstance(value, tuple | list):
        return [to_json(each) for each in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Mapping):
        return {str(name): to_json(each) for name, each in value.items()}
    return str(value) if isinstance(value, Path) else value


def from_json(kind: type[T], data: object) -> T:
    """Return the value of this type that ``data`` stands for, in time linear in its length.

    Raises ValueError, naming the place, for a value of another type or out of its bounds
    (`msgspec.Meta`), and for a field that is missing; entries that the type lacks are ignored.

    >>> from_json(tuple[int, int], [3, 4])
    (3, 4)
    """
    import msgspec  # when it is first needed: training on a bare machine does without

    if kind not in _KNOWN:
        # What msgspec finds out about a type, it keeps with the type, and two threads that do so
        # at once end in a segmentation fault.
        with _FINDING_OUT:
            msgspec.json.Decoder(kind, dec_hook=_decoded)
            _KNOWN.add(kind)
    try:
        return msgspec.convert(data, kind, dec_hook=_decoded)
    except (msgspec.ValidationError, RecursionError, OverflowError) as error:
        raise ValueError(str(error)) from None


def _decoded(kind: type, value: Any) -> Any:
    if kind is not Path:
        raise NotImplementedError(f"{kind} has no form in JSON")
    if not isinstance(value, str) or len(value) > MAX_PATH or "\0" in value:
        raise ValueError("Expected a path")
    return Path(value)
