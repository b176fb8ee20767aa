"""A long recording cut into pieces, by the rough place of each word of its text.

The places are found in one cheap pass: the phone network's log posteriors (alignment.network), 50
frames a second, are searched for the text's phones by a Viterbi search that sees some minutes of
text ahead of the likeliest place. At the end of any word it can leave the text for "something
else", which costs OTHER_NATS nats a frame more than the likeliest phone, and come back at the same
or a later word: so sound that isn't in the text, text that isn't spoken, and a wrong paragraph,
which is both, don't pull the rest away.

Memory doesn't grow with the recording but for 80 bytes a frame: the way is settled a minute behind.
The pieces are aligned separately (alignment.long.whole).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from alignment.aligner import Readable
from alignment.arpabet import strip_stress
from alignment.boolean_runs import runs_of
from alignment.network.phone_network import (
    FRAME_S,
    INDEX,
    features,
    posteriors,
)
from alignment.result import PAUSE
from alignment.waveform import normalise_level, require_usable

POOLED = 2  # frames of the network in one of the search
SEARCH_FRAME_S = POOLED * FRAME_S  # of a frame of the search

BLOCK_S, MARGIN_S = 30.0, 0.2  # read at once, and beside it for the network's view

SEARCH_FLOOR_NATS = -8.0  # a phone's log posterior below the likeliest's; more is no worse
OTHER_NATS = 1.2  # nats a frame that "something else" lies below the likeliest phone
LEAVING_NATS, RETURNING_NATS = 40.0, 40.0  # nats that it costs to leave the text, and to come back
SKIP_NATS = 0.5  # nats for each phone of the text that is left out

# Around the likeliest phone, those that are searched: a minute behind, six ahead.
BEHIND_PHONES, AHEAD_PHONES = 500, 3500
MOVE_FRAMES = 50  # frames after which the window is moved
SETTLED_FRAMES = 3000  # frames that are settled at once, as many again behind the newest

# A stretch so far below the loudest second, and so long, is not searched: in a piece that holds
# nothing but room tone the network hears whatever it likes.
SILENT_DB, SILENT_S = 35.0, 10.0
SILENT_EDGE_S = 1.0  # seconds at either end of it that are searched

ELSEWHERE = -1
# Sound that isn't the text's, or words that aren't spoken, are pieces of their own from here on.
FOREIGN_S, FOREIGN_WORDS = 2.0, 6
# Between two foreign stretches, so few words were found by chance.
CHANCE_WORDS = 8
SHORTEST_PIECE_S, USUAL_PIECE_S, LONGEST_PIECE_S = 8.0, 22.0, 45.0  # seconds of a piece
CUT_PAUSE_S = 0.1  # the shortest pause that is cut in, if there is any
# A cut stands only where the text is heard on both sides: mean over this many seconds.
CUT_SIDE_S, HEARD_NATS = 1.0, -1.2


@dataclass(frozen=True, slots=True)
class Anchors:
    """The rough way through a text, frame by frame.

    words: of each frame, (T,); ELSEWHERE where it is something else. quiet (T,): whether it is in a
    pause. below (T,): nats below the likeliest phone, ≤ 0. silent: long stretches of silence,
    frames [first, last), in order.
    """

    words: np.ndarray
    quiet: np.ndarray
    below: np.ndarray
    silent: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _Text:
    """The states of a text: before each word, and after the last, a pause that can be left out."""

    symbols: np.ndarray  # (n,) of phone_network.SYMBOLS
    words: np.ndarray  # (n,) whose state it is; a pause's is the word after it
    opens: np.ndarray  # (n,) whether a word can begin here
    closes: np.ndarray  # (n,) whether the text can be left from here

    @classmethod
    def of(cls, phones: Sequence[Sequence[str]]) -> _Text:
        symbols: list[int] = []
        words: list[int] = []
        opens: list[bool] = []
        for number, part in enumerate(phones):
            symbols += [INDEX[PAUSE], *(INDEX[strip_stress(phone)] for phone in part)]
            words += [number] * (len(part) + 1)
            opens += [False, True, *[False] * (len(part) - 1)]
        symbols.append(INDEX[PAUSE])
        words.append(len(phones))
        opens.append(False)
        starts = np.array(opens)
        pauses = np.roll(starts, -1)
        pauses[-1] = True
        return cls(np.array(symbols), np.array(words), starts, pauses | np.roll(pauses, -1))


def find_anchors(recording: Readable, phones: Sequence[Sequence[str]]) -> Anchors:
    """Find the rough place of each word, reading the recording once, block by block.

    ``phones``: of each word, ARPAbet with or without stress, at least one.
    """
    blocks = list(_posteriors(recording))
    every = np.concatenate([scores for scores, _ in blocks])
    silent = _silences(np.concatenate([power for _, power in blocks]))
    searched = np.ones(len(every), bool)
    for first, last in silent:
        searched[first:last] = False
    scores, text = every[searched], _Text.of(phones)
    path = _path(scores, text)
    inside = np.maximum(path, 0)
    text_scores = scores[np.arange(len(path)), text.symbols[inside]].astype(np.float32)
    words = np.where(path < 0, ELSEWHERE, text.words[inside])
    quiet = (path >= 0) & (text.symbols[inside] == INDEX[PAUSE])
    below = np.where(path < 0, -OTHER_NATS, text_scores)
    # A silence is what stands before it, but quiet.
    before = np.maximum(np.cumsum(searched) - 1, 0)
    return Anchors(words[before], quiet[before] | ~searched, below[before], silent)


def _silences(power: np.ndarray) -> tuple[tuple[int, int], ...]:
    """Return long stretches of silence, without their ends, by the power of each frame, (T,)."""
    second = round(1 / SEARCH_FRAME_S)
    if len(power) < 2 * second:
        return ()
    mean = np.convolve(power, np.ones(second) / second, "same")
    low = mean < mean.max() * 10 ** (-SILENT_DB / 10)
    edge = round(SILENT_EDGE_S / SEARCH_FRAME_S)
    return tuple(
        (first + edge, last - edge)
        for first, last in runs_of(low)
        if (last - first) * SEARCH_FRAME_S >= SILENT_S
    )


def _posteriors(recording: Readable) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield log posteriors below the frame's best, (T, 40), float16, and each frame's power, (T,).

    One block comes after the other.
    """
    rate = recording.sample_rate
    block, margin = (round(seconds * rate) for seconds in (BLOCK_S, MARGIN_S))
    frames = round(BLOCK_S / SEARCH_FRAME_S)
    before = round(MARGIN_S / FRAME_S)
    for start in range(0, recording.samples, block):
        stop = min(start + block, recording.samples)
        left = min(start, margin)
        samples = recording.mono(start - left, min(stop + margin, recording.samples))
        require_usable(samples, rate)
        scores = posteriors(features(normalise_level(samples, rate)))
        scores = scores[before if left else 0 :][: frames * POOLED]
        scores = scores[: max(round((stop - start) / rate / SEARCH_FRAME_S), 1) * POOLED]
        pooled = np.add.reduceat(scores, np.arange(0, len(scores), POOLED)) / POOLED
        pooled -= pooled.max(axis=1, keepdims=True)
        middle = samples[left : left + stop - start].astype(np.float64)
        hop = max(round(SEARCH_FRAME_S * rate), 1)
        power = (
            np.add.reduceat(np.square(middle - middle.mean()), np.arange(0, len(middle), hop)) / hop
        )
        power = np.pad(power, (0, max(len(pooled) - len(power), 0)))[: len(pooled)]
        yield np.maximum(pooled, SEARCH_FLOOR_NATS).astype(np.float16), power


