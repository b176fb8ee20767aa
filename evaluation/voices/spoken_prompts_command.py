"""python -m evaluation speech: speech by a prompt of unseen voices."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from a3t.console import add_adapt_argument
from a3t.errors import InputError

if TYPE_CHECKING:
    from evaluation.voices.spoken_prompts import SpokenRow


def add_speech_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Its parser, among those of the other commands."""
    own = commands.add_parser("speech", help="speech by a prompt of unseen voices")
    own.add_argument("--model", default="small", metavar="NAME_OR_PATH")
    own.add_argument("--vocoder", default="builtin", metavar="NAME_OR_PATH")
    own.add_argument(
        "--set", default="report", choices=["choose", "report"], help="which half of the voices"
    )
    own.add_argument("--voices", type=int, default=8, metavar="N")
    own.add_argument(
        "--passages", type=int, default=8, metavar="N", help="how many also speak the passage"
    )
    own.add_argument(
        "--seconds", type=float, default=0.0, metavar="S",
        help="give as many prompts of a voice as have so many seconds (default: one)",
    )  # fmt: skip
    add_adapt_argument(own, "never")
    own.add_argument("--corpora", type=Path, help="folder of corpora (default: $A3T_CORPORA)")
    own.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    own.set_defaults(command=evaluate_speech)


def evaluate_speech(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError."""
    from tqdm import tqdm

    from a3t.editor import Editor
    from alignment import AlignmentError
    from evaluation.harness.report import rows_to_tsv, write_report
    from evaluation.voices import spoken_prompts
    from training.corpora import corpora_root, read_corpora

    clips = read_corpora(options.corpora or corpora_root())
    pairs = spoken_prompts.prompts(clips, options.set, options.voices, options.seconds)
    editor = Editor.load(options.model, options.vocoder)
    rows: list[SpokenRow] = []
    failures: list[str] = []
    for k, (given, other) in enumerate(tqdm(pairs, unit="voice", disable=None)):
        try:
            passage = k < options.passages
            rows += spoken_prompts.evaluate_prompt(
                editor, given, other, options.out, passage, options.adapt
            )
        except (InputError, AlignmentError) as error:
            failures.append(f"- {other.voice}: {error}")
    if not rows:
        raise InputError(f"No voice could be measured ({failures[0][2:]})")
    seconds = sum(clip.seconds for given, _ in pairs for clip in given) / len(pairs)
    model = f"{editor.name} {str(editor.sha256)[:12]}"
    facts = f"{seconds:.1f} s of prompts a voice. Model: {model}; vocoder: {editor.vocoder.name}."
    failed = "\n".join(["", f"{len(failures)} voices failed:", *failures, ""]) if failures else ""
    page = f"# Speech by a prompt\n\n{facts}\n\n{spoken_prompts.speech_table(rows)}{failed}"
    write_report(options.out, "speech", page, rows_to_tsv(rows))
