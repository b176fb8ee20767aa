"""Confidence of recognised words: the share of all that the search held likely that has them too.

Shortly after a word has ended, its rivals are still being followed. Each counts by its score,
flattened since the frames of a sound are not as independent as the search takes them to be
(Evermann and Woodland, "Posterior probability decoding, confidence estimation and system
combination", 2000).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

LATER = 0.3  # seconds after a word's end at which its rivals are looked at
APART = 0.1  # seconds by which the same word's end may be elsewhere
BACK = 6  # words before the latest that are looked through

# Log odds of a word from those of its share, fitted to the words recognised in 72 clips of the half
# that choices are made on.
FLATTENED = 0.5
OFFSET, SLOPE = 1.02, 0.72


class Rivals(NamedTuple):
    """The rivals followed after a step: scores, nats, and the record of each one's latest word."""

    step: int
    scores: np.ndarray
    latest: np.ndarray


class Endings(NamedTuple):
    """Words that may have ended: the record before each, its word, the step after its last."""

    before: np.ndarray
    word: np.ndarray
    step: np.ndarray


def confidences(
    path: Sequence[int], endings: Endings, rivals: Sequence[Rivals], seconds: float
) -> list[float]:
    """The probability of each word of the likeliest path, 0..1.

    `path`: its records in order; `rivals` of some steps, rising, the last step among them;
    `seconds`: of a step.
    """
    steps = np.array([each.step for each in rivals])
    wanted = endings.step[list(path)] + round(LATER / seconds)
    places = np.minimum(np.searchsorted(steps, wanted), len(rivals) - 1)
    result = []
    for record, place in zip(path, places.tolist(), strict=True):
        each = rivals[place]
        weights = np.exp(FLATTENED * (each.scores - each.scores.max()))
        share = float(weights[_has(record, each.latest, endings, APART / seconds)].sum())
        share = min(max(share / float(weights.sum()), 1e-4), 1 - 1e-4)
        odds = OFFSET + SLOPE * np.log(share / (1 - share))
        result.append(round(float(1 / (1 + np.exp(-odds))), 4))
    return result


def _has(record: int, latest: np.ndarray, endings: Endings, apart: float) -> np.ndarray:
    """Flags (n,): the rivals that have the word of `record` at about its time."""
    found = np.zeros(len(latest), bool)
    for _ in range(BACK):
        there = latest >= 0
        near = np.abs(endings.step[latest] - endings.step[record]) <= apart
        found |= there & near & (endings.word[latest] == endings.word[record])
        latest = np.where(there, endings.before[latest], latest)
    return found
