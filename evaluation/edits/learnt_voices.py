"""Edits of long recordings, before and after learning the recording's voice.

Successive clips of one voice are joined; the same edits are made by the model as it ships and with
the recording learnt first, and compared edit by edit.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from a3t.commands.options import add_adapt_option
from a3t.editor import Editor
from a3t.errors import InputError
from evaluation.edits.conditions import CLEAN
from evaluation.edits.edits_table import markdown_report
from evaluation.edits.experiment import Measured, run_experiment
from evaluation.edits.long_recordings import EDITS, MOST_RECORDINGS, write_long
from evaluation.harness.programs import (
    add_counts,
    add_model_arguments,
    add_set_argument,
    clips_of,
    write_report,
)
from training.corpora import Clip


@dataclass(frozen=True)
class Learnt:
    """The edits before and after, facts about the run, and the processor's seconds that a recording
    took to be learnt, its edits included."""

    before: list[Measured]
    after: list[Measured]
    facts: list[str]
    seconds: float


def measure_learning(
    editor: Editor,
    clips: Sequence[Clip],
    half: str,
    minutes: float,
    out: Path,
    adapt: str | float = "always",
    voices: int | None = None,
    recordings: int = MOST_RECORDINGS,
    edits: int = EDITS,
    resume: bool = False,
) -> Learnt:
    """Edits of so many voices, recordings of each and edits of a voice; InputError if there is no
    voice with enough speech."""
    chosen, files = write_long(clips, half, minutes, out / "recordings", voices, recordings, edits)
    before, _ = run_experiment(editor, chosen, files, [CLEAN], out / "never", resume=resume)
    begun = time.process_time()
    after, facts = run_experiment(
        editor, chosen, files, [CLEAN], out / "learnt", earlier=before, adapt=adapt, resume=resume
    )
    return Learnt(before, after, facts, (time.process_time() - begun) / len(files))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_set_argument(parser)
    parser.add_argument(
        "--minutes", type=float, default=1.0, metavar="M", help="length of each recording"
    )
    parser.add_argument("--voices", type=int, metavar="N", help="default: all with enough speech")
    add_counts(parser, recordings=MOST_RECORDINGS, edits=EDITS)
    add_adapt_option(parser, "always")
    add_model_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """Make, measure and report the edits; raises InputError."""
    if not 0.1 <= options.minutes <= 60:
        raise InputError("--minutes goes from 0.1 to 60.")
    editor = Editor.load(options.model, vocoder=options.vocoder)
    found = measure_learning(
        editor,
        clips_of(options),
        options.set,
        options.minutes,
        options.out,
        options.adapt,
        options.voices,
        options.recordings,
        options.edits,
    )
    facts = [*found.facts, f"{found.seconds:.0f} s of the processor for each recording"]
    write_report(options.out, "voices", markdown_report(found.after, facts, found.before))
