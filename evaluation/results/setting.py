"""The settings that the parts of RESULTS.md share."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from a3t.editor import Editor
from evaluation.harness.estimates import Interval
from training.corpora import Clip, corpora_root, read_corpora

Figures = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """Settings of all parts: a working folder for these weights alone, perhaps a folder of texts,
    and the share of the usual samples to take."""

    work: Path
    texts: Path | None = None
    share: float = 1.0

    def some(self, count: int, least: int = 3) -> int:
        """The share of a usual sample's size."""
        return max(min(count, least), round(count * self.share))

    @cached_property
    def editor(self) -> Editor:
        return Editor.load()

    @cached_property
    def clips(self) -> list[Clip]:
        return read_corpora(corpora_root())


def interval(values: Iterable[float]) -> list[float]:
    """A mean with its 95 % interval, and of how many values: [mean, low, high, count]."""
    found = Interval.of(values)
    return [found.value, found.low, found.high, found.count]


def percent(hits: int, total: int) -> float:
    """Per cent; NaN of nothing."""
    return 100 * hits / total if total else math.nan


def share(hits: int, total: int) -> list[float]:
    """Per cent with its 95 % interval (Wilson 1927), as `interval` has them; NaN of nothing."""
    if not total:
        return [math.nan, math.nan, math.nan, 0]
    z, p = 1.96, hits / total
    middle, half = (
        p + z * z / (2 * total),
        z * math.sqrt((p * (1 - p) + z * z / (4 * total)) / total),
    )
    low, high = (100 * (middle + side * half) / (1 + z * z / total) for side in (-1, 1))
    return [100 * p, max(low, 0.0), min(high, 100.0), total]
