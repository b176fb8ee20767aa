"""A long recording cut into pieces that are aligned separately, by its words' rough places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from alignment.boolean_runs import runs_of
from alignment.long.anchors import ELSEWHERE, SECONDS, Anchors

# Sound that isn't the text's, or words that aren't spoken, are pieces of their own from here on.
FOREIGN_SECONDS, FOREIGN_WORDS = 2.0, 6

# Between two foreign stretches, so few words were found by chance.
CHANCE_WORDS = 8

SHORTEST, USUAL, LONGEST = 8.0, 22.0, 45.0  # seconds of a piece
PAUSE_SECONDS = 0.1  # the shortest pause that is cut in, if there is any

# A cut stands only where the text is heard on both sides: mean over this many seconds.
AROUND, HEARD = 1.0, -1.2


@dataclass(frozen=True, slots=True)
class Piece:
    """The frames [start, stop) of anchors, and the words [first, end) that lie there; `foreign`:
    what is spoken there isn't the text."""

    start: int
    stop: int
    first: int
    end: int
    foreign: bool = False

    @property
    def seconds(self) -> float:
        return (self.stop - self.start) * SECONDS

    @property
    def words(self) -> int:
        return self.end - self.first


def pieces(anchors: Anchors, words: int) -> list[Piece]:
    """The pieces in order, without gaps; each word of the text is in one of them."""
    total = len(anchors.words)
    result: list[Piece] = []
    clock = first = 0
    for start, stop, foreign in [*_apart(anchors, words), (total, total, False)]:
        begin, end = _heard(anchors, clock, start, first, words)
        if start == total > clock:
            end = words
        if begin > first and result:  # what was passed by before it
            result[-1] = replace(result[-1], end=begin)
        if start > clock:
            result += _cut(anchors, clock, start, begin if result else 0, end)
            first = end
        if stop > start:
            result.append(Piece(start, stop, first, first, foreign))
        clock = stop
    result[-1] = replace(result[-1], end=words)
    return result


def _apart(anchors: Anchors, words: int) -> Iterator[tuple[int, int, bool]]:
    """Stretches of frames without the text's words, in order, and whether they are something else
    than the text, not silence."""
    foreign = _foreign(anchors, words)
    every = [(*frames, True) for frames in foreign]
    every += [
        (first, last, False)
        for first, last in anchors.silent
        if not any(start < last and first < stop for start, stop in foreign)
    ]
    yield from sorted(every)


def _heard(anchors: Anchors, start: int, stop: int, first: int, words: int) -> tuple[int, int]:
    """The words [begin, end) that are found in the frames [start, stop), from `first` on."""
    inside = anchors.words[start:stop]
    spoken = inside[(inside != ELSEWHERE) & ~anchors.quiet[start:stop]]
    if not len(spoken):
        return first, first
    return max(int(spoken.min()), first), int(spoken.max()) + 1


def _foreign(anchors: Anchors, words: int) -> list[tuple[int, int]]:
    """Stretches of frames that are something else than the text; two become one when there are
    few words between them."""
    total = len(anchors.words)
    found: list[tuple[int, int]] = []
    for start, stop in runs_of(anchors.words == ELSEWHERE):
        before = anchors.words[start - 1] if start else -1
        after = anchors.words[stop] if stop < total else words
        if (stop - start) * SECONDS < FOREIGN_SECONDS and after - before <= FOREIGN_WORDS:
            continue
        if found and len(np.unique(anchors.words[found[-1][1] : start])) < CHANCE_WORDS:
            start = found.pop()[0]
        found.append((start, stop))
    return found


def _cut(anchors: Anchors, start: int, stop: int, first: int, end: int) -> Iterator[Piece]:
    """Frames in which the words [first, end) are heard, cut in pauses."""
    places, lengths = _pauses(anchors, start, stop, first, end)
    while (stop - start) * SECONDS > USUAL + SHORTEST:
        near = (places >= start + SHORTEST / SECONDS) & (places <= start + USUAL / SECONDS)
        far = (places > start + USUAL / SECONDS) & (places <= start + LONGEST / SECONDS)
        if lengths[near].max(initial=0) > 0:
            best = np.flatnonzero(near)[lengths[near].argmax()]
        elif lengths[far].max(initial=0) > 0:
            best = np.flatnonzero(far)[np.flatnonzero(lengths[far])[0]]
        elif near.any():
            best = np.flatnonzero(near)[-1]
        else:
            break
        cut = int(places[best])
        word = int(anchors.words[cut])
        if not first < word < end:
            break
        yield Piece(start, cut, first, word)
        start, first = cut, word
        places, lengths = places[best + 1 :], lengths[best + 1 :]
    yield Piece(start, stop, first, end)


def _pauses(
    anchors: Anchors, start: int, stop: int, first: int, end: int
) -> tuple[np.ndarray, np.ndarray]:
    """Frames where a cut can stand, (n,), and how long the pause there is, (n,); 0 between words
    without a pause, or where the text is badly heard."""
    reach = round(AROUND / SECONDS)
    places: list[int] = []
    lengths: list[int] = []
    quiet = anchors.quiet[start:stop]
    for begin, over in runs_of(quiet):
        middle = start + (begin + over) // 2
        if not first < anchors.words[middle] < end:
            continue
        sides = (
            anchors.below[max(start + begin - reach, start) : start + begin],
            anchors.below[start + over : min(start + over + reach, stop)],
        )
        heard = all(len(side) and side.mean() > HEARD for side in sides)
        length = over - begin if heard and (over - begin) * SECONDS >= PAUSE_SECONDS else 0
        places.append(middle)
        lengths.append(length)
    return np.array(places, dtype=int), np.array(lengths, dtype=int)
