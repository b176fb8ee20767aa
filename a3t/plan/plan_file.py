"""Word durations from a plan that was printed by --plan --json and edited by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.errors import InputError
from a3t.plan.json_values import positive_number, string

if TYPE_CHECKING:
    from a3t.plan.edit_plan import EditPlan

MAX_PLAN_BYTES = 20_000_000  # bytes


def read_plan(path: Path) -> dict[str, Any]:
    """The fields of `EditRequest` that a plan file sets: its two texts, and for each edit with new
    words or pauses the seconds of each of these. InputError if it isn't a plan."""
    try:
        if path.stat().st_size > MAX_PLAN_BYTES:
            raise InputError(f"{path} is too large for a plan.")
        plan = json.loads(path.read_bytes())
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
        raise _not_a_plan(path) from None


def check_plan(path: Path, made: EditPlan) -> None:
    """InputError if a plan file doesn't fit the plan made from it: it is for another recording, or
    more than its seconds was changed."""
    try:
        plan = json.loads(path.read_bytes())
        sha256 = plan["source"]["sha256"]
        words = [word["word"] for edit in plan["edits"] for word in edit["words"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise _not_a_plan(path) from None
    if sha256 != made.recording.sha256:
        raise InputError(
            f"{path} is not a plan for {made.recording.path} (the sha256 differs): plan the edit "
            "again."
        )
    planned = [word.to_json()["word"] for edit in made.edits for word in edit.words]
    for told, word in zip(words, planned, strict=False):
        if told != word:
            raise InputError(
                f"{path} has “{told}” where its new text has “{word}”: change only the seconds, "
                "and plan the edit again for other words."
            )


def _not_a_plan(path: Path) -> InputError:
    return InputError(
        f"{path} is not a plan: print one with --plan --json, and change only the seconds of its "
        "words."
    )
