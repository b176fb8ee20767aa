"""Asks the user, before an edit, to confirm or correct a recognised transcript."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from a3t.console import agrees, answer, on_a_terminal, say
from a3t.errors import InputError, UnchangedError, UnsureError
from a3t.source.transcripts import sidecar
from alignment import Alignment

if TYPE_CHECKING:
    from a3t.editor import Editor
    from a3t.plan.edit_plan import EditPlan
    from a3t.projects.project_edit import ProjectEdit

SURE = 0.9  # words with a lower confidence are shown with it
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


def confirmed_plan(
    editor: Editor, job: ProjectEdit, ask: bool, strict: bool = False
) -> tuple[ProjectEdit, EditPlan]:
    """The job's plan, and the job with the text that the user, asked on a terminal, confirmed or
    corrected; without ``ask``, a text that isn't certain is taken, unless ``strict``. Raises the
    errors of `Editor.plan`, and InputError if the user declines."""
    found, unsure = job.request.text is None and job.request.alignment is None, False
    try:
        plan = job.plan(editor)
    except UnsureError as error:
        if strict or (ask and not on_a_terminal()):
            raise
        say(f"It isn't certain what the recording says: {error.places}.")
        job, unsure = job.with_text(error.text), True
        plan = job.plan(editor)
    except UnchangedError as unchanged:
        if not (ask and unchanged.rival and on_a_terminal()):
            raise
        say(f"{unchanged}\nAt its weakest place it may say: {unchanged.rival}")
        if not agrees("Does it say this?"):
            raise InputError(f"Nothing was made: {_save_it(job.recording.path)}") from None
        job = job.with_text(unchanged.rival)
        plan = job.plan(editor)
    while found and (text := confirm_transcript(plan, ask, unsure)) is not None:
        job, unsure = job.with_text(text), False
        plan = job.plan(editor)
    return job, plan


def confirm_transcript(plan: EditPlan, ask: bool, unsure: bool = False) -> str | None:
    """Print the transcript; with ``ask``, on a terminal, let the user confirm a recognised one and
    the plan, or correct it: then returns the corrected text. One that is ``unsure`` needs a yes.

    Raises InputError if the user declines.
    """
    if plan.about:
        say(plan.about)
    if plan.found_in != "recognised" and not unsure:
        say(f"Transcript ({plan.found_in}): {_shown(plan.text.text)}")
        return None
    say(f"Recognised: {with_confidences(plan.alignment)}")
    if not ask or not on_a_terminal():
        return None
    # The words that the new text lacks are the least certain, and the plan shows them.
    say(plan.describe())
    choice = "y/N" if unsure else "Y/n"
    reply = answer(f"Is this what the recording says? [{choice}, or c to correct it] ")
    if reply in ("c", "correct"):
        return _corrected(plan)
    if reply not in ("y", "yes") and (reply or unsure):
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
    words = list(plan.source.text.spoken)
    aligned = plan.passages or ((0, len(words)),)
    places = [place for first, last in aligned for place in range(first, last)]
    say("Enter keeps a word, - leaves it out.")
    for place, word in zip(places, plan.alignment.spoken, strict=True):
        if word.score < SURE:
            about = " ".join(words[max(place - 3, 0) : place])
            typed = answer(f"… {about} [{words[place]}] ")
            words[place] = "" if typed == "-" else typed or words[place]
    return " ".join(filter(None, words))


def show_restored(plan: EditPlan) -> None:
    """Print a transcript whose punctuation was restored."""
    if plan.restored:
        say(f"With punctuation (--no-punctuation leaves it out): {_shown(plan.text.text)}")


def _shown(text: str) -> str:
    text = text.strip()
    if len(text) <= SHOWN:
        return text
    return (
        f"{text[: SHOWN // 2].strip()} … {text[-SHOWN // 2 :].strip()} "
        f"({len(text.split()):,} words)"
    )


def check_replaced(out: Path, ask: bool = True, yes: bool = False) -> None:
    """InputError if ``out`` is a sound file that a3t did not make, unless the user, asked on a
    terminal, wants it replaced, or has said ``yes``."""
    from a3t.audio.output.metadata import comment_of
    from a3t.audio.output.records import record_path

    if yes or not out.is_file() or not out.stat().st_size:
        return
    if record_path(out).is_file() or out.with_suffix(".speech.json").is_file():
        return
    try:
        own = "wrote this file:" in comment_of(out)
    except InputError:  # no sound at all
        own = False
    if own or (ask and on_a_terminal() and agrees(f"Replace {out}, which a3t did not make?")):
        return
    raise InputError(
        f"{out} would be replaced, and a3t did not make it: move it, or choose another --out."
    )
