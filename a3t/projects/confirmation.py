"""A transcript that nobody typed is shown with its confidences, and asked about on a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from a3t.console import say
from a3t.errors import InputError
from a3t.source.transcripts import sidecar
from alignment import Alignment

if TYPE_CHECKING:
    from a3t.plan.edit_plan import EditPlan

SURE = 0.9  # the confidence from which a word is shown without it
SHOWN = 600  # letters of a text beside a recording that are shown; who wrote it has it


def with_confidences(alignment: Alignment) -> str:
    """The spoken words; those that are less than SURE with their confidence: "see‹42%›"."""
    return " ".join(
        word.text if word.score >= SURE else f"{word.text}‹{word.score:.0%}›"
        for word in alignment.spoken
    )


def confirm_transcript(plan: EditPlan, ask: bool) -> None:
    """Say what the recording says; with ``ask``, on a terminal, a person must agree to what was
    recognised, and to what would be done.

    Raises InputError when they don't.
    """
    beside = sidecar(plan.recording.path)
    if beside is not None:
        text = plan.text.text.strip()
        if len(text) > SHOWN:
            count = f"{len(text.split()):,} words"
            text = f"{text[: SHOWN // 2].strip()} … {text[-SHOWN // 2 :].strip()} ({count})"
        say(f"Transcript ({beside.name}): {text}")
        return
    say(f"Recognised: {with_confidences(plan.alignment)}")
    if not ask or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    # Words that the new text doesn't have are the least sure: the plan names them.
    say(plan.describe())
    print("Is this what the recording says? [Y/n] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("", "y", "yes"):
        raise InputError("Nothing was made: give what the recording says with --text.")
