"""New words against natural speech of the same recordings: listed edits of unseen voices.

The list (`listing`) has two halves of voices; "choose" is for making choices. The page's legend
explains its rows.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from a3t.commands.options import add_adapt_option
from a3t.editor import Editor
from evaluation.edits.conditions import CONDITIONS
from evaluation.edits.edits_table import markdown_report
from evaluation.edits.experiment import read_rows, run_experiment
from evaluation.edits.listing import find_clips, read_list
from evaluation.harness.programs import add_model_arguments, add_set_argument, write_report
from training.corpora import corpora_root


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_set_argument(parser)
    parser.add_argument(
        "--condition", action="append", default=[], choices=list(CONDITIONS), metavar="NAME",
        help=f"{', '.join(CONDITIONS)} (repeatable; default: all)",
    )  # fmt: skip
    parser.add_argument("--edits", type=int, metavar="N", help="only the first N")
    parser.add_argument(
        "--against", type=Path, metavar="JSONL",
        help="edits.jsonl of an earlier run of the same edits: compare its patches with these, and "
        "reuse its measures of natural speech",
    )  # fmt: skip
    add_adapt_option(parser, "never")
    add_model_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Make, measure and report the edits; raises InputError."""
    edits = [edit for edit in read_list() if edit.set == options.set]
    clips = find_clips(edits, options.corpora or corpora_root())
    earlier = read_rows(options.against) if options.against else []
    editor = Editor.load(options.model, vocoder=options.vocoder)
    rows, facts = run_experiment(
        editor,
        edits[: options.edits],
        clips,
        options.condition or list(CONDITIONS),
        options.out,
        earlier=earlier,
        adapt=options.adapt,
    )
    write_report(options.out, "edits", markdown_report(rows, facts, earlier))
