"""The judgement whether a place where a recognised text and a new one differ is a change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from a3t.source.evidence import Evidence
from a3t.source.places import joined, runs, touch
from a3t.source.records import Judgement, Place

MAX_PLAIN_WORDS = 6  # heard or new; a longer run of them is never plain


@dataclass(frozen=True)
class Weights:
    """The log odds of a change: an offset and a weight for each field of Evidence.

    Thresholds, log odds, from which a place is a change (``change``), is ticked (``ticked``), and
    is open (``open``).
    """

    offset: float
    evidence: Evidence
    change: float = 0.85
    ticked: float = 0.0
    open: float = -0.55

    def log_odds(self, evidence: Evidence | None) -> float:
        """Return the log odds that a place is a change; 0 where there is no evidence."""
        if evidence is None:
            return 0.0
        return self.offset + float(np.dot(self.evidence, evidence))

    def judge(
        self, places: Sequence[Place], evidence: Sequence[Evidence | None]
    ) -> list[tuple[Place, Judgement]]:
        """Judge all places; touching changes are one place.

        Somebody who gives a new text wants a change: so if no place is likely one, the likeliest
        that is open is ticked.
        """
        odds = [self.log_odds(each) for each in evidence]
        judgements = [self._judgement(*each) for each in zip(places, odds, evidence, strict=True)]
        for run in runs(places, range(len(places))):
            changed = [k for k in run if judgements[k].ticked]
            for k in range(changed[0], changed[-1] + 1) if changed else ():
                # Of touching places that are paired by their sound, any may be misheard.
                sure = judgements[k].verdict == "change"
                judgements[k] = Judgement(
                    "change" if sure else "open", judgements[k].confidence, ticked=True
                )
        if not any(each.ticked for each in judgements):
            best = max(range(len(odds)), key=odds.__getitem__)
            if judgements[best].verdict == "open":
                judgements[best] = judgements[best]._replace(ticked=True)
        listed: list[tuple[Place, Judgement]] = []
        for place, judgement in zip(places, judgements, strict=True):
            before, last = listed[-1] if listed else (None, judgement)
            if before and touch(before, place) and judgement.verdict == last.verdict == "change":
                least = min(last.confidence, judgement.confidence)
                listed[-1] = joined(before, place), judgement._replace(confidence=least)
            else:
                listed.append((place, judgement))
        return [(place, _if_short(place, judgement)) for place, judgement in listed]

    def _judgement(self, place: Place, odds: float, evidence: Evidence | None) -> Judgement:
        plain = evidence is not None and evidence.edge <= 0.0 and evidence.name <= 0.0
        confidence = 1.0 / (1.0 + math.exp(-odds))
        if odds >= self.change and plain:
            return Judgement("change", confidence, ticked=True)
        if odds >= self.open:
            return Judgement("open", confidence, odds >= self.ticked)
        return Judgement("misheard", confidence, ticked=False)


def _if_short(place: Place, judgement: Judgement) -> Judgement:
    """Return the judgement; of a long place it is open."""
    if max(b - a for a, b in place) > MAX_PLAIN_WORDS:
        return judgement._replace(verdict="open")
    return judgement


# Fitted to words planted in the voices for choosing, in texts with none to five changes
# (docs/log.md).
WHISPER = Weights(
    -3.76,
    Evidence(whisper=0.26, fit=0.19, language=0.1, advantage=0.31, cleared=-1.0, name=-2.0),
)
BUILT_IN = Weights(
    -2.93,
    Evidence(fit=0.16, language=0.3, advantage=0.67, cleared=-0.82, name=-2.0),
    open=-3.0,
)
# Of the network where Whisper hears the text itself.
SECOND_OPINION = replace(BUILT_IN, change=math.inf, open=WHISPER.open)
