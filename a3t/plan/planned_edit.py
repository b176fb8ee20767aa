"""The parts of a plan: its edits, their phones and words. Frames are those of `a3t.grid`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from a3t.grid import frames_of, seconds_of
from a3t.plan.json_values import span
from a3t.plan.reuse.recorded_speech import RecordedSpeech
from a3t.spans import Margins, Span


@dataclass(frozen=True, slots=True)
class PlannedPhone:
    """A new phone; word: index of its word among the new text's spoken words, -1 for a pause."""

    symbol: str
    frames: int
    word: int


@dataclass(frozen=True, slots=True)
class PlannedWord:
    """A new word, or a new pause (text ""), and its duration.

    scale: its duration divided by the one predicted for this speaker; 1 for a pause of a requested
    length.
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

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PlannedWord:
        text = "" if data["word"] == "[pause]" else str(data["word"])
        frames, scale = frames_of(float(data["seconds"])), float(data["scale"])
        return cls(text, frames, scale, bool(data.get("emphasis", False)))


@dataclass(frozen=True, slots=True)
class PlannedEdit:
    """One change: its words, the frames of the recording that it removes, and the phones it adds.

    old, new: its spoken words in the text and in the new text. source: the frames that are replaced
    or deleted, empty for an insertion. margin: the number of neighbouring frames before and after
    it that are regenerated with it. overlap: the number of frames beyond these in which the joint
    may lie. scale: the factor by which the new words were stretched to fit a given time, else 1.
    words: the new words and pauses that ``phones`` spell out; an edit may consist of a pause alone.
    taken: recorded speech that the edit consists of instead, in order.
    """

    op: str  # "replace", "insert" or "delete"
    old: Span
    new: Span
    old_words: str
    new_words: str
    source: Span
    phones: tuple[PlannedPhone, ...]
    margin: Margins
    overlap: Margins
    scale: float = 1.0
    words: tuple[PlannedWord, ...] = ()
    taken: tuple[RecordedSpeech, ...] = ()

    @property
    def is_spoken(self) -> bool:
        """True if it adds words that are made, not just a pause, recorded speech or nothing."""
        return self.new[0] < self.new[1] and not self.taken

    @property
    def is_cut(self) -> bool:
        """True if it takes out or mutes sound between words (`a3t.plan.cleaning.cuts`)."""
        without_words = self.old[0] == self.old[1] and self.new[0] == self.new[1]
        return without_words and self.source[0] < self.source[1]

    @property
    def frames(self) -> int:
        """The number of new frames."""
        return sum(phone.frames for phone in self.phones)

    @property
    def seconds(self) -> float:
        """The duration of the new frames."""
        return seconds_of(self.frames)

    @property
    def remade(self) -> Span:
        """The recording's frames that are replaced, margins included."""
        return self.source[0] - self.margin[0], self.source[1] + self.margin[1]

    def to_json(self) -> dict[str, Any]:
        return {
            "op": self.op,
            "old_words": self.old_words,
            "new_words": self.new_words,
            "old": list(self.old),
            "new": list(self.new),
            "source_frames": list(self.source),
            "margin_frames": list(self.margin),
            "overlap_frames": list(self.overlap),
            "frames": self.frames,
            "scale": round(self.scale, 4),
            "words": [word.to_json() for word in self.words],
            "phones": [[phone.symbol, phone.frames, phone.word] for phone in self.phones],
            **({"taken": [each.to_json() for each in self.taken]} if self.taken else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PlannedEdit:
        return cls(
            op=str(data["op"]),
            old=span(data["old"]),
            new=span(data["new"]),
            old_words=str(data["old_words"]),
            new_words=str(data["new_words"]),
            source=span(data["source_frames"]),
            phones=tuple(PlannedPhone(str(s), int(n), int(w)) for s, n, w in data["phones"]),
            margin=span(data["margin_frames"]),
            overlap=span(data["overlap_frames"]),
            scale=float(data["scale"]),
            words=tuple(PlannedWord.from_json(word) for word in data["words"]),
            taken=tuple(RecordedSpeech.from_json(each) for each in data.get("taken", ())),
        )
