"""An alignment: words of phones, timed on the recording's own clock.

The records are immutable and go to JSON and back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

PAUSE = "sp"


@dataclass(frozen=True, slots=True)
class Phone:
    """One phone: ARPAbet with stress ("AH0"), or "sp" for a pause; seconds; confidence 0..1.

    `spread`: seconds by which its end is off at most in two of three cases; 0 where nobody said.
    """

    symbol: str
    start: float
    end: float
    score: float = 1.0
    spread: float = 0.0

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.end - self.start

    def to_json(self) -> dict[str, Any]:
        result = {"symbol": self.symbol, "start": self.start, "end": self.end, "score": self.score}
        return {**result, "spread": self.spread} if self.spread else result

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Phone:
        score, spread = float(data.get("score", 1.0)), float(data.get("spread", 0.0))
        return cls(str(data["symbol"]), float(data["start"]), float(data["end"]), score, spread)


@dataclass(frozen=True, slots=True)
class Word:
    """One spoken word, or a pause: text "" and the one phone "sp". Seconds; confidence 0..1.

    `unwritten` names sound in a pause that the text doesn't have: "<um>", "<repeat>" or "<noise>".
    """

    text: str
    start: float
    end: float
    score: float
    phones: tuple[Phone, ...]
    unwritten: str = ""

    @property
    def is_pause(self) -> bool:
        return not self.text

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.end - self.start

    def to_json(self) -> dict[str, Any]:
        result = {
            "text": self.text,
            "start": self.start,
            "end": self.end,
            "score": self.score,
            "phones": [phone.to_json() for phone in self.phones],
        }
        return {**result, "unwritten": self.unwritten} if self.unwritten else result

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Word:
        phones = tuple(Phone.from_json(phone) for phone in data["phones"])
        score = float(data.get("score", 1.0))
        start, end = float(data["start"]), float(data["end"])
        return cls(str(data["text"]), start, end, score, phones, str(data.get("unwritten", "")))


@dataclass(frozen=True, slots=True)
class Alignment:
    """The words of a recording in order; pauses included, they cover [0, duration] with no gap.

    `score` (0..1) is how well the text as a whole matches the recording; aligners that check refuse
    a score below 0.5. `recognised`: whether its words were recognised, and nobody has checked them.
    """

    words: tuple[Word, ...]
    duration: float
    score: float = 1.0
    recognised: bool = False

    @property
    def spoken(self) -> tuple[Word, ...]:
        """The words that have text, one for each word handed to the aligner."""
        return tuple(word for word in self.words if word.text)

    @property
    def phones(self) -> tuple[Phone, ...]:
        """All phones in order, pauses included; they cover [0, duration] with no gap."""
        return tuple(phone for word in self.words for phone in word.phones)

    def to_json(self) -> dict[str, Any]:
        """Plain dicts, lists, strings and numbers, as `json.dump` takes them."""
        words = [word.to_json() for word in self.words]
        result = {"duration": self.duration, "score": self.score, "words": words}
        return {**result, "recognised": True} if self.recognised else result

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Alignment:
        """The inverse of `to_json`; KeyError, TypeError or ValueError if something is missing."""
        words = tuple(Word.from_json(word) for word in data["words"])
        score, recognised = float(data.get("score", 1.0)), bool(data.get("recognised", False))
        return cls(words, float(data["duration"]), score, recognised)


def pause(start: float, end: float, score: float = 1.0, unwritten: str = "") -> Word:
    """A pause as every alignment writes it."""
    return Word("", start, end, score, (Phone(PAUSE, start, end, score),), unwritten)


def shift_word(word: Word, seconds: float) -> Word:
    """The same word, `seconds` later."""

    def moved(time: float) -> float:
        return round(time + seconds, 6)

    phones = tuple(replace(p, start=moved(p.start), end=moved(p.end)) for p in word.phones)
    return replace(word, start=phones[0].start, end=phones[-1].end, phones=phones)


def stretch_word(word: Word, start: float, end: float) -> Word:
    """The word from `start` to `end`: its first and last phones give or take the difference."""
    phones = list(word.phones)
    phones[0] = replace(phones[0], start=start)
    phones[-1] = replace(phones[-1], end=end)
    return replace(word, start=start, end=end, phones=tuple(phones))
