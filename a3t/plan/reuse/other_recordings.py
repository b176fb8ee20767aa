"""Further recordings of a speaker, whose words an edit may put into the one that is edited."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.json_values import checked_alignment, string
from a3t.source.alignments import TimedRecording
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment

LONGEST_PATH = 4096  # characters; systems have none longer


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
        text, aligned, sha256 = (data[key] for key in ("text", "alignment", "sha256"))
        if len(string(data["path"])) > LONGEST_PATH:
            raise ValueError("path")
        return cls(
            Path(string(data["path"])),
            None if text is None else string(text),
            None if aligned is None else checked_alignment(Alignment.from_json(aligned)),
            None if sha256 is None else string(sha256),
        )


def align_others(
    others: Sequence[OtherRecording],
    expected: Transcript,
    hear: Callable[..., TimedRecording],
    pronouncer: Pronouncer,
) -> tuple[TimedRecording, ...]:
    """Other recordings with their words, which ``hear`` (`AlignmentStore.hear`) finds where they
    aren't known, with ``expected`` as a prior; InputError if one is not the recording that it
    was."""
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
            heard.append(hear(recording, other.text, expected, pronouncer))
    return tuple(heard)
