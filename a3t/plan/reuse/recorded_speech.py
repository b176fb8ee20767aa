"""Recorded speech that an edit puts elsewhere, from the same recording or from another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated

import msgspec

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.json_values import Count, check_alignment
from a3t.source.alignments import AlignmentStore
from a3t.source.passages import AlignedRecording
from a3t.spans import Margins, Span
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript, parsed
from alignment import Alignment
from alignment.serialisation import OMITTED, Record

MAX_GAIN_DB = 20.0  # dB
Decibels = Annotated[float, msgspec.Meta(ge=-MAX_GAIN_DB, le=MAX_GAIN_DB)]


@dataclass(frozen=True, slots=True)
class ReusedWords(Record):
    """New words that are recorded, but for some, as words ``old`` of text number ``text``.

    decibels: by which they are made louder; None for as much as all speech of their recording.
    """

    new: Span
    old: Span
    text: Count
    decibels: Decibels | None = None

    def __post_init__(self) -> None:
        if not (0 <= self.new[0] < self.new[1] and 0 <= self.old[0] < self.old[1]):
            raise ValueError("Expected words that are recorded")


@dataclass(frozen=True, slots=True)
class ReusedSpeech(Record):
    """Speech of one of `EditPlan.source_edits`, as it is after that plan's own edits.

    origin: the origin's number. new: the words of the new text that it says. words: the same words
    in the origin's new text. edits: which of the origin's edits are within it. frames: of the
    origin's recording, the silence included that goes with it. silent: how many of these frames at
    either end are silent. pauses: frames of room tone that are added before and after it.
    decibels: as `ReusedWords` has it.
    """

    origin: Count
    new: Span
    words: Span
    edits: Span
    frames: Span
    silent: Margins = (0, 0)
    pauses: Margins = (0, 0)
    decibels: Decibels | None = field(default=None, metadata=OMITTED)


@dataclass(frozen=True)
class OtherRecording(Record):
    """A further recording of the same speaker, whose speech an edit may take.

    text: what it says; None to take it from a file beside it, or to recognise it. alignment: of
    all its words, None to align them. sha256: of its file, once it was used.
    """

    path: Path
    text: str | None = None
    alignment: Alignment | None = None
    sha256: str | None = None

    def __post_init__(self) -> None:
        if self.alignment is not None:
            check_alignment(self.alignment)

    @cached_property
    def transcript(self) -> Transcript | None:
        """The words of its text, if that is known."""
        return parsed(self.text)

    @classmethod
    def of(cls, heard: AlignedRecording) -> OtherRecording:
        """A recording whose words are known."""
        own = heard.recording
        return cls(own.path, heard.text.text, heard.alignment, own.sha256)


def align_others(
    others: Sequence[OtherRecording],
    expected: Transcript,
    alignments: AlignmentStore,
    pronouncer: Pronouncer,
) -> tuple[AlignedRecording, ...]:
    """Other recordings with their words, which are found where they aren't known, with ``expected``
    as a prior; InputError if one is not the recording that it was."""
    heard = []
    for other in others:
        recording = Recording.open(other.path)
        if other.sha256 not in (None, recording.sha256):
            raise InputError(
                f"{other.path} is not the recording that speech was taken from (the sha256 "
                "differs): put the right one there."
            )
        text, alignment = other.transcript, other.alignment
        if text is not None and alignment is not None:
            heard.append(AlignedRecording(recording, text, alignment))
        else:
            heard.append(alignments.hear(recording, text, expected, pronouncer))
    return tuple(heard)
