"""Means of a comparison's measures, and differences clip by clip."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from evaluation.harness.estimates import Interval
from evaluation.tables.comparison import COPY, ComparisonRow

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
