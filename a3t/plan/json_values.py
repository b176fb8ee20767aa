"""Values of a JSON file that somebody else may have written."""

from __future__ import annotations

import math


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
