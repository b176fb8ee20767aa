"""An alignment: words of phones, timed on the recording's own clock, and words moved elsewhere.

The records are immutable and go to JSON and back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from alignment.serialisation import OMITTED, Record, to_json

PAUSE = "sp"
DOUBTFUL_BELOW = 0.5  # score of a word, or of a whole text, below which it is doubtful
SNAP_S = 0.005  # seconds; boundaries nearer than this are one


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
        """Whether it is a pause: a word without text."""
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
        """Return the record's JSON; the words, which are many, come last."""
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
    """Return a pause as every alignment writes it."""
    return Word("", start, end, score, (Phone(PAUSE, start, end, score),), unwritten)


def shift_word(word: Word, seconds: float) -> Word:
    """Return the word ``seconds`` later."""

    def moved(time: float) -> float:
        return round(time + seconds, 6)

    phones = tuple(replace(p, start=moved(p.start), end=moved(p.end)) for p in word.phones)
    return replace(word, start=phones[0].start, end=phones[-1].end, phones=phones)


def stretch_word(word: Word, start: float, end: float) -> Word:
    """Return the word from ``start`` to ``end``: its first and last phones take the difference."""
    phones = list(word.phones)
    phones[0] = replace(phones[0], start=start)
    phones[-1] = replace(phones[-1], end=end)
    return replace(word, start=start, end=end, phones=tuple(phones))


def covering(
    spoken: Sequence[Word], duration: float, score: float, pauses: Iterable[Word] = ()
) -> Alignment:
    """Return an alignment of these words in order, with pauses where nothing lies between them.

    ``pauses``, in order: those that were there before. What still lies between two words stays as
    it is, names and scores included; where a word was moved, a pause is cut off or made longer.
    """
    words: list[Word] = []
    waiting = [word for word in pauses if word.duration > SNAP_S]
    place = 0
    clock = 0.0

    def fill(end: float) -> None:
        nonlocal place
        while place < len(waiting) and waiting[place].end <= clock:
            place += 1
        first = place
        while place < len(waiting) and waiting[place].start < end:
            place += 1
        words.extend(_filled(clock, end, waiting[first:place]))
        if place > first and waiting[place - 1].end > end:
            place -= 1  # the next gap may have the rest of it

    for word in spoken:
        if word.start - clock > SNAP_S:
            fill(word.start)
        elif word.start != clock:
            word = retimed(word, clock, word.end)
        words.append(word)
        clock = word.end
    if duration - clock > SNAP_S:
        fill(duration)
    elif words and clock != duration:
        words[-1] = retimed(words[-1], words[-1].start, duration)
    return Alignment(tuple(words), duration, score)


def _filled(start: float, end: float, pauses: Sequence[Word]) -> list[Word]:
    """Return pauses that cover [start, end): those that are known, and new ones between them."""
    result: list[Word] = []
    clock = start
    for known in pauses:
        begin, stop = max(known.start, clock), min(known.end, end)
        if stop - begin <= SNAP_S:
            continue
        if begin - clock <= SNAP_S or not known.unwritten:
            begin = clock
        elif result and not result[-1].unwritten:
            result[-1] = stretch_word(result[-1], result[-1].start, begin)
        else:
            result.append(pause(clock, begin))
        result.append(known if (begin, stop) == _times(known) else stretch_word(known, begin, stop))
        clock = stop
    if result and (end - clock <= SNAP_S or not result[-1].unwritten):
        if result[-1].end != end:
            result[-1] = stretch_word(result[-1], result[-1].start, end)
    elif end > clock:
        result.append(pause(clock, end))
    return result


def _times(word: Word) -> tuple[float, float]:
    return word.start, word.end


def retimed(word: Word, start: float, end: float) -> Word:
    """Return the word from ``start`` to ``end`` (seconds), its phones in proportion."""
    if (start, end) == _times(word):
        return word
    factor = (end - start) / (word.end - word.start)
    edges = [start + (phone.start - word.start) * factor for phone in word.phones[1:]]
    edges = [start, *edges, end]
    phones = tuple(
        replace(phone, start=edges[k], end=edges[k + 1]) for k, phone in enumerate(word.phones)
    )
    return replace(word, start=start, end=end, phones=phones)


def spread_evenly(
    texts: Sequence[str], phones: Sequence[Sequence[str]], start: float, stop: float
) -> list[Word]:
    """Spread words that are not found over the time there is, phone by phone; all scores 0."""
    count = sum(map(len, phones))
    step = (stop - start) / max(count, 1)
    edges = [*(start + k * step for k in range(count)), stop]
    result: list[Word] = []
    at = 0
    for text, symbols in zip(texts, phones, strict=True):
        parts = tuple(
            Phone(symbol, edges[at + k], edges[at + k + 1], 0.0) for k, symbol in enumerate(symbols)
        )
        result.append(Word(text, parts[0].start, parts[-1].end, 0.0, parts))
        at += len(symbols)
    return result