def _path(scores: np.ndarray, text: _Text) -> np.ndarray:
    """Return the state of each frame, (T,), or ELSEWHERE."""
    search = _Search(text)
    path = np.zeros(len(scores), dtype=np.int64)
    settled = 0
    for begin in range(0, len(scores), MOVE_FRAMES):
        if search.length >= 2 * SETTLED_FRAMES:
            path[settled : settled + SETTLED_FRAMES] = search.settle(SETTLED_FRAMES)
            settled += SETTLED_FRAMES
        search.advance(scores[begin : begin + MOVE_FRAMES].astype(np.float32))
    path[settled:] = search.finish()
    return path


class _Search:
    """Totals of all states in the window after the frames so far, and how they came about."""

    def __init__(self, text: _Text) -> None:
        states = len(text.symbols)
        places = np.arange(states)
        self.text = text
        self.width = min(BEHIND_PHONES + AHEAD_PHONES, states)
        self.low = 0
        # The total of state j stands at j + 2; nothing comes before the first.
        self.totals = np.full(states + 2, -np.inf, dtype=np.float32)
        self.totals[2] = 0.0
        self.skips = np.where(text.opens, 0.0, -np.inf).astype(np.float32)
        cost = -RETURNING_NATS - SKIP_NATS * places
        self.entries = np.where(text.opens, cost, -np.inf).astype(np.float32)
        self.exits = np.where(text.closes, -LEAVING_NATS, -np.inf).astype(np.float32)
        # "Something else", and the state from which on the text can go on.
        self.other, self.left_at = 0.0, 0
        self.steps: list[np.ndarray] = []  # of each frame: 0 stay, 1 next, 2 next but one, 3 return
        self.lows: list[int] = []
        self.lefts: list[int] = []  # the state from which the text was left, or ELSEWHERE

    @property
    def length(self) -> int:
        return len(self.steps)

    def advance(self, scores: np.ndarray) -> None:
        """Search more frames (k, symbols) with the window where it is, then move the window."""
        low, high = self.low, self.low + self.width
        symbols = self.text.symbols[low:high]
        skips, entries, exits = (each[low:high] for each in (self.skips, self.entries, self.exits))
        totals = self.totals
        for frame in scores:
            stays = totals[low + 2 : high + 2]
            nexts = np.maximum(stays, totals[low + 1 : high + 1])
            step = (nexts > stays).astype(np.uint8)
            best = np.maximum(nexts, totals[low:high] + skips)
            step[best > nexts] = 2
            first = max(self.left_at - low, 0)
            back = entries[first:] + np.float32(self.other + SKIP_NATS * self.left_at)
            better = back > best[first:]
            if better.any():
                step[first:][better] = 3
                best[first:] = np.maximum(best[first:], back)
            leaving = stays + exits
            place = int(leaving.argmax())
            left = ELSEWHERE
            if leaving[place] > self.other:
                self.other, left = float(leaving[place]), low + place
                self.left_at = left + 1
            self.other -= OTHER_NATS
            totals[low + 2 : high + 2] = best + frame[symbols]
            self.steps.append(step)
            self.lows.append(low)
            self.lefts.append(left)
        self._move()

    def _move(self) -> None:
        """Move the window to the likeliest place, and the totals to 0."""
        place = int(self.totals.argmax())
        highest = max(float(self.totals[place]), self.other)
        here = self.left_at if self.other > self.totals[place] else place - 2
        self.totals -= np.float32(highest)
        self.other -= highest
        last = len(self.text.symbols) - self.width
        self.low = max(min(here - BEHIND_PHONES, last), self.low)
        self.totals[: self.low + 2] = -np.inf

    def settle(self, frames: int) -> np.ndarray:
        """Return the way of the oldest frames, and forget them."""
        place = int(self.totals.argmax())
        state = ELSEWHERE if self.other > self.totals[place] else place - 2
        path = self._traced(state)[:frames]
        del self.steps[:frames], self.lows[:frames], self.lefts[:frames]
        return path

    def finish(self) -> np.ndarray:
        """Return the way of the frames that are left, to the end of the text if that is heard."""
        last = len(self.totals) - 1
        ends = self.totals[last - 1 :]
        rest = SKIP_NATS * (last - 2 - self.left_at)
        if max(ends) < self.other - rest:
            return self._traced(ELSEWHERE)
        return self._traced(last - 2 if ends[1] >= ends[0] else last - 3)

    def _traced(self, state: int) -> np.ndarray:
        path = np.zeros(self.length, dtype=np.int64)
        for t in range(self.length - 1, -1, -1):
            path[t] = state
            if state == ELSEWHERE:
                state = self.lefts[t]
                continue
            step = int(self.steps[t][state - self.lows[t]])
            state = ELSEWHERE if step == 3 else state - step
        return path


