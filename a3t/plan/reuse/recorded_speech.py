"""Recorded speech that an edit puts elsewhere: its words, its frames, the silence beside it, its
gain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

Range = tuple[int, int]  # [first, last)

MOST_GAIN = 20.0  # dB


@dataclass(frozen=True, slots=True)
class RecordedWords:
    """New words that are recorded, but for some, as words ``old`` of text number ``text``.

    decibels: by which they are made louder; None for as much as all speech of their recording.
    """

    new: Range
    old: Range
    text: int
    decibels: float | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"new": list(self.new), "old": list(self.old)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RecordedWords:
        """KeyError, TypeError or ValueError if it isn't what `to_json` wrote."""
        new, old = ((int(first), int(last)) for first, last in (data["new"], data["old"]))
        text = int(data["text"])
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
    new: Range
    words: Range
    edits: Range
    frames: Range
    silent: Range = (0, 0)
    pauses: Range = (0, 0)
    decibels: float | None = None

    def to_json(self) -> dict[str, Any]:
        ranges = {name: list(getattr(self, name)) for name in _RANGES}
        louder = {} if self.decibels is None else {"decibels": self.decibels}
        return {"origin": self.origin} | ranges | louder

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RecordedSpeech:
        """KeyError, TypeError or ValueError if it isn't what `to_json` wrote."""
        ranges = {}
        for name in _RANGES:
            first, last = data[name]
            ranges[name] = int(first), int(last)
        return cls(int(data["origin"]), **ranges, decibels=_decibels(data))


def _decibels(data: Mapping[str, Any]) -> float | None:
    value = data.get("decibels")
    if value is not None and not abs(float(value)) <= MOST_GAIN:
        raise ValueError("decibels")
    return None if value is None else float(value)


_RANGES = ("new", "words", "edits", "frames", "silent", "pauses")
