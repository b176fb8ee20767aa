"""A recording's transcript as it was found, and a recording that is aligned with its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from a3t.audio.reading.recording import Recording
from a3t.spans import Span
from a3t.text.transcript import Transcript
from alignment import Alignment

Times = Sequence[tuple[float, float]]  # seconds [start, end) of each spoken word

LONG = 40.0  # seconds; a shorter recording is one passage, and looked at as a whole


class GivenCue(NamedTuple):
    """A cue of a transcript that was given: its words [first, last), seconds, and text.

    It may have no words, but a sound; the text is "" where the words have names of who says them.
    """

    words: Span
    start: float
    end: float
    text: str


Verdict = Literal["change", "misheard", "open"]


class Place(NamedTuple):
    """Heard words, and the words of the new text in their place; either may be none."""

    heard: Span
    new: Span


class Judgement(NamedTuple):
    """A judgement on a place.

    confidence: the probability that it is a change. ticked: whether it is made if nobody decides
    otherwise.
    """

    verdict: Verdict
    confidence: float
    ticked: bool


@dataclass(frozen=True)
class Comparison:
    """Words heard in a recording, the new text, and the judged places where the two differ.

    Each word of both comes with its confidence.
    """

    heard: Transcript
    confidences: tuple[float, ...]
    new: Transcript
    new_confidences: tuple[float, ...]
    places: tuple[Place, ...]
    judgements: tuple[Judgement, ...]


@dataclass(frozen=True)
class FoundTranscript:
    """A transcript as it was found, with what timing was found with it, before it is aligned.

    origin: "given", "recognised", "alignment", or the sidecar's name. alignment: of all its words.
    times: approximate ones for each word. cues: those that it stands in, if it is subtitles.
    passages: the ranges of a long recording's words that the alignment has, if not all. about: a
    sentence on what was read as what, and on files that weren't; "" if there is nothing to say.

    If it was recognised: confidences: how probable each word is, where that is known. comparison:
    with the new text, where there is one and the two differ. warning: a sentence if it is hardly
    what is said.
    """

    transcript: Transcript
    origin: str = "recognised"
    alignment: Alignment | None = None
    times: Times | None = None
    passages: tuple[Span, ...] = ()
    confidences: tuple[float, ...] = ()
    about: str = ""
    comparison: Comparison | None = None
    cues: tuple[GivenCue, ...] = ()
    warning: str = ""

    @property
    def known_confidences(self) -> tuple[float, ...]:
        """The confidences; 1 for each word where they aren't known."""
        return self.confidences or (1.0,) * len(self.transcript.words)


@dataclass(frozen=True)
class AlignedRecording:
    """A recording, what it says, and when.

    passages: the ranges of the text's words that the alignment has; empty if it has all of them.
    origin: where the text is from: "given", "recognised", "alignment", or a file's name; about: a
    sentence on how that was read. restored: whether its punctuation was. times: those of all its
    words, where not all are aligned and they are known. cues: those that it was given in, if any.
    """

    recording: Recording
    text: Transcript
    alignment: Alignment
    passages: tuple[Span, ...] = ()
    origin: str = "given"
    about: str = ""
    restored: bool = False
    times: Times | None = None
    cues: tuple[GivenCue, ...] = ()

    @classmethod
    def of(
        cls,
        recording: Recording,
        found: FoundTranscript,
        alignment: Alignment,
        ranges: tuple[Span, ...],
        text: Transcript,
        times: Times | None = None,
    ) -> AlignedRecording:
        """Combine a recording, the transcript that was found, and its alignment.

        ``text``: the transcript with other marks. ``ranges``: the words that are aligned.
        ``times``: those of all of them.
        """
        passages = () if ranges == ((0, len(text.words)),) else ranges
        restored = text is not found.transcript
        remarks = " ".join(filter(None, (found.about, found.warning)))
        about = (found.origin, remarks, restored, times, found.cues)
        return cls(recording, text, alignment, passages, *about)

    @property
    def ranges(self) -> tuple[Span, ...]:
        """The ranges of the text's words that the alignment has, be it all of them."""
        return self.passages or ((0, len(self.text.words)),)
