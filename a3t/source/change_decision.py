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
    """The log odds of a change: an offset and a weight for each field of Evidence, less the
    logarithm of the number of places, since about one of them is meant.

    Thresholds, log odds, from which a place apart from the likeliest is another change (`another`:
    most new texts have one), the likeliest is plain (`sure`), any other may be one (`open`), and
    below which the likeliest is none (`heard`).
    """

    offset: float
    evidence: Evidence
    another: float = 2.5
    sure: float = 0.5
    open: float = -1.0
    heard: float = -3.0

    def log_odds(self, evidence: Sequence[Evidence | None]) -> list[float]:
        """The log odds of each place; 0 where there is no evidence."""
        return [
            0.0
            if each is None
            else self.offset + float(np.dot(self.evidence, each)) - math.log(len(evidence))
            for each in evidence
        ]

    def decide(self, places: Sequence[Difference], evidence: Sequence[Evidence | None]) -> Decision:
        """Choose the changes among at least one place.

        Somebody who gives a new text wants a change: so if no place is likely one, the likeliest
        is.
        """
        odds = self.log_odds(evidence)
        best = max(range(len(odds)), key=odds.__getitem__)
        (touching,) = (run for run in runs(places, range(len(odds))) if best in run)
        likely = [k for k in touching if k == best or odds[k] >= 0.0]
        chosen = set(range(likely[0], likely[-1] + 1))  # and what stands between two changed words
        chosen |= {k for k, each in enumerate(odds) if each >= self.another}
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
    -0.99, Evidence(whisper=0.22, fit=0.12, language=0.1, advantage=0.44, cleared=-1.4)
)
BUILT_IN = Weights(-1.49, Evidence(fit=0.14, language=0.28, advantage=0.8, cleared=-0.82))
