"""What a person is asked before an edit is made: is the transcript right, and are the doubts."""

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
CORRECT = "correct the text (--text) or the alignment (--alignment)"

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
    if not ask or not _on_a_terminal():
        return
    # Words that the new text doesn't have are the least sure: the plan names them.
    say(plan.describe())
    if _answer("Is this what the recording says? [Y/n] ") not in ("", "y", "yes"):
        raise InputError("Nothing was made: give what the recording says with --text.")


def refuse_doubts(plan: EditPlan) -> None:
    """Raises InputError when something is doubtful at the edits."""
    reasons = [str(doubt).removesuffix(".") for doubt in plan.doubts]
    if reasons:
        found = "; ".join(reason[0].lower() + reason[1:] for reason in reasons)
        raise InputError(f"Nothing was made, because {found}: {CORRECT}.")


def confirm_doubts(plan: EditPlan, ask: bool) -> None:
    """Say what is doubtful at the edits; with ``ask``, on a terminal, a person must agree to go on.

    Raises InputError when they don't.
    """
    for doubt in plan.doubts:
        say(str(doubt))
    if not plan.doubts or not ask or not _on_a_terminal():
        return
    if _answer("Make the edit all the same? [y/N] ") not in ("y", "yes"):
        raise InputError(f"Nothing was made: {CORRECT}, or say --yes.")


def _on_a_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _answer(question: str) -> str:
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower()
