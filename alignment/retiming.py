"""Move words to other times, and join words into alignments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from alignment.result import Alignment, Phone, Word, pause, stretch_word

SNAP = 0.005  # seconds; boundaries nearer than this are one


def covering(
    spoken: Sequence[Word], duration: float, score: float, pauses: Iterable[Word] = ()
) -> Alignment:
    """An alignment of these words in order, with pauses wherever there is nothing between them.

    `pauses`, in order: those that were there before. What still lies between two words stays as it
    is, names and scores included; where a word was moved, a pause is cut off or made longer.
    """
    words: list[Word] = []
    waiting = [word for word in pauses if word.duration > SNAP]
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
        if word.start - clock > SNAP:
            fill(word.start)
        elif word.start != clock:
            word = retimed(word, clock, word.end)
        words.append(word)
        clock = word.end
    if duration - clock > SNAP:
        fill(duration)
    elif words and clock != duration:
        words[-1] = retimed(words[-1], words[-1].start, duration)
    return Alignment(tuple(words), duration, score)


def _filled(start: float, end: float, pauses: Sequence[Word]) -> list[Word]:
    """Pauses that cover [start, end): those that are known, and new ones between them."""
    result: list[Word] = []
    clock = start
    for known in pauses:
        begin, stop = max(known.start, clock), min(known.end, end)
        if stop - begin <= SNAP:
            continue
        if begin - clock <= SNAP or not known.unwritten:
            begin = clock
        elif result and not result[-1].unwritten:
            result[-1] = stretch_word(result[-1], result[-1].start, begin)
        else:
            result.append(pause(clock, begin))
        result.append(known if (begin, stop) == _times(known) else stretch_word(known, begin, stop))
        clock = stop
    if result and (end - clock <= SNAP or not result[-1].unwritten):
        if result[-1].end != end:
            result[-1] = stretch_word(result[-1], result[-1].start, end)
    elif end > clock:
        result.append(pause(clock, end))
    return result


def _times(word: Word) -> tuple[float, float]:
    return word.start, word.end


def retimed(word: Word, start: float, end: float) -> Word:
    """The word from ``start`` to ``end`` (seconds), its phones in proportion."""
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
    """Words that are not found, phone by phone over the time there is; all scores 0."""
    edges = np.linspace(start, stop, sum(map(len, phones)) + 1).tolist()
    result: list[Word] = []
    at = 0
    for text, symbols in zip(texts, phones, strict=True):
        parts = tuple(
            Phone(symbol, edges[at + k], edges[at + k + 1], 0.0) for k, symbol in enumerate(symbols)
        )
        result.append(Word(text, parts[0].start, parts[-1].end, 0.0, parts))
        at += len(symbols)
    return result
