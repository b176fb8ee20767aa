"""A recording's phones on the frames of `a3t.grid`: the one place that maps seconds to frames.

What they tell of a speaker's habit, the pauses at punctuation, is measured here as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from a3t.errors import InputError
from a3t.grid import frames_of
from a3t.text.phones import PAUSE
from a3t.text.transcript import MARKS, Transcript
from alignment import Alignment

GAP = 0.1  # seconds; a longer gap between two words is a pause, a shorter one is rounding
PAUSES = (4, 160)  # frames; shorter is a stop's closure, longer a break or unaligned speech
_ENOUGH = 3  # places of a kind that are needed to know this speaker's habit
_INSTEAD = {"?": ".", "—": ",", ":": ","}  # a similar kind, for a kind with too few places


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


def usual_pauses(text: Transcript, grid: Sequence[GridPhone]) -> dict[str, float]:
    """This speaker's median pause in frames after each of MARKS; 0 where they make none.

    A kind with too few places in the recording falls back on a similar kind, and then on the median
    of all pauses, which is also used for a text without punctuation. Empty if the recording has no
    pauses. Silence at the recording's ends doesn't count.
    """
    pauses = _pauses(text, grid)
    if not pauses:
        return {}
    of_kind: dict[str, list[int]] = {mark: [] for mark in MARKS}
    for index, word in enumerate(text.words[:-1]):
        if word.mark:
            of_kind[word.mark].append(pauses.get(index, 0))
    overall = float(median(pauses.values()))
    result: dict[str, float] = {}
    for mark in MARKS:
        similar = [*of_kind[mark]]
        if len(similar) < _ENOUGH and mark in _INSTEAD:
            similar += of_kind[_INSTEAD[mark]]
        result[mark] = _usual(similar, overall)
    return result


def _usual(frames: Sequence[int], overall: float) -> float:
    """The median of a kind's pauses, 0 if most places have none; if there are few pauses, it is
    drawn towards ``overall``."""
    pauses = [length for length in frames if length]
    if len(frames) >= _ENOUGH and 2 * len(pauses) < len(frames):
        return 0.0
    missing = max(_ENOUGH - len(pauses), 0)
    return float(median([*pauses, *[overall] * missing]))


def _pauses(text: Transcript, grid: Sequence[GridPhone]) -> Mapping[int, int]:
    """The frames of the pause after each word that has one, except the last word."""
    return {
        before.word: phone.frames
        for before, phone in pairwise(grid)
        if 0 <= before.word < len(text.words) - 1
        and phone.word < 0
        and PAUSES[0] <= phone.frames <= PAUSES[1]
    }
