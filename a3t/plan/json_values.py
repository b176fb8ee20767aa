"""Values of a JSON file that somebody else may have written."""

from __future__ import annotations

import math

from a3t.text.phones import PHONES
from alignment import Alignment

LONGEST_RECORDING = 1e6  # seconds that an alignment may tell of


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


def checked_alignment(alignment: Alignment) -> Alignment:
    """The alignment itself; ValueError unless its phones are ours, and its times in order."""
    clock = 0.0
    for phone in alignment.phones:
        if phone.symbol not in PHONES or not clock - 0.005 <= phone.start <= phone.end:
            raise ValueError(phone)
        clock = phone.end
    words = [word for word in alignment.words if not (word.phones and word.start <= word.end)]
    if words or not clock - 1.0 <= alignment.duration <= LONGEST_RECORDING:
        raise ValueError("an alignment")
    return alignment
