"""Word durations from a plan that was printed by --plan --json and edited by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from a3t.errors import InputError
from a3t.plan.json_values import positive_number, string

LARGEST_PLAN = 20_000_000  # bytes


def read_plan(path: Path) -> dict[str, Any]:
    """The fields of `EditRequest` that a plan file sets: its two texts, and for each edit with new
    words or pauses the seconds of each of these. InputError if it isn't a plan."""
    try:
        if path.stat().st_size > LARGEST_PLAN:
            raise InputError(f"{path} is too large for a plan.")
        plan = json.loads(path.read_text(encoding="utf-8"))
        lengths = tuple(
            tuple(positive_number(word["seconds"]) for word in edit["words"])
            for edit in plan["edits"]
            if edit["words"]
        )
        text, new_text = string(plan["text"]), string(plan["new_text"])
        return {"text": text, "new_text": new_text, "lengths": lengths}
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        raise InputError(
            f"{path} is not a plan: print one with --plan --json, and change only the seconds of "
            "its words."
        ) from None
