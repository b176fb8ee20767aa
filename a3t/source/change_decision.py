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
    logarithm of the number of places. Thresholds, log odds: a place is `changed`, a change is
    `sure`, a place that isn't changed is `open`, the best is no change below `heard`."""

    offset: float
    evidence: Evidence
    places: float
    changed: float = 0.0
    sure: float = 2.0
    open: float = -1.0
    heard: float = -4.0

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
        is. The place that the aligner doubts most in the new text is never dropped.
        """
        odds = self.log_odds(evidence)
        best = max(range(len(odds)), key=odds.__getitem__)
        chosen = {k for k, each in enumerate(odds) if each >= self.changed} | {best}
        doubted = {k for k, each in enumerate(evidence) if each is not None and each.most_doubted}
        left = [each for k, each in enumerate(odds) if k not in chosen]
        plain = odds[best] >= self.sure and max(left, default=-math.inf) < self.open
        changed = tuple(sorted(chosen | doubted))
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
    -2.51,
    Evidence(
        whisper=0.13,
        fit=0.01,
        language=0.1,
        rare=-0.05,
        advantage=0.36,
        doubt=0.12,
        cleared=-0.55,
        confirmed=0.62,
        confidence=0.11,
        added=0.08,
        missing=0.41,
        beside=0.18,
    ),
    -0.41,
    changed=0.0,
    sure=1.0,
    open=-1.0,
    heard=-3.0,
)
BUILT_IN = Weights(
    -0.59,
    Evidence(
        fit=0.1,
        language=0.23,
        advantage=0.32,
        doubt=0.22,
        cleared=-0.04,
        confirmed=0.58,
        confidence=0.13,
        added=-0.33,
        missing=0.02,
        beside=0.22,
    ),
    -1.0,
    changed=0.0,
    sure=1.0,
    open=-1.0,
    heard=-3.0,
)
