"""A plan printed by --plan --json, edited by hand and given back: the seconds of its words."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

from a3t.asked import Lengths
from a3t.errors import InputError

LARGEST_PLAN = 20_000_000  # bytes


@dataclass(frozen=True)
class PlanFile:
    """The two texts, and for each edit with new words or pauses the seconds of each of these."""

    text: str
    new_text: str
    lengths: Lengths


def read_plan(path: Path) -> PlanFile:
    """What a plan file says; InputError if it can't be read or is none."""
    try:
        if path.stat().st_size > LARGEST_PLAN:
            raise InputError(f"{path} is too large for a plan.")
        told = json.loads(path.read_text(encoding="utf-8"))
        lengths = tuple(
            tuple(_seconds(word["seconds"]) for word in edit["words"])
            for edit in told["edits"]
            if edit["words"]
        )
        return PlanFile(_text(told["text"]), _text(told["new_text"]), lengths)
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            f"{path} is not a plan: print one with --plan --json, and change nothing in it but the "
            "seconds of the words."
        ) from None


def _seconds(value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        raise ValueError(value)
    return float(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value
