"""Values of a JSON file that somebody else may have written."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from a3t.spans import Span
from a3t.text.phones import PHONES
from alignment import Alignment
from alignment.serialisation import MAX_PATH

MAX_RECORDING_SECONDS = 1e6  # seconds
MAX_NUMBER = 1e9  # of a time in seconds, and of every rate, level or score

Number = Annotated[float, msgspec.Meta(ge=-MAX_NUMBER, le=MAX_NUMBER)]
"""A finite number: NaN is neither above the one bound nor below the other."""
Count = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
"""A number of samples, frames or words, or the place of one."""

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
    if len(string(value)) > MAX_PATH:
        raise ValueError("path")
    return Path(string(value))


def span(value: Any) -> Span:
    """A span: two whole numbers."""
    first, last = value
    return int(first), int(last)


def optional(read: Callable[[Any], T], value: object) -> T | None:
    """The value as ``read`` reads it; None for None."""
    return None if value is None else read(value)


def alignment_of(value: object) -> Alignment:
    """An alignment, checked by `check_alignment`."""
    return check_alignment(Alignment.from_json(value))


def check_alignment(alignment: Alignment) -> Alignment:
    """ValueError unless an alignment's phones are ours, and its times in order."""
    clock = 0.0
    for phone in alignment.phones:
        if phone.symbol not in PHONES or not clock - 0.005 <= phone.start <= phone.end:
            raise ValueError(phone)
        clock = phone.end
    words = [word for word in alignment.words if not (word.phones and word.start <= word.end)]
    if words or not clock - 1.0 <= alignment.duration <= MAX_RECORDING_SECONDS:
        raise ValueError("alignment")
    return alignment
