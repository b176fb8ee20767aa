"""An alignment: words of phones, timed on the recording's own clock.

The records are immutable and go to JSON and back.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from alignment.serialisation import OMITTED, Record, to_json

PAUSE = "sp"


@dataclass(frozen=True, slots=True)
class Phone(Record):
    """One phone: ARPAbet with stress ("AH0"), or "sp" for a pause; seconds; confidence 0..1.

    `spread`: seconds by which its end is off at most in two of three cases; 0 where nobody said.
    """

    symbol: str
    start: float
    end: float
    score: float = 1.0
    spread: float = field(default=0.0, metadata=OMITTED)

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Word(Record):
    """One spoken word, or a pause: text "" and the one phone "sp". Seconds; confidence 0..1.

    `unwritten` names sound in a pause that the text doesn't have: "<um>", "<repeat>", "<speech>"
    or "<noise>".
    """

    text: str
    start: float
    end: float
    score: float = 1.0
    phones: tuple[Phone, ...] = ()
    unwritten: str = field(default="", metadata=OMITTED)

    @property
    def is_pause(self) -> bool:
        return not self.text

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Alignment(Record):
    """The words of a recording in order; pauses included, they cover [0, duration] with no gap.

    `score` (0..1) is how well the text as a whole matches the recording; aligners that check refuse
    a score below 0.5. `recognised`: whether its words were recognised, and nobody has checked them.

    Examples
    --------
    >>> alignment = load_aligner().align(samples, rate, words, pronunciations)
    >>> [(word.text, word.start, word.end) for word in alignment.spoken]
    [('we', 0.31, 0.42), ('met', 0.42, 0.8)]
    >>> Alignment.from_json(alignment.to_json()) == alignment
    True
    """

    words: tuple[Word, ...]
    duration: float
    score: float = 1.0
    recognised: bool = field(default=False, metadata=OMITTED)

    def to_json(self) -> dict[str, Any]:
        """A record's JSON; the words, which are many, come last."""
        words = [to_json(word) for word in self.words]
        written = {"duration": self.duration, "score": self.score, "words": words}
        return {**written, "recognised": True} if self.recognised else written

    @property
    def spoken(self) -> tuple[Word, ...]:
        """The words that have text, one for each word handed to the aligner."""
        return tuple(word for word in self.words if word.text)

    @property
    def phones(self) -> tuple[Phone, ...]:
        """All phones in order, pauses included; they cover [0, duration] with no gap."""
        return tuple(phone for word in self.words for phone in word.phones)


def pause(start: float, end: float, score: float = 1.0, unwritten: str = "") -> Word:
    """A pause as every alignment writes it."""
    return Word("", start, end, score, (Phone(PAUSE, start, end, score),), unwritten)


def shift_word(word: Word, seconds: float) -> Word:
    """The word, `seconds` later."""

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