@dataclass(frozen=True, slots=True)
class Piece:
    """Frames [start, stop) and their words [first, end); ``foreign``: not the text's."""

    start: int
    stop: int
    first: int
    end: int
    foreign: bool = False

    @property
    def seconds(self) -> float:
        """Seconds that the piece lasts."""
        return (self.stop - self.start) * SEARCH_FRAME_S

    @property
    def words(self) -> int:
        """Number of its words."""
        return self.end - self.first


def pieces(anchors: Anchors, words: int) -> list[Piece]:
    """Return the pieces in order, without gaps; each word of the text is in one of them."""
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
    """Yield stretches of frames without the text's words, in order; True: foreign, not silent."""
    foreign = _foreign(anchors, words)
    every = [(*frames, True) for frames in foreign]
    every += [
        (first, last, False)
        for first, last in anchors.silent
        if not any(start < last and first < stop for start, stop in foreign)
    ]
    yield from sorted(every)


def _heard(anchors: Anchors, start: int, stop: int, first: int, words: int) -> tuple[int, int]:
    """Return the words [begin, end) found in the frames [start, stop), from ``first`` on."""
    inside = anchors.words[start:stop]
    spoken = inside[(inside != ELSEWHERE) & ~anchors.quiet[start:stop]]
    if not len(spoken):
        return first, first
    return max(int(spoken.min()), first), int(spoken.max()) + 1


