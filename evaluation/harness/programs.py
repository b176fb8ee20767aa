"""The command line of a program that measures, and the TSV file of its rows."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from a3t.audio.output.files import atomic_path


def program_parser(module: str, about: str | None, **counts: int) -> argparse.ArgumentParser:
    """The parser of ``python -m evaluation.MODULE``, described by its docstring. ``counts`` are
    whole-numbered options with their defaults, such as ``clips=60, seed=8``."""
    parser = argparse.ArgumentParser(
        prog=f"python -m evaluation.{module}",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for name, default in counts.items():
        parser.add_argument(
            f"--{name}", type=int, default=default, metavar="N", help=f"default: {default}"
        )
    return parser


def write_named_tuples(path: Path, rows: Sequence[NamedTuple]) -> None:
    """Write rows of one kind as TSV, their fields' names first; nothing for no rows."""
    if not rows:
        return
    with atomic_path(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerows([rows[0]._fields, *rows])
