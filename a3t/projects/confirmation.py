"""Asks the user, before an edit, to confirm a recognised transcript and any doubts about it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from a3t.console import say
from a3t.errors import InputError
from a3t.source.transcripts import sidecar
from alignment import Alignment

if TYPE_CHECKING:
    from a3t.plan.edit_plan import EditPlan

SURE = 0.9  # words with a lower confidence are shown with it
CORRECT = "correct the text (--text) or the alignment (--alignment)"

SHOWN = 600  # characters of a sidecar's text to show; the user has the rest


def with_confidences(alignment: Alignment) -> str:
    """The spoken words, with the confidence of those below SURE: "see‹42%›"."""
    return " ".join(
        word.text if word.score >= SURE else f"{word.text}‹{word.score:.0%}›"
        for word in alignment.spoken
    )


def confirm_transcript(plan: EditPlan, ask: bool) -> None:
    """Print the transcript; with ``ask``, on a terminal, let the user confirm a recognised one and
    the plan.

    Raises InputError if the user declines.
    """
    beside = sidecar(plan.recording.path)
    if beside is not None:
        say(f"Transcript ({beside.name}): {_shown(plan.text.text)}")
        return
    say(f"Recognised: {with_confidences(plan.alignment)}")
    if not ask or not _on_a_terminal():
        return
    # The words that the new text lacks are the least certain, and the plan shows them.
    say(plan.describe())
    if _answer("Is this what the recording says? [Y/n] ") not in ("", "y", "yes"):
        raise InputError("Nothing was made: give the recording's text with --text.")


def show_restored(plan: EditPlan) -> None:
    """Print a transcript whose punctuation was restored."""
    if plan.restored:
        say(f"With punctuation (--no-punctuation leaves it out): {_shown(plan.text.text)}")


def offer_learning(plan: EditPlan, options: argparse.Namespace) -> None:
    """Say that --adapt could learn the recording's voice, unless somebody has refused that."""
    from a3t.voice.own_speech import PAYS_FROM

    unsaid = "A3T_ADAPT" not in os.environ and options.adapt == "never" and not options.voice
    spoken = any(edit.is_spoken for edit in plan.edits)
    if unsaid and spoken and plan.recording.seconds >= PAYS_FROM:
        say("New words can be made a little more like the speaker: --adapt learns the voice first.")


def _shown(text: str) -> str:
    text = text.strip()
    if len(text) <= SHOWN:
        return text
    return (
        f"{text[: SHOWN // 2].strip()} … {text[-SHOWN // 2 :].strip()} "
        f"({len(text.split()):,} words)"
    )


def doubts_of(plan: EditPlan, voice: str | None) -> list[str]:
    """All doubts about the edits, a sentence each; ``voice`` names the saved voice in use."""
    from a3t.plan.interrupted_music import music_doubt

    doubts = [str(doubt) for doubt in plan.doubts]
    doubts += filter(None, [music_doubt(plan)])
    if voice is not None and plan.edits:
        from a3t.model.saved_voices import load_voice
        from a3t.plan.likeness import voice_doubt

        doubts += filter(None, [voice_doubt(plan, load_voice(voice))])
    return doubts


def refuse_doubts(doubts: Sequence[str]) -> None:
    """Raises InputError if there are doubts about the edits."""
    reasons = [doubt.removesuffix(".") for doubt in doubts]
    if reasons:
        because = "; ".join(reason[0].lower() + reason[1:] for reason in reasons)
        raise InputError(f"Nothing was made, because {because}: {CORRECT}, or leave out --strict.")


def confirm_doubts(doubts: Sequence[str], ask: bool, strict: bool = False) -> None:
    """Print any doubts about the edits; with ``ask``, on a terminal, let the user confirm them.

    Raises InputError if the user declines, or, with ``strict``, if there are any.
    """
    if strict:
        refuse_doubts(doubts)
    for doubt in doubts:
        say(doubt)
    if not doubts or not ask or not _on_a_terminal():
        return
    if _answer("Make the edit anyway? [y/N] ") not in ("y", "yes"):
        raise InputError(f"Nothing was made: {CORRECT}, or use --yes.")


def _on_a_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _answer(question: str) -> str:
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower()
