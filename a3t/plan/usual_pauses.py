"""A speaker's usual pause after each punctuation mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

from a3t.plan.word_grid import GridPhone
from a3t.text.transcript import MARKS, Transcript

PAUSES = (4, 160)  # frames; shorter is a stop's closure, longer a break or unaligned speech

_ENOUGH = 3  # places of a kind that are needed to know this speaker's habit

_INSTEAD = {"?": ".", "—": ",", ":": ","}  # a similar kind, for a kind with too few places


def usual_pauses(text: Transcript, grid: Sequence[GridPhone]) -> dict[str, float]:
    """Return a speaker's median pause in frames after each of MARKS; 0 where they make none.

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
    """Return the median of a kind's pauses, 0 if most places have none.

    With few pauses it is drawn towards ``overall``.
    """
    pauses = [length for length in frames if length]
    if len(frames) >= _ENOUGH and 2 * len(pauses) < len(frames):
        return 0.0
    missing = max(_ENOUGH - len(pauses), 0)
    return float(median([*pauses, *[overall] * missing]))


def _pauses(text: Transcript, grid: Sequence[GridPhone]) -> Mapping[int, int]:
    """Return the frames of the pause after each word that has one, except the last word."""
    return {
        before.word: phone.frames
        for before, phone in pairwise(grid)
        if 0 <= before.word < len(text.words) - 1
        and phone.word < 0
        and PAUSES[0] <= phone.frames <= PAUSES[1]
    }
