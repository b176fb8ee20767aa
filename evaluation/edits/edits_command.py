"""python -m evaluation edits: edits of unseen voices against natural speech."""

from __future__ import annotations

import argparse
from pathlib import Path

from a3t.console import add_adapt_argument
from a3t.errors import InputError


def add_edits_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Its parser, among those of the other commands."""
    own = commands.add_parser("edits", help="compare edits of unseen voices with natural speech")
    own.add_argument("--model", default="small", metavar="NAME_OR_PATH")
    own.add_argument("--vocoder", default="builtin", metavar="NAME_OR_PATH")
    own.add_argument(
        "--set", default="report", choices=["choose", "report"], help="which half of the voices"
    )
    own.add_argument(
        "--condition",
        action="append",
        default=[],
        help="one of the conditions (repeatable; default: all)",
    )
    own.add_argument("--edits", type=int, metavar="N", help="only the first N")
    own.add_argument("--list", type=Path, metavar="TSV", help="a list of edits other than our own")
    own.add_argument(
        "--minutes", type=float, metavar="M",
        help="edit recordings of so many minutes, successive clips of one voice joined, instead of "
        "the list's single clips",
    )  # fmt: skip
    own.add_argument(
        "--against", type=Path, metavar="JSONL",
        help="edits.jsonl of an earlier run of the same edits: its patches are compared with these "
        "one by one, and its measures of natural speech reused",
    )  # fmt: skip
    add_adapt_argument(own, "never")
    own.add_argument("--pictures", action="store_true", help="also draw each edit")
    own.add_argument("--corpora", type=Path, help="folder of corpora (default: $A3T_CORPORA)")
    own.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    own.set_defaults(command=evaluate_edits)


def evaluate_edits(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError."""
    from evaluation.edits import edits_table, experiment, listing, long_recordings
    from evaluation.harness.report import write_report
    from training.corpora import corpora_root, read_corpora

    root = options.corpora or corpora_root()
    if options.minutes is not None:
        if not 0.1 <= options.minutes <= 60:
            raise InputError("--minutes goes from 0.1 to 60.")
        folder = options.out / "recordings"
        edits, clips = long_recordings.write_long(
            read_corpora(root), options.set, options.minutes, folder
        )
    else:
        listed = listing.read_list(options.list or listing.LIST)
        edits = [edit for edit in listed if edit.set == options.set]
        clips = listing.find_clips(edits, root)
    earlier = experiment.read_rows(options.against) if options.against else []
    rows, facts = experiment.run_experiment(
        edits[: options.edits],
        clips,
        options.condition,
        options.model,
        options.vocoder,
        options.out,
        options.pictures,
        earlier,
        options.adapt,
    )
    write_report(options.out, "edits", edits_table.markdown_report(rows, facts, earlier))
