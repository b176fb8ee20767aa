"""The gain of anything else over each word in its place.

The phone network's log posteriors, or its scores of sequences, are searched twice around each word,
from the phones before it to those after it: with the word in between, and with any phones that
follow each other as phones do in English (or none). Both ways choose their own boundaries, so a
word is not blamed for a neighbour that is drawn out, and one that borrows its neighbour's sound is.
By posteriors the best of the ways count; by scores of sequences the sum of them all, which is what
these were trained to tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from alignment.arpabet import strip_stress
from alignment.network.phone_network import (
    FRAME_S,
    INDEX,
    STEP_FRAMES,
    SYMBOLS,
    in_steps,
    load_weights,
)
from alignment.result import PAUSE, Alignment, Phone

CONTEXT_PHONES = 3  # phones before the word and after it that are searched with it
LONG_PAUSE_S = 0.12  # seconds; nothing beyond such a pause is looked at
PAUSE_CONTEXT_S = 0.15  # seconds of it that are

RIVAL_FLOOR_NATS = -8.0  # nats below the likeliest phone in a frame; less is no worse
NEVER = -1e9

_PAUSE_INDEX = INDEX[PAUSE]


@dataclass(frozen=True, slots=True)
class _Place:
    """Indices of the phones before a word, in it and after it; frames [start, stop) of them all."""

    before: tuple[int, ...]
    word: tuple[int, ...]
    after: tuple[int, ...]
    start: int
    stop: int


class _Ways(NamedTuple):
    """A rule for combining the ways to one place, and those from any phone (W, 40) to any."""

    both: np.ufunc
    onwards: Callable[[np.ndarray, np.ndarray], np.ndarray]


def _best_onwards(totals: np.ndarray, steps: np.ndarray) -> np.ndarray:
    return np.asarray((totals[:, :, None] + steps).max(axis=1))


def _sum_onwards(totals: np.ndarray, steps: np.ndarray) -> np.ndarray:
    most = totals.max(axis=1, keepdims=True)
    shares = np.exp(totals - most) @ np.exp(steps)
    return np.asarray(np.log(np.maximum(shares, 1e-300)) + most)


_BEST, _SUM = _Ways(np.maximum, _best_onwards), _Ways(np.logaddexp, _sum_onwards)


def summed_advantages(alignment: Alignment, sequences: np.ndarray) -> np.ndarray:
    """Return the nats by which anything is likelier than each spoken word, all ways counted, (W,).

    ``sequences``: scores (T, 40) of `alignment.network.phone_network.sequence_scores`.
    """
    steps = in_steps(sequences, STEP_FRAMES)
    places = _places(alignment, len(steps) + 2, STEP_FRAMES * FRAME_S)
    return _better(places, steps, _SUM, STEP_FRAMES * RIVAL_FLOOR_NATS)


def advantages_between(
    alignment: Alignment, lefts: Sequence[int], posteriors: np.ndarray
) -> np.ndarray:
    """Return the nats by which anything is likelier than nothing after each of some words, (n,).

    ``lefts``: the words' numbers; -1 and the last stand for what is named before all words and
    after them or, if nothing is, beside them. ``posteriors``: log, (T, 40).
    """
    return _better(_gaps(alignment, lefts, len(posteriors) + 2), posteriors)


def fit_of(
    alignment: Alignment,
    words: tuple[int, int],
    texts: Sequence[Sequence[Sequence[str]]],
    sequences: np.ndarray,
) -> list[float]:
    """Return the nats by which each text fits in the place of the spoken words [first, last).

    All ways are counted, up to a number that the texts share. A text is given as the ways to say
    it, phones without stress, of which the best counts. ``sequences``: as for `summed_advantages`.
    """
    steps = in_steps(sequences, STEP_FRAMES)
    place = _range_place(alignment, words, len(steps) + 2, STEP_FRAMES * FRAME_S)
    below = _below(steps, STEP_FRAMES * RIVAL_FLOOR_NATS)
    ways = [[replace(place, word=tuple(INDEX[p] for p in way)) for way in text] for text in texts]
    fits = iter(_as_written(below, [each for text in ways for each in text], _SUM).tolist())
    return [max(next(fits) for _ in text) for text in ways]


def _better(
    places: Sequence[_Place],
    scores: np.ndarray,
    ways: _Ways = _BEST,
    farthest: float = RIVAL_FLOOR_NATS,
) -> np.ndarray:
    """Return the nats by which anything is likelier in each place than what is there, (n,)."""
    if not places:
        return np.zeros(0)
    pairs = load_weights()["pairs"]  # the logarithm of how often a phone is followed by another
    below = _below(scores, farthest)
    return _of_anything(below, places, pairs, ways) - _as_written(below, places, ways)


def _below(scores: np.ndarray, farthest: float) -> np.ndarray:
    """Return scores below the likeliest phone's, with a frame of silence at either end.

    So every word has something before it and after it.
    """
    below = np.maximum(scores - scores.max(axis=1, keepdims=True), farthest)
    silence = np.full((1, len(SYMBOLS)), farthest)
    silence[0, _PAUSE_INDEX] = 0.0
    return np.concatenate([silence, below, silence])


def _gaps(alignment: Alignment, lefts: Sequence[int], frames: int) -> list[_Place]:
    """Return the places between words and the next ones, as `_places` has those of words.

    Before the first word and after the last one, a place ends with a piece of the pause beyond what
    is named.
    """
    places: list[_Place] = []
    spoken = alignment.spoken
    named = [word for word in alignment.words if word.unwritten]
    for left in lefts:
        before = spoken[left].phones[-CONTEXT_PHONES:] if left >= 0 else ()
        after = spoken[left + 1].phones[:CONTEXT_PHONES] if left + 1 < len(spoken) else ()
        first_sound, last_sound = (named or spoken)[0].start, (named or spoken)[-1].end
        begin = before[0].start if before else max(first_sound - PAUSE_CONTEXT_S, 0.0)
        close = after[-1].end if after else min(last_sound + PAUSE_CONTEXT_S, alignment.duration)
        first = min(max(math.ceil(begin / FRAME_S) + 1, 0), frames - 1)
        stop = min(max(math.ceil(close / FRAME_S) + 1, first + 1), frames)
        beside = (_indices(each) or (_PAUSE_INDEX,) for each in (before, after))
        places.append(_Place(next(beside), (), next(beside), first, stop))
    return places


def _places(alignment: Alignment, frames: int, edge: float = FRAME_S) -> list[_Place]:
    """Return the words' places in frames of ``edge`` seconds, the first of which is silence."""
    phones, spans = _phones(alignment, edge)
    return [_place(phones, span, frames, edge) for span in spans]


