"""A speaker's usual pauses, measured in an alignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

from a3t.plan.phone_grid import GridPhone
from a3t.text.transcript import MARKS, Transcript

PAUSES = (4, 160)  # frames; shorter is a stop's closure, longer a break or unaligned speech
_ENOUGH = 3  # places of a kind that tell what this speaker does there
_INSTEAD = {"?": ".", "—": ",", ":": ","}  # kinds that are read alike, where one is missing


def usual_pauses(text: Transcript, grid: Sequence[GridPhone]) -> dict[str, float]:
    """This speaker's median pause in frames after each of MARKS; 0 where they make none.

    A kind that the recording has hardly any of leans on a like kind and then on all the pauses that
    were found, in a text without punctuation on those alone. Where the recording has no pause at
    all, the result is empty. Silence at the recording's ends doesn't count.
    """
    made = _pauses(text, grid)
    if not made:
        return {}
    of_kind: dict[str, list[int]] = {mark: [] for mark in MARKS}
    for index, word in enumerate(text.words[:-1]):
        if word.mark:
            of_kind[word.mark].append(made.get(index, 0))
    anywhere = float(median(made.values()))
    result: dict[str, float] = {}
    for mark in MARKS:
        like = [*of_kind[mark]]
        if len(like) < _ENOUGH and mark in _INSTEAD:
            like += of_kind[_INSTEAD[mark]]
        result[mark] = _usual(like, anywhere)
    return result


def _usual(frames: Sequence[int], anywhere: float) -> float:
    """The median of a kind's pauses, 0 if most places have none; few of them count for little."""
    pauses = [length for length in frames if length]
    if len(frames) >= _ENOUGH and 2 * len(pauses) < len(frames):
        return 0.0
    missing = max(_ENOUGH - len(pauses), 0)
    return float(median([*pauses, *[anywhere] * missing]))


def _pauses(text: Transcript, grid: Sequence[GridPhone]) -> Mapping[int, int]:
    """The frames of the pause after each word that has one, the last word's aside."""
    return {
        before.word: phone.frames
        for before, phone in pairwise(grid)
        if 0 <= before.word < len(text.words) - 1
        and phone.word < 0
        and PAUSES[0] <= phone.frames <= PAUSES[1]
    }
