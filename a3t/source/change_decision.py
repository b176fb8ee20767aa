"""Decision which differences from the new text are changes, and whether a user is to be asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from a3t.source.change_evidence import Evidence
from a3t.source.text_differences import Difference


class Decision(NamedTuple):
    """The changed places by number; `is_sure`: they can be made without asking; `is_heard`: there
    is a change at all."""

    changed: tuple[int, ...]
    is_sure: bool
    is_heard: bool = True


@dataclass(frozen=True)
class Weights:
    """The log odds of a change: an offset, a weight for each field of Evidence, and one for the
    logarithm of the number of places.

    Thresholds, log odds, from which a place is a change (`changed`; `doubted` for the one that the
    aligner doubts most), is plain (`sure`), may be one (`open`), and below which the likeliest one
    is none (`heard`).
    """

    offset: float
    evidence: Evidence
    places: float
    changed: float = 0.0
    doubted: float = -2.0
    sure: float = 1.0
    open: float = -1.0
    heard: float = -3.0

    def log_odds(self, evidence: Sequence[Evidence | None]) -> list[float]:
        """The log odds of each place; 0 where there is no evidence."""
        return [
            0.0
            if each is None
            else self.offset
            + float(np.dot(self.evidence, each))
            + self.places * math.log(len(evidence))
            for each in evidence
        ]

    def decide(self, places: Sequence[Difference], evidence: Sequence[Evidence | None]) -> Decision:
        """Choose the changes among at least one place.

        Somebody who gives a new text wants a change: so if no place is likely one, the likeliest
        is. The place that the aligner doubts most in the new text is dropped only if all else is
        against it.
        """
        odds = self.log_odds(evidence)
        best = max(range(len(odds)), key=odds.__getitem__)
        chosen = {k for k, each in enumerate(odds) if each >= self.changed} | {best}
        for k, each in enumerate(evidence):
            if each is not None and each.most_doubted and odds[k] >= self.doubted:
                chosen.add(k)
        left = [each for k, each in enumerate(odds) if k not in chosen]
        plain = odds[best] >= self.sure and max(left, default=-math.inf) < self.open
        changed = tuple(sorted(chosen))
        return Decision(
            changed,
            plain and len(runs(places, changed)) == 1,
            odds[best] >= self.heard,
        )


def runs(places: Sequence[Difference], numbers: Sequence[int]) -> list[list[int]]:
    """The numbers of places in runs of those that touch, which are one edit."""
    found: list[list[int]] = []
    for k in numbers:
        if found and places[found[-1][-1]].new[1] == places[k].new[0]:
            before = places[found[-1][-1]]
            if before.heard[1] == places[k].heard[0]:
                found[-1].append(k)
                continue
        found.append([k])
    return found


# Fitted to words planted in clips and minutes of the voices for choosing (docs/log.md).
WHISPER = Weights(
    -2.2,
    Evidence(
        whisper=0.24,
        fit=-0.04,
        advantage=0.68,
        heard_advantage=-0.47,
        cleared=-1.17,
        confirmed=1.18,
        beside=0.2,
    ),
    -1.46,
    open=-0.5,
)
BUILT_IN = Weights(
    -1.22,
    Evidence(
        fit=0.16,
        language=0.26,
        advantage=0.6,
        heard_advantage=0.19,
        cleared=-0.1,
        confirmed=-0.03,
        beside=0.48,
    ),
    -1.34,
)
