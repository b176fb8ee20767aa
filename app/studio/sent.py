"""What a page sends: the fields of its requests, each of the type that is asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from a3t.errors import InputError
from app import texts


@dataclass(frozen=True)
class Sent:
    """The JSON object of a request; a field of another type is as one that wasn't sent."""

    fields: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def read(cls, body: bytes) -> Sent:
        """Return a request's JSON object, an empty one for anything else.

        Raises
        ------
        InputError
            For numbers that no float holds, and for halves of characters: what is written has to be
            read again.
        """
        try:
            data = json.loads(body, parse_int=_whole)
        except (ValueError, RecursionError):
            return cls()
        try:
            json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
        except (ValueError, RecursionError):
            raise InputError(texts.WRONG_FIELDS) from None
        return cls(data if isinstance(data, dict) else {})

    def __contains__(self, name: str) -> bool:
        """Say whether a field was sent."""
        return name in self.fields

    def get(self, name: str) -> object:
        """Return a field as it was sent, None if it wasn't."""
        return self.fields.get(name)

    def text(self, name: str) -> str:
        """Return a text, "" for none."""
        return str(self.get(name) or "")

    def is_true(self, name: str) -> bool:
        """Return whether the field is true."""
        return self.get(name) is True

    def whole(self, name: str) -> int | None:
        """Return a whole number, None for anything else."""
        value = self.get(name)
        return value if type(value) is int else None

    def number(self, name: str, usual: float, least: float, most: float) -> float:
        """Return a number brought within its limits, the usual one for anything else."""
        value = self.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            return usual
        return min(max(float(value), least), most)


def _whole(digits: str) -> int | float:
    """Return a whole number; infinite with more digits than anything here has."""
    return int(digits) if len(digits) < 20 else float("inf")
