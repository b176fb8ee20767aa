"""Recorded speech that an edit puts elsewhere: its words, its frames, the silence beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Range = tuple[int, int]  # [first, last)


@dataclass(frozen=True, slots=True)
class RecordedSpeech:
    """Speech of one of a plan's origins (`EditPlan.origins`), as it is after that plan's own edits.

    origin: the origin's number. new: the words of the new text that it says. words: the same words
    in the origin's new text. edits: which of the origin's edits are within it. frames: of the
    origin's recording, the silence included that goes with it. silent: how many of these frames at
    either end are silent. pauses: frames of room tone that are added before and after it.
    """

    origin: int
    new: Range
    words: Range
    edits: Range
    frames: Range
    silent: Range = (0, 0)
    pauses: Range = (0, 0)

    def to_json(self) -> dict[str, Any]:
        ranges = {name: list(getattr(self, name)) for name in _RANGES}
        return {"origin": self.origin} | ranges

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RecordedSpeech:
        """KeyError, TypeError or ValueError if it isn't what `to_json` wrote."""
        ranges = {}
        for name in _RANGES:
            first, last = data[name]
            ranges[name] = int(first), int(last)
        return cls(int(data["origin"]), **ranges)


_RANGES = ("new", "words", "edits", "frames", "silent", "pauses")
