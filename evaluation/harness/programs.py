"""Options, tables and files that the commands share."""

from __future__ import annotations

import argparse
import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, NamedTuple

from a3t.audio.output.files import atomic_path
from training.corpora import Clip, corpora_root, read_corpora


def add_counts(parser: argparse.ArgumentParser, **counts: int) -> None:
    """Add whole-numbered options with their defaults, such as ``clips=60, seed=8``."""
    for name, default in counts.items():
        parser.add_argument(
            f"--{name}", type=int, default=default, metavar="N", help=f"default: {default}"
        )


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --model, --vocoder, --corpora and --out."""
    parser.add_argument("--model", default="small", metavar="NAME_OR_PATH")
    parser.add_argument("--vocoder", default="builtin", metavar="NAME_OR_PATH")
    add_corpora_and_out(parser)


def add_corpora_and_out(parser: argparse.ArgumentParser) -> None:
    """Add --corpora and --out."""
    parser.add_argument("--corpora", type=Path, help="folder of corpora (default: $A3T_CORPORA)")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")


def add_set_argument(parser: argparse.ArgumentParser) -> None:
    """Add --set, a half of the voices that training never heard."""
    parser.add_argument(
        "--set",
        default="report",
        choices=["choose", "report"],
        help="half of the voices (default: report)",
    )


def clips_of(options: argparse.Namespace) -> list[Clip]:
    """The clips of --corpora or A3T_CORPORA; InputError if there are none."""
    return read_corpora(options.corpora or corpora_root())


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; a line break follows."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def write_named_tuples(path: Path, rows: Sequence[NamedTuple]) -> None:
    """Write rows of one kind as TSV, their fields' names first; nothing for no rows."""
    if not rows:
        return
    with atomic_path(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerows([rows[0]._fields, *rows])


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


def write_text(path: Path, text: str) -> None:
    """Write a file whole, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_report(out: Path, name: str, page: str, table: str | None = None) -> None:
    """Write NAME.md and, if there is a table, NAME.tsv into a folder; print the page."""
    for ending, text in (("tsv", table), ("md", page)):
        if text is not None:
            write_text(out / f"{name}.{ending}", text)
    print(page)


def cut_unfinished(path: Path) -> None:
    """Cut off the line that a killed run had begun, so that the next one stands by itself."""
    if path.exists():
        with open(path, "r+b") as file:
            file.truncate(file.read().rfind(b"\n") + 1)
