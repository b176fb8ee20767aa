"""Doubts to look at before something is cut: doubtful words, and sound without text.

An edit trusts the times of the words that it replaces and of their neighbours. Where one of these
is hardly heard, or speech stands between them that the text doesn't have (an "um", a repetition),
the wrong sound would be cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from alignment.result import DOUBTFUL_BELOW, Alignment, Word

# Seconds of speech in one pause that are no breath and no late boundary: in right texts of 35 clips
# up to 0.14 clean, and up to 0.21 in noise. Beside an edit less is tolerated than elsewhere: a
# needless question costs less there than a wrong cut.
UNWRITTEN_S = 0.35
UNWRITTEN_BESIDE_S = 0.24
# The same of sound that the aligner has named, which says itself how likely it is that the text
# lacks it (alignment.confidence.scores.EVEN_ROOT).
NAMED_S, NAMED_BESIDE_S = 0.16, 0.04

# What else there is, is only known not to be silence.
SOUND_DESCRIPTIONS = {"<um>": "A filled pause", "<repeat>": "A repetition", "<speech>": "Speech"}


@dataclass(frozen=True, slots=True)
class Doubt:
    """A word that is hardly heard, or sound without text, from ``start`` to ``end`` in seconds.

    Of a word ``text`` is set and ``score`` is its confidence. Of sound ``text`` is "", ``score`` is
    the share that is no speech, and ``unwritten`` is its name (see `alignment.result.Word`).
    """

    text: str
    start: float
    end: float
    score: float
    unwritten: str = ""

    def __str__(self) -> str:
        """Return a sentence for the user."""
        if self.text:
            return f'"{self.text}" at {self.start:.2f} s is doubtful ({self.score:.0%}).'
        sound = SOUND_DESCRIPTIONS.get(self.unwritten, "Sound")
        return f"{sound} from {self.start:.2f} to {self.end:.2f} s is not in the text."

    def to_json(self) -> dict[str, Any]:
        """Return the doubt as JSON, without an empty ``unwritten``."""
        result = {"text": self.text, "start": self.start, "end": self.end, "score": self.score}
        return {**result, "unwritten": self.unwritten} if self.unwritten else result


def with_confidences(alignment: Alignment, confidences: Sequence[float]) -> Alignment:
    """Return the alignment with no word surer than its recogniser was of it.

    ``confidences``: of each spoken word; none changes nothing. A word that fits the sound isn't for
    that the one that was said.
    """
    if not confidences:
        return alignment
    sure = iter(confidences)
    words = tuple(
        replace(word, score=min(word.score, next(sure))) if word.text else word
        for word in alignment.words
    )
    return replace(alignment, words=words)


def unwritten_speech(alignment: Alignment) -> list[Word]:
    """Return the pauses that hold speech: what the text doesn't have."""
    return [word for word in alignment.words if word.is_pause and _is_unwritten(word, beside=False)]


def places_of_unwritten(alignment: Alignment) -> frozenset[int]:
    """Return the numbers of the words before which sound has no word; at the end, their count."""
    places, number = set[int](), 0
    for word in alignment.words:
        if not word.is_pause:
            number += 1
        elif word.unwritten or _is_unwritten(word, beside=True):
            places.add(number)
    return frozenset(places)


def doubts(alignment: Alignment) -> list[Doubt]:
    """Return all that is doubtful in a recording, in order."""
    return list(_doubts(alignment.words, beside=False))


def doubts_beside(alignment: Alignment, first: int, end: int) -> list[Doubt]:
    """Return the doubts about an edit of the words [first, end) of `alignment.spoken`, in order.

    Looks at these words, at the neighbour on either side, and at the sound between them; for an
    insertion (``first`` equal to ``end``) at both neighbours. Where the edit is at the beginning or
    the end of the text, at the sound before or after it as well. Raises IndexError for other
    positions.
    """
    count = len(alignment.spoken)
    if not 0 <= first <= end <= count:
        raise IndexError(f"there are no words {first} to {end} among {count}")
    places = [place for place, word in enumerate(alignment.words) if word.text]
    begin = places[first - 1] if first else 0
    stop = places[end] + 1 if end < count else len(alignment.words)
    return list(_doubts(alignment.words[begin:stop], beside=True))


def _doubts(words: tuple[Word, ...], beside: bool) -> Iterator[Doubt]:
    for word in words:
        if _is_unwritten(word, beside) if word.is_pause else word.score < DOUBTFUL_BELOW:
            yield Doubt(word.text, word.start, word.end, word.score, word.unwritten)


def _is_unwritten(pause: Word, beside: bool) -> bool:
    """Return whether a pause, ``beside`` an edit or anywhere, holds speech that counts."""
    speech = pause.duration * (1 - pause.score)
    if pause.unwritten:
        # A sound can be named and still be no word that is missing: its phone says how likely.
        speech = min(speech, pause.duration * (1 - pause.phones[0].score))
        return speech > (NAMED_BESIDE_S if beside else NAMED_S)
    return speech > (UNWRITTEN_BESIDE_S if beside else UNWRITTEN_S)
