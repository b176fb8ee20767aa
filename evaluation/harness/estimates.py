"""Means and shares with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

RESAMPLES = 2000


@dataclass(frozen=True)
class Interval:
    """A figure of ``count`` values and its 95 % interval; values that are NaN don't count."""

    value: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Interval:
        """Return the mean with a percentile bootstrap over the values, always from the same seed.

        Fewer than three values have no interval.
        """
        valid = np.array([value for value in values if not math.isnan(value)])
        if len(valid) == 0:
            return cls(math.nan, math.nan, math.nan, 0)
        mean = float(valid.mean())
        if len(valid) < 3 or np.ptp(valid) == 0:
            return cls(mean, mean if len(valid) > 2 else math.nan, mean, len(valid))
        drawn = np.random.default_rng(0).choice(valid, (RESAMPLES, len(valid)))
        low, high = np.percentile(drawn.mean(axis=1), [2.5, 97.5])
        return cls(mean, float(low), float(high), len(valid))

    @classmethod
    def share(cls, hits: float, total: float) -> Interval:
        """Return hits of a total, per cent (Wilson 1927)."""
        from scipy.stats import binomtest

        if not total:
            return cls(math.nan, math.nan, math.nan, 0)
        found = binomtest(round(hits), round(total)).proportion_ci(method="wilson")
        return cls(100 * hits / total, 100 * found.low, 100 * found.high, round(total))

    @classmethod
    def ratio(cls, groups: Iterable[tuple[float, float]]) -> Interval:
        """Return hits of a total, per cent, both summed over groups that are drawn anew."""
        each = np.array(list(groups))
        draws = np.random.default_rng(0).integers(0, len(each), (RESAMPLES, len(each)))
        hits, total = each[draws].sum(axis=1).T
        low, high = np.quantile(hits / total, (0.025, 0.975))
        hits, total = each.sum(axis=0)
        return cls(100 * hits / total, 100 * float(low), 100 * float(high), len(each))

    def __format__(self, form: str) -> str:
        """Format the figure and its interval; with "+" in the form it is a difference."""
        if self.count == 0:
            return "–"
        value, low, high = (format(x, form) for x in (self.value, self.low, self.high))
        return value if math.isnan(self.low) else f"{value} ({low} to {high})"

    def to_json(self) -> list[float]:
        """Return the value, the interval and the count."""
        return [self.value, self.low, self.high, self.count]
