"""Where the words are after one was moved by hand."""

from __future__ import annotations

import math

from a3t.errors import InputError
from a3t.grid import seconds_of
from a3t.rendering.edited import EditedRecording
from alignment import Alignment, Word
from alignment.retiming import covering, retimed
from app import texts


def move_word(alignment: Alignment, number: int, start: float, end: float) -> Alignment:
    """The spoken word `number` (from 0) at [start, end) seconds; its phones keep their shares.

    A neighbour that is in the way is shortened. Raises InputError if there is no such word, or if a
    word would have less than one frame (12.5 ms) for each of its phones.
    """
    spoken = list(alignment.spoken)
    if not 0 <= number < len(spoken):
        raise InputError(texts.NO_WORD)
    if not (math.isfinite(start) and math.isfinite(end)):
        raise InputError(texts.NO_TIMES)
    word = spoken[number]
    spoken[number] = _fitted(word, max(start, 0.0), min(end, alignment.duration))
    if number > 0 and spoken[number - 1].end > spoken[number].start:
        before = spoken[number - 1]
        spoken[number - 1] = _fitted(before, before.start, spoken[number].start)
    if number + 1 < len(spoken) and spoken[number + 1].start < spoken[number].end:
        after = spoken[number + 1]
        spoken[number + 1] = _fitted(after, spoken[number].end, after.end)
    return covering(spoken, alignment.duration, alignment.score)


def _fitted(word: Word, start: float, end: float) -> Word:
    if end - start < seconds_of(len(word.phones)):
        raise InputError(texts.too_short(word.text, seconds_of(len(word.phones)), end - start))
    return retimed(word, start, end)


def in_the_original(
    result: EditedRecording, words: int, number: int, start: float, end: float
) -> tuple[int, float, float]:
    """A word of an edited recording, and times for it, as they are in the original, which has so
    many words.

    Raises InputError for a synthesised word, whose place the plan decided.
    """
    spoken = result.plan.whole_words(words)
    if any(change.output[0] <= number < change.output[1] for change in spoken.changes):
        raise InputError(texts.MADE_WORD)
    past = sum(change.output[1] <= number for change in spoken.changes)
    shift = result.map.seconds(result.map.samples.shifts[past])
    return spoken.source_of(number), start - shift, end - shift
