"""Recorded speech that an edit puts elsewhere, from the same recording or from another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.json_values import alignment_of, optional, path, span, string
from a3t.source.alignments import AlignmentStore, TimedRecording
from a3t.spans import Margins, Span
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment

MOST_GAIN = 20.0  # dB


@dataclass(frozen=True, slots=True)
class RecordedWords:
    """New words that are recorded, but for some, as words ``old`` of text number ``text``.

    decibels: by which they are made louder; None for as much as all speech of their recording.
    """

    new: Span
    old: Span
    text: int
    decibels: float | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"new": list(self.new), "old": list(self.old)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RecordedWords:
        """KeyError, TypeError or ValueError if it isn't what `to_json` wrote."""
        new, old, text = span(data["new"]), span(data["old"]), int(data["text"])
        if not (0 <= new[0] < new[1] and 0 <= old[0] < old[1] and text >= 0):
            raise ValueError("recorded words")
        return cls(new, old, text, _decibels(data))


@dataclass(frozen=True, slots=True)
class RecordedSpeech:
    """Speech of one of a plan's origins (`EditPlan.origins`), as it is after that plan's own edits.

    origin: the origin's number. new: the words of the new text that it says. words: the same words
    in the origin's new text. edits: which of the origin's edits are within it. frames: of the
    origin's recording, the silence included that goes with it. silent: how many of these frames at
    either end are silent. pauses: frames of room tone that are added before and after it.
    decibels: as `RecordedWords` has it.
    """

    origin: int
    new: Span
    words: Span
    edits: Span
    frames: Span
    silent: Margins = (0, 0)
    pauses: Margins = (0, 0)
    decibels: float | None = None

    def to_json(self) -> dict[str, Any]:
        ranges = {name: list(getattr(self, name)) for name in _RANGES}
        louder = {} if self.decibels is None else {"decibels": self.decibels}
        return {"origin": self.origin} | ranges | louder

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RecordedSpeech:
        """KeyError, TypeError or ValueError if it isn't what `to_json` wrote."""
        ranges = {name: span(data[name]) for name in _RANGES}
        return cls(int(data["origin"]), **ranges, decibels=_decibels(data))


def _decibels(data: Mapping[str, Any]) -> float | None:
    value = data.get("decibels")
    if value is not None and not abs(float(value)) <= MOST_GAIN:
        raise ValueError("decibels")
    return None if value is None else float(value)


_RANGES = ("new", "words", "edits", "frames", "silent", "pauses")


@dataclass(frozen=True)
class OtherRecording:
    """A further recording of the same speaker, whose speech an edit may take.

    text: what it says; None to take it from a file beside it, or to recognise it. alignment: of
    all its words, None to align them. sha256: of its file, once it was used.
    """

    path: Path
    text: str | None = None
    alignment: Alignment | None = None
    sha256: str | None = None

    @classmethod
    def of(cls, heard: TimedRecording) -> OtherRecording:
        """A recording whose words are known."""
        own = heard.recording
        return cls(own.path, heard.text, heard.alignment, own.sha256)

    def to_json(self) -> dict[str, Any]:
        return {
            "path": str(self.path),
            "text": self.text,
            "alignment": self.alignment and self.alignment.to_json(),
            "sha256": self.sha256,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> OtherRecording:
        """KeyError, TypeError or ValueError if it isn't one."""
        return cls(
            path(data["path"]),
            optional(string, data["text"]),
            optional(alignment_of, data["alignment"]),
            optional(string, data["sha256"]),
        )


def align_others(
    others: Sequence[OtherRecording],
    expected: Transcript,
    alignments: AlignmentStore,
    pronouncer: Pronouncer,
) -> tuple[TimedRecording, ...]:
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
        if other.text is not None and other.alignment is not None:
            heard.append(TimedRecording(recording, other.text, other.alignment))
        else:
            heard.append(alignments.hear(recording, other.text, expected, pronouncer))
    return tuple(heard)
