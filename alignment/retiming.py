"""Words moved to other times, and alignments put together of words."""

from __future__ import annotations

from collections.abc import Sequence

from alignment.result import Alignment, Phone, Word, pause

SNAP = 0.005  # seconds; boundaries nearer than this are one


def covering(spoken: Sequence[Word], duration: float, score: float) -> Alignment:
    """An alignment of these words in order, with pauses wherever there is nothing between them."""
    words: list[Word] = []
    clock = 0.0
    for word in spoken:
        if word.start - clock > SNAP:
            words.append(pause(clock, word.start))
        elif word.start != clock:
            word = retimed(word, clock, word.end)
        words.append(word)
        clock = word.end
    if duration - clock > SNAP:
        words.append(pause(clock, duration))
    elif words and clock != duration:
        words[-1] = retimed(words[-1], words[-1].start, duration)
    return Alignment(tuple(words), duration, score)


def retimed(word: Word, start: float, end: float) -> Word:
    """The word from ``start`` to ``end`` (seconds), its phones in proportion."""
    if (start, end) == (word.start, word.end):
        return word
    factor = (end - start) / (word.end - word.start)
    edges = [start + (phone.start - word.start) * factor for phone in word.phones[1:]]
    edges = [start, *edges, end]
    phones = tuple(
        Phone(phone.symbol, edges[k], edges[k + 1], phone.score)
        for k, phone in enumerate(word.phones)
    )
    return Word(word.text, start, end, word.score, phones)
