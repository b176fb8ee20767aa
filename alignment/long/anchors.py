"""The rough place of each word of a long text in a long recording, in one cheap pass.

The phone network's log posteriors (alignment.network), 50 frames a second, are searched for the
text's phones by a Viterbi search that sees some minutes of text ahead of the likeliest place. At
the end of any word it can leave the text for "something else", which costs OTHER nats a frame more
than the likeliest phone, and come back at the same or a later word: so sound that isn't in the
text, text that isn't spoken, and a wrong paragraph, which is both, don't pull the rest away.

Memory doesn't grow with the recording but for 80 bytes a frame: the way is settled a minute behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from alignment.aligner import Readable
from alignment.arpabet import strip_stress
from alignment.boolean_runs import runs_of
from alignment.network.phone_network import (
    FRAME_SECONDS,
    INDEX,
    features,
    posteriors,
)
from alignment.result import PAUSE
from alignment.waveform import normalise_level, require_usable

POOLED = 2  # frames of the network in one of the search
SECONDS = POOLED * FRAME_SECONDS  # of a frame of the search

BLOCK_SECONDS, MARGIN_SECONDS = 30.0, 0.2  # read at once, and beside it for the network's view

FARTHEST = -8.0  # a phone's log posterior below the likeliest's; more is no worse
OTHER = 1.2  # nats a frame that "something else" lies below the likeliest phone
LEAVING, RETURNING = 40.0, 40.0  # nats that it costs to leave the text, and to come back
PASSED_BY = 0.5  # nats for each phone of the text that is left out

BEHIND, AHEAD = 500, 3500  # phones around the likeliest one that are looked at: a minute, six
MOVED = 50  # frames after which the window is moved
SETTLED = 3000  # frames that are settled at once, as many again behind the newest

# A stretch so far below the loudest second, and so long, is not searched: in a piece that holds
# nothing but room tone the network hears whatever it likes.
SILENT_DB, SILENT_SECONDS = 35.0, 10.0
SILENT_EDGE = 1.0  # seconds at either end of it that are searched

ELSEWHERE = -1


@dataclass(frozen=True, slots=True)
class Anchors:
    """The way through a text: for each frame its word, (T,), ELSEWHERE where it is something else;
    `quiet` (T,): whether it is in a pause; `below` (T,): nats below the likeliest phone, ≤ 0;
    `silent`: long stretches of silence, frames [first, last), in order."""

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
    """`phones`: of each word, ARPAbet with or without stress, at least one; the recording is read
    once, block by block."""
    blocks = list(_posteriors(recording))
    every = np.concatenate([scores for scores, _ in blocks])
    silent = _silences(np.concatenate([power for _, power in blocks]))
    searched = np.ones(len(every), bool)
    for first, last in silent:
        searched[first:last] = False
    scores, text = every[searched], _Text.of(phones)
    path = _path(scores, text)
    inside = np.maximum(path, 0)
    found = scores[np.arange(len(path)), text.symbols[inside]].astype(np.float32)
    words = np.where(path < 0, ELSEWHERE, text.words[inside])
    quiet = (path >= 0) & (text.symbols[inside] == INDEX[PAUSE])
    below = np.where(path < 0, -OTHER, found)
    # A silence is what stands before it, but quiet.
    before = np.maximum(np.cumsum(searched) - 1, 0)
    return Anchors(words[before], quiet[before] | ~searched, below[before], silent)


def _silences(power: np.ndarray) -> tuple[tuple[int, int], ...]:
    """Long stretches of silence, but for their ends, by the power of each frame, (T,)."""
    second = round(1 / SECONDS)
    if len(power) < 2 * second:
        return ()
    mean = np.convolve(power, np.ones(second) / second, "same")
    low = mean < mean.max() * 10 ** (-SILENT_DB / 10)
    edge = round(SILENT_EDGE / SECONDS)
    return tuple(
        (first + edge, last - edge)
        for first, last in runs_of(low)
        if (last - first) * SECONDS >= SILENT_SECONDS
    )


def _posteriors(recording: Readable) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Log posteriors below the frame's best, (T, 40), float16, and the power of each frame, (T,),
    of one block after the other."""
    rate = recording.sample_rate
    block, margin = (round(seconds * rate) for seconds in (BLOCK_SECONDS, MARGIN_SECONDS))
    frames = round(BLOCK_SECONDS / SECONDS)
    before = round(MARGIN_SECONDS / FRAME_SECONDS)
    for start in range(0, recording.samples, block):
        stop = min(start + block, recording.samples)
        left = min(start, margin)
        samples = recording.mono(start - left, min(stop + margin, recording.samples))
        require_usable(samples, rate)
        found = posteriors(features(normalise_level(samples, rate)))
        found = found[before if left else 0 :][: frames * POOLED]
        found = found[: max(round((stop - start) / rate / SECONDS), 1) * POOLED]
        pooled = np.add.reduceat(found, np.arange(0, len(found), POOLED)) / POOLED
        pooled -= pooled.max(axis=1, keepdims=True)
        own = samples[left : left + stop - start].astype(np.float64)
        hop = max(round(SECONDS * rate), 1)
        power = np.add.reduceat(np.square(own - own.mean()), np.arange(0, len(own), hop)) / hop
        power = np.pad(power, (0, max(len(pooled) - len(power), 0)))[: len(pooled)]
        yield np.maximum(pooled, FARTHEST).astype(np.float16), power


