"""What a plan is made of. Frames are those of `a3t.grid`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from a3t.asked import USUAL, Asked
from a3t.grid import seconds_of
from a3t.text.transcript import Transcript
from alignment import Alignment

Range = tuple[int, int]  # [first, last)


@dataclass(frozen=True, slots=True)
class GridPhone:
    """A phone on the grid: frames [first, last); ``word`` counts spoken words, -1 for a pause."""

    symbol: str
    first: int
    last: int
    word: int

    @property
    def frames(self) -> int:
        return self.last - self.first


@dataclass(frozen=True, slots=True)
class PlannedPhone:
    """A phone of the edited speech; ``source`` is the recording's frame it is kept from, or None
    if it is to be made. ``word`` counts the new text's spoken words, -1 for a pause."""

    symbol: str
    frames: int
    word: int
    source: int | None = None


@dataclass(frozen=True, slots=True)
class PlannedWord:
    """A new word, or a made pause (text ""), and how long it takes.

    ``scale`` is its time against what this speaker is expected to take for it; 1 for a pause whose
    length was asked for.
    """

    text: str
    frames: int
    scale: float = 1.0
    emphasis: bool = False

    @property
    def seconds(self) -> float:
        return seconds_of(self.frames)

    def to_json(self) -> dict[str, Any]:
        return {
            "word": self.text or "[pause]",
            "seconds": self.seconds,
            "scale": round(self.scale, 4),
        } | ({"emphasis": True} if self.emphasis else {})


@dataclass(frozen=True, slots=True)
class PlannedEdit:
    """One change: spoken words, the recording's frames that go, and the phones that come.

    ``source`` holds the frames of what is replaced or deleted (empty for an insertion), ``margin``
    how many frames of its neighbours on either side are made anew with it, ``overlap`` how many
    beyond these are free for the joint. ``scale`` is by how much the new words were stretched to
    fit a given time; 1 where they were not. ``words`` are the new words and pauses that ``phones``
    say; an edit may be nothing but a pause.
    """

    op: str  # "replace", "insert" or "delete"
    old: Range
    new: Range
    old_words: str
    new_words: str
    source: Range
    phones: tuple[PlannedPhone, ...]
    margin: Range
    overlap: Range
    scale: float = 1.0
    words: tuple[PlannedWord, ...] = ()

    @property
    def is_spoken(self) -> bool:
        """Whether there are words to be made, not only a pause or nothing."""
        return self.new[0] < self.new[1]

    @property
    def frames(self) -> int:
        """Frames of the new words."""
        return sum(phone.frames for phone in self.phones)

    @property
    def seconds(self) -> float:
        """How long the new words take."""
        return seconds_of(self.frames)

    @property
    def remade(self) -> Range:
        """The recording's frames that are replaced, margins included."""
        return self.source[0] - self.margin[0], self.source[1] + self.margin[1]

    def to_json(self) -> dict[str, Any]:
        return {
            "op": self.op,
            "old_words": self.old_words,
            "new_words": self.new_words,
            "source_frames": list(self.source),
            "margin_frames": list(self.margin),
            "frames": self.frames,
            "scale": round(self.scale, 4),
            "words": [word.to_json() for word in self.words],
            "phones": [[phone.symbol, phone.frames] for phone in self.phones],
        }


@dataclass(frozen=True, slots=True)
class Window:
    """What the model sees at once: edits (by index) among the recording's frames ``source``."""

    source: Range
    edits: tuple[int, ...]


@dataclass(frozen=True)
class EditPlan:
    """Everything that is decided before a sample is rendered."""

    text: Transcript
    new_text: Transcript
    alignment: Alignment
    phones: tuple[GridPhone, ...]  # the recording's, on the grid
    frames: int  # of the recording
    edits: tuple[PlannedEdit, ...]
    windows: tuple[Window, ...]
    rate: float  # this speaker's slowness against the duration predictor, times 1 / speed
    asked: Asked = USUAL
    # Of a long recording the words of the text that were aligned; `text` and `new_text` have these
    # words alone, and all of what is written. Empty: everything was.
    passages: tuple[Range, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "text": self.text.text,
            "new_text": self.new_text.text,
            "rate": round(self.rate, 4),
            "edits": [edit.to_json() for edit in self.edits],
            "windows": [{"source_frames": list(w.source), "edits": w.edits} for w in self.windows],
        }

    def describe(self) -> str:
        """The plan for a person, a line an edit."""
        if not self.edits:
            return "Nothing to change: the two texts have the same words."
        lines = []
        for edit in self.edits:
            first, last = map(seconds_of, edit.source)
            place = f"at {first:.2f} s" if first == last else f"{first:.2f}–{last:.2f} s"
            match edit.op:
                case "delete":
                    lines.append(f"delete  “{edit.old_words}” ({place})")
                case "insert":
                    lines.append(f"insert  “{edit.new_words}” {place} ({edit.seconds:.2f} s)")
                case _:
                    lines.append(
                        f"replace “{edit.old_words}” ({place}) by “{edit.new_words}” "
                        f"({edit.seconds:.2f} s)"
                    )
        return "\n".join(lines)
