"""A recording's phones on the frames of `a3t.grid`: the one place that maps seconds to frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from a3t.errors import InputError
from a3t.grid import frames_of
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
        return self.last - self.first


def on_grid(alignment: Alignment, frames: int) -> tuple[GridPhone, ...]:
    """The alignment's phones on frames [0, ``frames``): no gaps, at least one frame per phone.

    Stretches that the alignment leaves out become pauses. Raises InputError if there are more
    phones than frames.
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
    """Ascending times as strictly ascending frames, from 0 to ``frames``."""
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