def _foreign(anchors: Anchors, words: int) -> list[tuple[int, int]]:
    """Return stretches of frames that aren't the text, joined where few words lie between them."""
    total = len(anchors.words)
    stretches: list[tuple[int, int]] = []
    for start, stop in runs_of(anchors.words == ELSEWHERE):
        before = anchors.words[start - 1] if start else -1
        after = anchors.words[stop] if stop < total else words
        if (stop - start) * SEARCH_FRAME_S < FOREIGN_S and after - before <= FOREIGN_WORDS:
            continue
        if stretches and len(np.unique(anchors.words[stretches[-1][1] : start])) < CHANCE_WORDS:
            start = stretches.pop()[0]
        stretches.append((start, stop))
    return stretches


def _cut(anchors: Anchors, start: int, stop: int, first: int, end: int) -> Iterator[Piece]:
    """Cut the frames in which the words [first, end) are heard, in pauses."""
    places, lengths = _pauses(anchors, start, stop, first, end)
    while (stop - start) * SEARCH_FRAME_S > USUAL_PIECE_S + SHORTEST_PIECE_S:
        near = (places >= start + SHORTEST_PIECE_S / SEARCH_FRAME_S) & (
            places <= start + USUAL_PIECE_S / SEARCH_FRAME_S
        )
        far = (places > start + USUAL_PIECE_S / SEARCH_FRAME_S) & (
            places <= start + LONGEST_PIECE_S / SEARCH_FRAME_S
        )
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
    """Return frames where a cut can stand, (n,), and how long the pause there is, (n,).

    The length is 0 between words without a pause, or where the text is badly heard.
    """
    reach = round(CUT_SIDE_S / SEARCH_FRAME_S)
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
        heard = all(len(side) and side.mean() > HEARD_NATS for side in sides)
        length = over - begin if heard and (over - begin) * SEARCH_FRAME_S >= CUT_PAUSE_S else 0
        places.append(middle)
        lengths.append(length)
    return np.array(places, dtype=int), np.array(lengths, dtype=int)
