"""Means with standard errors, rows of figures as TSV, and the files of a report."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from a3t.audio.output.files import atomic_path


@dataclass(frozen=True)
class Mean:
    """A mean over ``count`` clips with its standard error; NaN values are ignored."""

    value: float
    error: float
    count: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Mean:
        valid = np.array([value for value in values if not math.isnan(value)])
        if len(valid) == 0:
            return cls(math.nan, math.nan, 0)
        error = valid.std(ddof=1) / math.sqrt(len(valid)) if len(valid) > 1 else math.nan
        return cls(float(valid.mean()), float(error), len(valid))

    def shown(self, digits: int = 2) -> str:
        if self.count == 0:
            return "–"
        if math.isnan(self.error):
            return f"{self.value:.{digits}f}"
        return f"{self.value:.{digits}f} ± {self.error:.{digits}f}"

    def __str__(self) -> str:
        return self.shown()


def rows_to_tsv(rows: Sequence[Any]) -> str:
    """A TSV text with a header and one line per row; rows are of one dataclass, figures are to four
    decimals."""
    text = io.StringIO()
    names = [field.name for field in fields(rows[0])]
    writer = csv.DictWriter(text, names, delimiter="\t", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        cells = asdict(row)
        for name, value in cells.items():
            if isinstance(value, float):
                cells[name] = "" if math.isnan(value) else f"{value:.4f}"
        writer.writerow(cells)
    return text.getvalue()


def write_report(out: Path, name: str, page: str, table: str | None = None) -> None:
    """Write NAME.md and, if there is a table, NAME.tsv into a folder; print the page."""
    out.mkdir(parents=True, exist_ok=True)
    for ending, text in (("tsv", table), ("md", page)):
        if text is not None:
            with atomic_path(out / f"{name}.{ending}") as temporary:
                temporary.write_text(text, encoding="utf-8")
    print(page)
