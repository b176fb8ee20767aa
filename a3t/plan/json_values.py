"""Values of a JSON file that somebody else may have written."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from a3t.spans import Span
from a3t.text.phones import PHONES
from alignment import Alignment

LONGEST_RECORDING = 1e6  # seconds
LONGEST_PATH = 4096  # characters; systems have none longer, nor names above 255

T = TypeVar("T")


def finite_number(value: object) -> float:
    """A number that is finite; ValueError for anything else."""
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(value)
    return float(value)


def positive_number(value: object) -> float:
    """A finite number above 0; ValueError for anything else."""
    number = finite_number(value)
    if number <= 0:
        raise ValueError(value)
    return number


def string(value: object) -> str:
    """A string; TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def path(value: object) -> Path:
    """A path; ValueError for one that is longer than any system has."""
    if len(string(value)) > LONGEST_PATH:
        raise ValueError("path")
    return Path(string(value))


def span(value: Any) -> Span:
    """A span: two whole numbers."""
    first, last = value
    return int(first), int(last)


def optional(read: Callable[[Any], T], value: object) -> T | None:
    """The value as ``read`` reads it; None for None."""
    return None if value is None else read(value)


def alignment_of(value: Any) -> Alignment:
    """An alignment; ValueError unless its phones are ours, and its times in order."""
    alignment = Alignment.from_json(value)
    clock = 0.0
    for phone in alignment.phones:
        if phone.symbol not in PHONES or not clock - 0.005 <= phone.start <= phone.end:
            raise ValueError(phone)
        clock = phone.end
    words = [word for word in alignment.words if not (word.phones and word.start <= word.end)]
    if words or not clock - 1.0 <= alignment.duration <= LONGEST_RECORDING:
        raise ValueError("alignment")
    return alignment
