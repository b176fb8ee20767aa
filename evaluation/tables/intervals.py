"""Means over clips with bootstrap intervals, and differences clip by clip."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.tables.comparison import COPY, ComparisonRow

RESAMPLES = 2000
LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean over ``count`` values and its 95 % interval; values that are NaN don't count."""

    value: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Interval:
        """Percentile bootstrap over the values (scipy.stats.bootstrap), always from the same seed;
        of fewer than three values there is no interval."""
        from scipy.stats import bootstrap

        valid = np.array([value for value in values if not math.isnan(value)])
        if len(valid) == 0:
            return cls(math.nan, math.nan, math.nan, 0)
        mean = float(valid.mean())
        if len(valid) < 3 or np.ptp(valid) == 0:
            return cls(mean, mean if len(valid) > 2 else math.nan, mean, len(valid))
        found = bootstrap(
            (valid,), np.mean, n_resamples=RESAMPLES, confidence_level=LEVEL, method="percentile",
            random_state=np.random.default_rng(0),
        ).confidence_interval  # fmt: skip
        return cls(mean, float(found.low), float(found.high), len(valid))

    def shown(self, digits: int = 2) -> str:
        if self.count == 0:
            return "–"
        if math.isnan(self.low):
            return f"{self.value:.{digits}f}"
        return f"{self.value:.{digits}f} ({self.low:.{digits}f} to {self.high:.{digits}f})"


Rows = Sequence[ComparisonRow]
Wanted = Callable[[ComparisonRow], bool]


def with_differences(rows: Rows) -> list[ComparisonRow]:
    """Word errors as the difference from the same clip's copy-synthesis, which is what the vocoder
    and the recogniser err by themselves; NaN where that was not judged."""
    own = {row.task: row.figures.get("wer", math.nan) for row in rows if row.system == COPY}
    result = []
    for row in rows:
        figures = dict(row.figures)
        if "wer" in figures:
            figures["wer"] = figures["wer"] - own.get(row.task, math.nan)
        result.append(replace(row, figures=figures))
    return result


def figure_of(rows: Rows, measure: str) -> Interval:
    """The mean of a measure over rows that have it."""
    return Interval.of(row.figures[measure] for row in rows if measure in row.figures)


def paired(rows: Rows, system: str, other: str, measure: str) -> Interval:
    """``system`` minus ``other``, clip by clip, over the clips that both have a figure of."""
    values: dict[str, Mapping[str, float]] = {}
    for name in (system, other):
        values[name] = {
            row.task: row.figures[measure]
            for row in rows
            if row.system == name and measure in row.figures
        }
    both = [task for task in values[system] if task in values[other]]
    return Interval.of(values[system][task] - values[other][task] for task in both)
