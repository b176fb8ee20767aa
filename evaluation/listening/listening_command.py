"""`python -m evaluation listening …`: make a test, and read its ratings."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_listening_command(commands: Any) -> None:
    """Add `listening` and `ratings` to a parser's subcommands."""
    make: argparse.ArgumentParser = commands.add_parser(
        "listening", help="make a blind MOS, SMOS or ABX page for people, from a table's sounds"
    )
    make.add_argument("sounds", type=Path, help="the folder `sounds` of a table")
    make.add_argument(
        "--system", action="append", required=True, metavar="NAME",
        help="as the table calls it (repeatable); 'recording' is what there is to reach",
    )  # fmt: skip
    make.add_argument(
        "--kind", choices=("mos", "smos", "abx"), default="mos",
        help="mos: how natural; smos: how alike the recording's voice; abx: which of two systems is"
        " nearer to the recording (default: mos)",
    )  # fmt: skip
    make.add_argument(
        "--of", metavar="KIND",
        help="tasks of this kind alone (default: all): those of table 4.4 are 'predicted', of 4.5"
        " 'edit', of 4.6 and 4.7 'prompt'",
    )  # fmt: skip
    make.add_argument("--tasks", type=int, default=10, metavar="N", help="how many (default: 10)")
    make.add_argument("--seed", type=int, default=0, help="of the draw of tasks and their order")
    make.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER",
        help="where the page and its key.json are written: a folder for each test",
    )  # fmt: skip
    make.set_defaults(command=_make)

    read: argparse.ArgumentParser = commands.add_parser(
        "ratings", help="what listeners' CSV files say: MOS with intervals, and significance"
    )
    read.add_argument("key", type=Path, help="key.json, written with the page")
    read.add_argument("files", type=Path, nargs="+", metavar="CSV")
    read.set_defaults(command=_read)


def _make(options: argparse.Namespace) -> None:
    from evaluation.listening.kit import make_test

    arguments = (options.sounds, options.system, options.out, options.kind)
    print(make_test(*arguments, options.tasks, options.seed, options.of))


def _read(options: argparse.Namespace) -> None:
    from evaluation.listening.ratings import read_ratings, results

    print(results(read_ratings(options.key, options.files)))
