"""Tables, declared: which rows make a line, and what is figured out of them.

A row is what is measured of an item: numbers and texts by their names. A figure is a number, a text
or an `Interval`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from evaluation.harness.estimates import Interval
from evaluation.harness.report_files import markdown_table

Row = dict[str, Any]
Rows = Sequence[Row]
Figure = float | str | Interval
Figures = dict[str, Figure]

ALL = "all"


@dataclass(frozen=True)
class Column:
    """A figure of the rows that make a line, and the form in which it is printed."""

    head: str
    figure: Callable[[Rows], Figure]
    form: str = ""

    def of(self, rows: Rows) -> Figure:
        """Return the figure, NaN where the rows have none."""
        try:
            return self.figure(rows)
        except (ValueError, ZeroDivisionError, KeyError):
            return float("nan")

    def shown(self, rows: Rows) -> str:
        """Return the figure as a cell shows it."""
        figure = self.of(rows)
        if isinstance(figure, float | int) and np.isnan(figure):
            return "–"
        return figure if isinstance(figure, str) else format(figure, self.form)


def count(head: str) -> Column:
    """Return a column with the number of rows."""
    return Column(head, len)


def total(head: str, name: str) -> Column:
    """Return a column with the sum of a number."""
    return Column(head, lambda rows: sum(row[name] for row in rows))


def mean(head: str, name: str, form: str = ".2f") -> Column:
    """Return a column with the mean of the rows that have a number, and its interval."""
    return Column(head, lambda rows: Interval.of(row.get(name, np.nan) for row in rows), form)


def middle(head: str, name: str, form: str = ".2f") -> Column:
    """Return a column with the median of a number."""
    return Column(head, lambda rows: median(row[name] for row in rows), form)


def share(head: str, name: str, form: str = ".1f") -> Column:
    """Return a column with the share of rows of which something is true, per cent."""
    return Column(head, lambda rows: Interval.share(sum(r[name] for r in rows), len(rows)), form)


def proportion(head: str, hits: str, of: str, form: str = ".1f") -> Column:
    """Return a column with one number's sum over another's, per cent, with its interval."""

    def figure(rows: Rows) -> Interval:
        return Interval.share(sum(row[hits] for row in rows), sum(row[of] for row in rows))

    return Column(head, figure, form)


def rate(head: str, hits: str, of: str, form: str = ".1f", per: float = 100) -> Column:
    """Return a column with one number's sum over another's, per cent or times ``per``."""
    return Column(
        head, lambda rows: per * sum(r[hits] for r in rows) / sum(r[of] for r in rows), form
    )


@dataclass(frozen=True)
class Table:
    """A table of the rows that count.

    by: the names of the row's texts that make a line. within: one by which each line is divided
    once more, after all its rows together. only: tells whether a row counts at all.
    """

    columns: Sequence[Column]
    by: Sequence[str] = ()
    within: str = ""
    only: Callable[[Row], bool] = lambda row: True

    def lines(self, rows: Rows) -> dict[tuple[str, ...], list[Row]]:
        """Return the rows of each line."""
        found: dict[tuple[str, ...], list[Row]] = {}
        for row in filter(self.only, rows):
            found.setdefault(tuple(str(row[name]) for name in self.by), []).append(row)
        if not self.within:
            return found
        divided = {}
        for key, own in found.items():
            divided[*key, ALL] = own
            for part in sorted({str(row[self.within]) for row in own}):
                divided[*key, part] = [row for row in own if str(row[self.within]) == part]
        return divided

    def figures(self, rows: Rows) -> Figures:
        """Return every figure by its line and column: ``one-word-wrong.all``."""
        return {
            figure_name(*key, column.head): column.of(own)
            for key, own in self.lines(rows).items()
            for column in self.columns
        }

    def markdown(self, rows: Rows) -> str:
        """Return the table as Markdown."""
        heads = [*self.by, *([self.within] if self.within else [])]
        lines = [
            [*key, *(column.shown(own) for column in self.columns)]
            for key, own in self.lines(rows).items()
        ]
        return markdown_table([*heads, *(column.head for column in self.columns)], lines)


def figure_name(*parts: str) -> str:
    """Return the name of a figure, by which RESULTS.md's template calls it."""
    return ".".join("-".join(part.replace(".", "").split()) for part in parts)