def _range_place(alignment: Alignment, words: tuple[int, int], frames: int, edge: float) -> _Place:
    """Return the place of spoken words [first, last) or, of none, between two."""
    phones, spans = _phones(alignment, edge)
    first, last = words
    begin = spans[first][0] if first < last else spans[first - 1][1] if first else 1
    return _place(phones, (begin, spans[last - 1][1] if first < last else begin), frames, edge)


def _phones(alignment: Alignment, edge: float) -> tuple[list[Phone], list[tuple[int, int]]]:
    """Return all phones, with silence at either end, and those of each spoken word."""
    phones: list[Phone] = [Phone(PAUSE, -edge, 0.0)]
    spans: list[tuple[int, int]] = []
    for each in alignment.words:
        first = len(phones)
        phones += each.phones
        if not each.is_pause:
            spans.append((first, len(phones)))
    end = alignment.duration
    return [*phones, Phone(PAUSE, end, end + edge)], spans


def _place(phones: Sequence[Phone], span: tuple[int, int], frames: int, edge: float) -> _Place:
    first, stop = span
    before = _beside(phones[first - 1 :: -1])[::-1]
    after = _beside(phones[stop:])
    start, finish = before[0].start, after[-1].end
    if before[0].symbol == PAUSE:
        start = max(start, before[0].end - PAUSE_CONTEXT_S)
    if after[-1].symbol == PAUSE:
        finish = min(finish, after[-1].start + PAUSE_CONTEXT_S)
    begin = min(max(math.ceil(start / edge) + 1, 0), frames - 1)
    close = min(max(math.ceil(finish / edge) + 1, begin + 1), frames)
    return _Place(_indices(before), _indices(phones[first:stop]), _indices(after), begin, close)


def _indices(phones: Sequence[Phone]) -> tuple[int, ...]:
    return tuple(INDEX[strip_stress(phone.symbol)] for phone in phones)


