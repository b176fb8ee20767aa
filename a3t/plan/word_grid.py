"""A recording's phones and words on the frames of `a3t.grid`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from a3t.errors import InputError
from a3t.grid import frames_of
from a3t.spans import Span
from a3t.text.phones import PAUSE
from alignment import Alignment

GAP = 0.1  # seconds; a longer gap between two words is a pause, a shorter one is rounding


@dataclass(frozen=True, slots=True)
class GridPhone:
    """A phone on the grid: frames [first, last), and its spoken word's index (-1 for a pause)."""

    symbol: str
    first: int
    last: int
    word: int

    @property
    def frames(self) -> int:
        """The number of frames."""
        return self.last - self.first


def on_grid(alignment: Alignment, frames: int) -> tuple[GridPhone, ...]:
    """Place the alignment's phones on frames [0, ``frames``) without gaps.

    Each has at least one frame; stretches that the alignment leaves out become pauses. Raises
    InputError if there are more phones than frames.
    """
    symbols: list[tuple[str, int]] = []
    ends: list[float] = []
    spoken = 0
    end = 0.0
    for word in alignment.words:
        if word.start - end > GAP:
            symbols.append((PAUSE, -1))
            ends.append(word.start)
        end = word.end
        for phone in word.phones:
            symbols.append((phone.symbol, -1 if word.is_pause else spoken))
            ends.append(phone.end)
        spoken += not word.is_pause
    if alignment.duration - end > GAP:
        symbols.append((PAUSE, -1))
        ends.append(alignment.duration)
    edges = frame_edges([0.0, *ends], frames)
    return tuple(
        GridPhone(symbol, first, last, word)
        for (symbol, word), first, last in zip(symbols, edges, edges[1:], strict=False)
    )


def frame_edges(seconds: Sequence[float], frames: int) -> list[int]:
    """Round ascending times to strictly ascending frames, from 0 to ``frames``."""
    count = len(seconds) - 1
    if count > frames:
        raise InputError(
            f"The text has {count} phones but the recording has only {frames} frames of 12.5 ms: "
            "check that the text belongs to the recording."
        )
    edges = [frames_of(time) for time in seconds]
    edges[0], edges[-1] = 0, frames
    for k in range(1, count):  # at least one frame each, going right …
        edges[k] = max(edges[k], edges[k - 1] + 1)
    for k in range(count - 1, 0, -1):  # … and going left
        edges[k] = min(edges[k], edges[k + 1] - 1)
    return edges


@dataclass(frozen=True)
class WordFrames:
    """Frames [first, last) of each spoken word.

    Pauses may lie between words. unwritten: the words before which there is sound without a word.
    """

    spans: tuple[Span, ...]
    frames: int
    unwritten: frozenset[int] = frozenset()

    @classmethod
    def of(
        cls,
        grid: Sequence[GridPhone],
        words: int,
        frames: int,
        unwritten: frozenset[int] = frozenset(),
    ) -> WordFrames:
        """Collect the frames of each word from a grid's phones."""
        spans = [(frames, 0)] * words
        for phone in grid:
            if phone.word >= 0:
                first, last = spans[phone.word]
                spans[phone.word] = min(first, phone.first), max(last, phone.last)
        return cls(tuple(spans), frames, unwritten)

    def pause_before(self, word: int) -> Span:
        """Return the frames between word - 1 (or the start) and word (or the end); often empty."""
        first = self.spans[word - 1][1] if word > 0 else 0
        last = self.spans[word][0] if word < len(self.spans) else self.frames
        return first, last
