"""Asks the user, before an edit, to confirm a recognised transcript and any doubts about it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from a3t.console import say
from a3t.errors import InputError, UnchangedError
from a3t.source.transcripts import sidecar
from a3t.text.transcript import Transcript
from alignment import Alignment

if TYPE_CHECKING:
    from a3t.editor import Editor
    from a3t.plan.edit_plan import EditPlan
    from a3t.projects.project_edit import ProjectEdit

SURE = 0.9  # words with a lower confidence are shown with it
CORRECT = "correct the text (--text) or the alignment (--alignment)"

SHOWN = 600  # characters of a sidecar's text to show; the user has the rest


def with_confidences(alignment: Alignment) -> str:
    """The spoken words, with the confidence of those below SURE: "see‹42%›"."""
    return " ".join(
        word.text if word.score >= SURE else f"{word.text}‹{word.score:.0%}›"
        for word in alignment.spoken
    )


def offer_recogniser(
    recording: Path, text: object, alignment: object, recogniser: str = "auto"
) -> None:
    """Ask on a terminal whether a better recogniser is to be fetched, if one will be needed."""
    if text is None and alignment is None and sidecar(recording) is None:
        from a3t.fetching.fetch_recogniser import offer

        offer(recogniser)


def confirmed_plan(editor: Editor, job: ProjectEdit, ask: bool) -> tuple[ProjectEdit, EditPlan]:
    """The job's plan, and the job with the text that the user, asked on a terminal, confirmed or
    corrected; raises the errors of `Editor.plan`, and InputError if the user declines."""
    found = job.request.text is None and job.request.alignment is None
    try:
        plan = job.plan(editor)
    except UnchangedError as unchanged:
        if not (ask and unchanged.rival and _on_a_terminal()):
            raise
        say(f"{unchanged}\nAt its weakest place it may say: {unchanged.rival}")
        if _answer("Does it say this? [y/N] ") not in ("y", "yes"):
            raise InputError(f"Nothing was made: {_save_it(job.recording.path)}") from None
        job = job.saying(unchanged.rival)
        plan = job.plan(editor)
    while found and (text := confirm_transcript(plan, ask)) is not None:
        job = job.saying(text)
        plan = job.plan(editor)
    return job, plan


def confirm_transcript(plan: EditPlan, ask: bool) -> str | None:
    """Print the transcript; with ``ask``, on a terminal, let the user confirm a recognised one and
    the plan, or correct it: then returns the corrected text.

    Raises InputError if the user declines.
    """
    beside = sidecar(plan.recording.path)
    if beside is not None:
        say(f"Transcript ({beside.name}): {_shown(plan.text.text)}")
        return None
    say(f"Recognised: {with_confidences(plan.alignment)}")
    if not ask or not _on_a_terminal():
        return None
    # The words that the new text lacks are the least certain, and the plan shows them.
    say(plan.describe())
    answer = _answer("Is this what the recording says? [Y/n, or c to correct it] ")
    if answer in ("c", "correct"):
        return _corrected(plan)
    if answer not in ("", "y", "yes"):
        raise InputError(f"Nothing was made: {_save_it(plan.recording.path)}")
    return None


def _save_it(recording: Path) -> str:
    """A sentence for somebody whose recording was misheard."""
    return (
        f"a3t transcribe {recording.name} --out {recording.stem}.txt saves what was recognised, so "
        "correct that and edit again, or give the recording's text with --text."
    )


def _corrected(plan: EditPlan) -> str:
    """The text with each doubtful word as the user wants it."""
    words = list(Transcript.from_text(plan.request.text or "", max_words=None).spoken)
    aligned = plan.request.aligned_words or ((0, len(words)),)
    places = [place for first, last in aligned for place in range(first, last)]
    say("Enter keeps a word, - leaves it out.")
    for place, word in zip(places, plan.alignment.spoken, strict=True):
        if word.score < SURE:
            about = " ".join(words[max(place - 3, 0) : place])
            typed = _answer(f"… {about} [{words[place]}] ")
            words[place] = "" if typed == "-" else typed or words[place]
    return " ".join(filter(None, words))


def show_restored(plan: EditPlan) -> None:
    """Print a transcript whose punctuation was restored."""
    if plan.restored:
        say(f"With punctuation (--no-punctuation leaves it out): {_shown(plan.text.text)}")


def offer_learning(plan: EditPlan, options: argparse.Namespace) -> None:
    """Say that --adapt could learn the recording's voice, unless somebody has refused that."""
    from a3t.voice.adaptation_data import PAYS_FROM

    unsaid = "A3T_ADAPT" not in os.environ and options.adapt == "never" and not options.voice
    spoken = any(edit.is_spoken for edit in plan.edits)
    if unsaid and spoken and plan.recording.seconds >= PAYS_FROM:
        say("For new words a little more like the speaker, --adapt learns the voice first.")


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
    from a3t.commands.editing.interrupted_music import music_doubt

    doubts = [str(doubt) for doubt in plan.doubts]
    doubts += filter(None, [music_doubt(plan)])
    if voice is not None and plan.edits:
        from a3t.commands.editing.speaker_similarity import voice_doubt
        from a3t.model.saved_voices import load_voice

        doubts += filter(None, [voice_doubt(plan, load_voice(voice))])
    return doubts


def refuse_doubts(doubts: Sequence[str]) -> None:
    """Raises InputError if there are doubts about the edits."""
    reasons = [doubt.removesuffix(".") for doubt in doubts]
    if reasons:
        because = "; ".join(reason[0].lower() + reason[1:] for reason in reasons)
        raise InputError(f"Nothing was made, because {because}: {CORRECT}, or omit --strict.")


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
