"""Cues of a transcript file, and the text and the speakers that they make."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

ARROW = "-{1,3}>|→|[–—]>|--&gt;"  # between two times
CHARACTERS_PER_S = 15.0  # characters a second
CLOCK = r"(?:\d{1,4}:)?\d{1,2}:\d{1,2}(?:[.,:;] ?\d{1,20})?"  # h:m:s and a fraction
REAL = r"-?\d{1,15}(?:[.,]\d{0,20})?"
PICTURES_PER_S = 30  # of timecodes, where nothing says how many there are
_CLOCK = re.compile(r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,] ?(\d{1,20})|[:;] ?(\d{1,20}))?")


class Cue(NamedTuple):
    """The text from ``start`` to ``end``, rough seconds or NaN, and its speaker, if known."""

    start: float
    end: float
    text: str
    speaker: str = ""


def seconds_of(field: str | None) -> float:
    """Return the seconds of a CLOCK or a REAL; NaN if it is neither.

    A timecode's last two digits are pictures, or hundredths where they reach `PICTURES_PER_S`.
    """
    field = (field or "").strip()
    if re.fullmatch(REAL, field):
        return float(field.replace(",", "."))
    if not (match := _CLOCK.fullmatch(field)):
        return math.nan
    hours, minutes, seconds, fraction, pictures = match.groups()
    whole = int(hours or 0) * 3600 + int(minutes) * 60
    if pictures and len(pictures) == 2 and int(pictures) < PICTURES_PER_S:
        return whole + int(seconds) + int(pictures) / PICTURES_PER_S
    return whole + float(f"{seconds}.{fraction or pictures or 0}")


def shortened(line: str) -> str:
    """Return the beginning of a line, in quotation marks, for a message."""
    line = line.lstrip().partition("\n")[0].rstrip()
    return f"“{line[:40]}…”" if len(line) > 40 else f"“{line}”"


def counted(number: int, what: str) -> str:
    """Return a note on the number of things that were left out."""
    article = "an" if what[0] in "aeiou" else "a"
    return f"{number} {what}s left out" if number > 1 else f"{article} {what} left out"


class Parsed(NamedTuple):
    """What a reader makes of a file: cues, its whole text if it has one, and notes for the user."""

    cues: Sequence[Cue]
    whole: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class TranscriptFile:
    """A transcript read from a file.

    name: the file's. kind: its kind in the table. cues: in the order of the speech. whole: the text
    where the file has it beside the cues, else "". notes: what was left out. recognised: whether
    a3t recognised it and nobody has corrected it since.
    """

    name: str
    kind: str
    cues: tuple[Cue, ...]
    whole: str = ""
    notes: tuple[str, ...] = ()
    recognised: bool = False

    @property
    def speakers(self) -> tuple[str, ...]:
        """The names of those who speak, in order of appearance."""
        return tuple(dict.fromkeys(cue.speaker for cue in self.cues if cue.speaker))

    @property
    def timed(self) -> tuple[Cue, ...]:
        """The cues with times, in order; none if the times contradict that."""
        cues = tuple(cue for cue in self.cues if math.isfinite(cue.start))
        ordered = all(a.start <= b.start for a, b in pairwise(cues))
        return cues if ordered else ()

    @property
    def text(self) -> str:
        """The text without the names."""
        return self.whole or _joined(cue.text for cue in self.cues)

    @property
    def named_text(self) -> str:
        """The text with a line for each turn, the speaker's name in capitals before it."""
        if not self.speakers:
            return self.text
        parts: list[str] = []
        before = ""
        for cue in self.cues:
            if cue.speaker and cue.speaker != before:
                parts.append(f"\n{written_name(cue.speaker)}:")
                before = cue.speaker
            parts.append(cue.text)
        return _joined(parts).replace(" \n", "\n").strip()

    @property
    def about(self) -> str:
        """A sentence that says what the file was read as; "" for a text that has nothing to say."""
        if self.kind == "text" and not self.notes:
            return ""
        return f"{self.name} was read as {', '.join([self.kind, *self.notes])}."


def written_name(name: str) -> str:
    """Return a name as it stands in a text: "Speaker 1" as it is, others in capitals."""
    return name if name.lower().startswith("speaker ") else name.upper()


def _joined(parts: Iterable[str]) -> str:
    return " ".join(part for part in parts if part)


def in_order(cues: Sequence[Cue]) -> Parsed:
    """Sort the cues by their starts, where all have one, with a note if they stood otherwise."""
    starts = [cue.start for cue in cues]
    if not all(map(math.isfinite, starts)) or all(a <= b for a, b in pairwise(starts)):
        return Parsed(cues)
    ordered = sorted(cues, key=lambda cue: cue.start)
    return Parsed(ordered, notes=("with its cues put in order",))


def with_ends(cues: Sequence[Cue]) -> tuple[Cue, ...]:
    """Return the cues, each with an end: the next one's start, or at a usual pace."""
    following = [cue.start for cue in cues[1:]] + [math.nan] * bool(cues)
    return tuple(
        cue
        if math.isfinite(cue.end) or not math.isfinite(cue.start)
        else cue._replace(
            end=after if after >= cue.start else cue.start + len(cue.text) / CHARACTERS_PER_S
        )
        for cue, after in zip(cues, following, strict=True)
    )


def parted(start: float, end: float, parts: Sequence[tuple[str, str]]) -> list[Cue]:
    """Share a time among (speaker, text) parts by the lengths of their texts.

    Without an end, they are said at a usual pace; a single one keeps it open.
    """
    if len(parts) == 1:
        return [Cue(start, end, parts[0][1], parts[0][0])]
    total = sum(len(text) for _, text in parts) or 1
    pace = (end - start) / total if math.isfinite(end) else 1 / CHARACTERS_PER_S
    cues, clock = [], start
    for speaker, text in parts:
        following = clock + pace * len(text)
        cues.append(Cue(clock, following, text, speaker))
        clock = following
    return cues
