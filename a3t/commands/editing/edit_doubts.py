"""Doubts about a plan's edits: words hardly heard, music under them, a saved voice of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torch import Tensor

from a3t.audio.analysis.background import music_under
from a3t.audio.analysis.mel import mel_window
from a3t.commands.editing.difference_list import chosen
from a3t.console import agrees, on_a_terminal, say
from a3t.errors import InputError
from a3t.grid import frames_of
from a3t.model.saved_voices import Voice, load_voice
from a3t.model.speaker_encoder import least_likeness, load_speaker_encoder, speech_vector
from a3t.plan.edit_plan import EditPlan
from a3t.source.differences import UnsureError, left_as_recorded
from a3t.source.transcripts import sidecar
from alignment import Alignment

if TYPE_CHECKING:
    from a3t.editor import Editor
    from a3t.projects.project_edit import ProjectEdit


SURE = 0.9  # words with a lower confidence are shown with it
SHOWN = 600  # characters of a sidecar's text to show; the user has the rest
CORRECT = "correct the text (--text) or the alignment (--alignment)"
MAX_SEARCHED_EDITS = 8  # edits that are searched for music, which seldom begins after them
HEARD = frames_of(20.0)  # of the recording's words; more tells hardly more
MIN_HEARD_FRAMES = frames_of(1.0)


def with_confidences(alignment: Alignment) -> str:
    """Return the spoken words, with the confidence of those below SURE: "see‹42%›"."""
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


def chosen_plan(editor: Editor, job: ProjectEdit, ask: bool) -> tuple[ProjectEdit, EditPlan]:
    """Return the job's plan, and the job with the differences that somebody chose, if asked.

    Raises the errors of `Editor.plan`; UnsureError off a terminal or without `ask`.
    """
    try:
        return job, job.plan(editor)
    except UnsureError as error:
        if not ask or not on_a_terminal():
            raise
        if error.warning:
            say(error.warning)
        job = job.choosing(chosen(error.differences, job.recording))
        return job, job.plan(editor)


def show_transcript(plan: EditPlan) -> None:
    """Print the transcript, a recognised one with its confidences and what stays as recorded."""
    if plan.source.about:
        say(plan.source.about)
    if plan.source.origin == "given":  # who typed it knows it
        return
    if plan.source.origin != "recognised":
        say(f"Transcript ({plan.source.origin}): {_shown(plan.text.text)}")
    else:
        say(f"Recognised (‹%› where unsure): {with_confidences(plan.alignment)}")
    if kept := left_as_recorded(plan.differences):
        say(kept)


def show_restored(plan: EditPlan) -> None:
    """Print a transcript whose punctuation was restored."""
    if plan.source.restored:
        say(f"With punctuation (--no-punctuation leaves it out): {_shown(plan.text.text)}")


def _shown(text: str) -> str:
    text = text.strip()
    if len(text) <= SHOWN:
        return text
    return (
        f"{text[: SHOWN // 2].strip()} … {text[-SHOWN // 2 :].strip()} "
        f"({len(text.split()):,} words)"
    )


def doubts_of(plan: EditPlan, voice: str | None) -> list[str]:
    """Return all doubts about the edits, a sentence each; ``voice``: the saved voice in use."""
    doubts = [str(doubt) for doubt in plan.doubts]
    doubts += filter(None, [music_doubt(plan)])
    if voice is not None and plan.edits:
        doubts += filter(None, [voice_doubt(plan, load_voice(voice))])
    return doubts


def refuse_doubts(doubts: Sequence[str]) -> None:
    """Raise InputError if there are doubts about the edits."""
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
    if not doubts or not ask or not on_a_terminal():
        return
    if not agrees("Make the edit anyway?"):
        raise InputError(f"Nothing was made: {CORRECT}, or use --yes.")


def music_doubt(plan: EditPlan) -> str | None:
    """Return a sentence about music under a plan's edits; None if there is none."""
    recording = plan.recording
    for edit in plan.edits[:MAX_SEARCHED_EDITS]:
        level = music_under(recording, plan.alignment, *recording.samples_in(edit.source))
        if level is not None:
            return (
                f"Music, another voice or other tones under the changed words ({-level:.0f} dB "
                "below the speech) will break off audibly: edit the speech before such sound is "
                "added, or listen closely."
            )
    return None


@dataclass(frozen=True)
class Likeness:
    """The likeness of a recording to a voice: the cosine of their vectors, and the usual least."""

    cosine: float
    least: float


def likeness(plan: EditPlan, voice: Voice) -> Likeness | None:
    """Return the likeness of a plan's recording to a voice.

    None if there is too little speech, or if the voice was made before voices had a vector.
    """
    if voice.speaker is None:
        return None
    left = HEARD
    stretches: list[list[int]] = []  # [first, last) frames
    for phone in plan.phones:
        if phone.word < 0 or left <= 0:
            continue
        left -= phone.frames
        if stretches and stretches[-1][1] == phone.first:
            stretches[-1][1] = phone.last
        else:
            stretches.append([phone.first, phone.last])
    if HEARD - left < MIN_HEARD_FRAMES:
        return None
    mels = [mel_window(plan.recording, first, last) for first, last in stretches]
    vector: Tensor = speech_vector(load_speaker_encoder(), mels)
    known = frames_of(float(voice.facts.get("seconds", 0.0))) or HEARD  # of the voice itself
    return Likeness(float(vector @ voice.speaker), least_likeness(min(HEARD - left, known)))


def voice_doubt(plan: EditPlan, voice: Voice) -> str | None:
    """Return a sentence if the recording doesn't sound like the voice."""
    found = likeness(plan, voice)
    if found is None or found.cosine >= found.least:
        return None
    return (
        f"The recording doesn't sound like the voice {voice.name!r} (likeness {found.cosine:.2f}, "
        f"usually above {found.least:.2f}), so the result may sound like somebody else."
    )