def _path(scores: np.ndarray, text: _Text) -> np.ndarray:
    """The state of each frame, (T,), or ELSEWHERE."""
    search = _Search(text)
    path = np.zeros(len(scores), dtype=np.int64)
    settled = 0
    for begin in range(0, len(scores), MOVED):
        if search.length >= 2 * SETTLED:
            path[settled : settled + SETTLED] = search.settle(SETTLED)
            settled += SETTLED
        search.advance(scores[begin : begin + MOVED].astype(np.float32))
    path[settled:] = search.finish()
    return path


class _Search:
    """Totals of all states in the window after the frames so far, and how they came about."""

    def __init__(self, text: _Text) -> None:
        states = len(text.symbols)
        places = np.arange(states)
        self.text = text
        self.width = min(BEHIND + AHEAD, states)
        self.low = 0
        # The total of state j stands at j + 2; nothing comes before the first.
        self.totals = np.full(states + 2, -np.inf, dtype=np.float32)
        self.totals[2] = 0.0
        self.skips = np.where(text.opens, 0.0, -np.inf).astype(np.float32)
        cost = -RETURNING - PASSED_BY * places
        self.entries = np.where(text.opens, cost, -np.inf).astype(np.float32)
        self.exits = np.where(text.closes, -LEAVING, -np.inf).astype(np.float32)
        # "Something else", and the state from which on the text can go on.
        self.other, self.left_at = 0.0, 0
        self.steps: list[np.ndarray] = []  # of each frame: 0 stay, 1 next, 2 next but one, 3 return
        self.lows: list[int] = []
        self.lefts: list[int] = []  # the state from which the text was left, or ELSEWHERE

    @property
    def length(self) -> int:
        return len(self.steps)

    def advance(self, scores: np.ndarray) -> None:
        """Some more frames (k, symbols) with the window where it is; then moves the window."""
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
            back = entries[first:] + np.float32(self.other + PASSED_BY * self.left_at)
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
            self.other -= OTHER
            totals[low + 2 : high + 2] = best + frame[symbols]
            self.steps.append(step)
            self.lows.append(low)
            self.lefts.append(left)
        self._move()

    def _move(self) -> None:
        """The window to the likeliest place, the totals to 0."""
        place = int(self.totals.argmax())
        highest = max(float(self.totals[place]), self.other)
        here = self.left_at if self.other > self.totals[place] else place - 2
        self.totals -= np.float32(highest)
        self.other -= highest
        last = len(self.text.symbols) - self.width
        self.low = max(min(here - BEHIND, last), self.low)
        self.totals[: self.low + 2] = -np.inf

    def settle(self, frames: int) -> np.ndarray:
        """The way of the oldest frames, which are forgotten."""
        place = int(self.totals.argmax())
        state = ELSEWHERE if self.other > self.totals[place] else place - 2
        path = self._traced(state)[:frames]
        del self.steps[:frames], self.lows[:frames], self.lefts[:frames]
        return path

    def finish(self) -> np.ndarray:
        """The way of the frames that are left, to the end of the text if that is heard."""
        last = len(self.totals) - 1
        ends = self.totals[last - 1 :]
        rest = PASSED_BY * (last - 2 - self.left_at)
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