def _beside(phones: Sequence[Phone]) -> list[Phone]:
    """Return the nearest phones on one side, nearest first, up to a long pause."""
    result: list[Phone] = []
    for phone in phones[:CONTEXT_PHONES]:
        result.append(phone)
        if phone.symbol == PAUSE and phone.end - phone.start >= LONG_PAUSE_S:
            break
    return result


def _as_written(below: np.ndarray, places: Sequence[_Place], ways: _Ways) -> np.ndarray:
    """Score the ways through each place with its word, (W,); the pauses beside it are optional."""
    chains = [_chain(place) for place in places]
    count, longest = len(chains), max(map(len, chains))
    symbols = np.zeros((count, longest), dtype=int)
    optional = np.zeros((count, longest), dtype=bool)
    for row, chain in enumerate(chains):
        symbols[row, : len(chain)] = [symbol for symbol, _ in chain]
        optional[row, : len(chain)] = [left_out for _, left_out in chain]
    last = np.array([len(chain) - 1 for chain in chains])
    rows = np.arange(count)[:, None]
    passes = np.pad(optional, ((0, 0), (1, 0)))[:, :-1]
    # State j stands at j + 2; nothing comes before the first.
    total = np.full((count, longest + 2), NEVER)
    result = np.full(count, NEVER)
    for step, frames, ending in _steps(below, places):
        if step == 0:
            total[:, 2] = 0.0
        else:
            entered = ways.both(total[:, 1:-1], np.where(passes, total[:, :-2], NEVER))
            total[:, 2:] = ways.both(total[:, 2:], entered)
        total[:, 2:] += frames[rows, symbols]
        result[ending] = total[ending, last[ending] + 2]
    return result


def _chain(place: _Place) -> list[tuple[int, bool]]:
    """Return the phones of a place in order, and whether each can be left out."""
    chain = [(symbol, False) for symbol in place.before]
    if place.before[-1] != _PAUSE_INDEX:
        chain.append((_PAUSE_INDEX, True))
    chain += [(symbol, False) for symbol in place.word]
    if place.after[0] != _PAUSE_INDEX:
        chain.append((_PAUSE_INDEX, True))
    return chain + [(symbol, False) for symbol in place.after]


def _of_anything(
    below: np.ndarray, places: Sequence[_Place], pairs: np.ndarray, ways: _Ways
) -> np.ndarray:
    """Score the ways through each place with any phones instead of its word, or none, (W,)."""
    both = ways.both
    count = len(places)
    rows = np.arange(count)[:, None]
    before = np.array(
        [(_PAUSE_INDEX,) * (CONTEXT_PHONES - len(p.before)) + p.before for p in places]
    )
    after = np.array([p.after + (_PAUSE_INDEX,) * (CONTEXT_PHONES - len(p.after)) for p in places])
    opening = np.array([CONTEXT_PHONES - len(place.before) for place in places])
    closing = np.array([len(place.after) - 1 for place in places])
    first = np.full((count, CONTEXT_PHONES), NEVER)
    loop = np.full((count, len(SYMBOLS)), NEVER)
    then = np.full((count, CONTEXT_PHONES), NEVER)
    into, out_of = pairs[before[:, -1]], pairs[:, after[:, 0]].T
    steps = np.where(np.eye(len(pairs)), 0.0, pairs)  # a phone goes on at no cost
    result = np.full(count, NEVER)
    for step, frames, ending in _steps(below, places):
        if step == 0:
            first[rows[:, 0], opening] = 0.0
        else:
            left = both(both.reduce(loop + out_of, axis=1), first[:, -1])
            loop = both(ways.onwards(loop, steps), first[:, -1:] + into)
            then[:, 1:] = both(then[:, 1:], then[:, :-1])
            then[:, 0] = both(then[:, 0], left)
            first[:, 1:] = both(first[:, 1:], first[:, :-1])
        first = first + frames[rows, before]
        loop = loop + frames
        then = then + frames[rows, after]
        result[ending] = then[ending, closing[ending]]
    return result


def _steps(
    below: np.ndarray, places: Sequence[_Place]
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Step by step, the frame that each place has come to, (W, 40), and whose last one it is."""
    starts = np.array([place.start for place in places])
    lengths = np.array([place.stop - place.start for place in places])
    for step in range(int(lengths.max())):
        yield step, below[np.minimum(starts + step, len(below) - 1)], lengths == step + 1
