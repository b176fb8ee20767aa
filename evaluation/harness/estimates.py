"""Means over clips with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

RESAMPLES = 2000


@dataclass(frozen=True)
class Interval:
    """A mean over ``count`` values and its 95 % interval; values that are NaN don't count."""

    value: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Interval:
        """Percentile bootstrap over the values, always from the same seed; of fewer than three
        values there is no interval."""
        valid = np.array([value for value in values if not math.isnan(value)])
        if len(valid) == 0:
            return cls(math.nan, math.nan, math.nan, 0)
        mean = float(valid.mean())
        if len(valid) < 3 or np.ptp(valid) == 0:
            return cls(mean, mean if len(valid) > 2 else math.nan, mean, len(valid))
        drawn = np.random.default_rng(0).choice(valid, (RESAMPLES, len(valid)))
        low, high = np.percentile(drawn.mean(axis=1), [2.5, 97.5])
        return cls(mean, float(low), float(high), len(valid))

    def shown(self, digits: int = 2, sign: str = "") -> str:
        """The mean and its interval; with sign "+" it is a difference."""
        if self.count == 0:
            return "–"
        value, low, high = (f"{x:{sign}.{digits}f}" for x in (self.value, self.low, self.high))
        return value if math.isnan(self.low) else f"{value} ({low} to {high})"
