"""Rows of figures as TSV, and the files of a report."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from a3t.audio.output.files import atomic_path


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
