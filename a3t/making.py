"""One edit as the command line asks for it: what the single command and the batch share."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.audio.recording import Recording
from a3t.audio.writing import check_output, default_output
from a3t.commands import text_argument
from a3t.text.transcript import Transcript

if TYPE_CHECKING:
    from a3t.editor import Editor
    from a3t.records import EditedRecording, EditPlan


@dataclass(frozen=True)
class Order:
    """An edit that was asked for, checked as far as it can be without the models."""

    recording: Recording
    text: str | None
    new_text: str
    out: Path
    options: argparse.Namespace


def order(options: argparse.Namespace) -> Order:
    """The order that the parsed options are; InputError if it can be refused at once."""
    new_text = text_argument(options.new_text)
    text = text_argument(options.text) if options.text is not None else None
    recording = Recording.open(options.wav)
    Transcript.from_text(new_text)
    out = options.out or default_output(options.wav)
    if not options.plan:
        check_output(recording, out)
    return Order(recording, text, new_text, out, options)


def plan(editor: Editor, asked: Order) -> EditPlan:
    """What is to be done; raises InputError or AlignmentError."""
    options = asked.options
    editor.recogniser = options.recogniser
    manner = (options.speed, options.fit, options.margin / 1000)
    return editor.plan(asked.recording, asked.new_text, asked.text, options.alignment, *manner)


def make(editor: Editor, asked: Order, planned: EditPlan) -> list[EditedRecording]:
    """The result, or as many candidates as were asked for, the best first; each one checked."""
    options = asked.options
    if options.candidates == 1:
        return [editor.check(editor.render(asked.recording, planned, options.seed))]
    from a3t.candidates import make_candidates

    return make_candidates(editor, asked.recording, planned, options.candidates, options.seed)


def write(
    results: list[EditedRecording],
    out: Path,
    provenance: bool = True,
    notes: Mapping[str, Any] | None = None,
) -> None:
    """Write the results, the best as ``out``, the others as its stem.2, .3 …

    ``provenance`` and ``notes`` as for `EditedRecording.save`.
    """
    for rank, result in enumerate(results, 1):
        to = out if rank == 1 else out.with_name(f"{out.stem}.{rank}{out.suffix}")
        result.save(to, provenance, notes)
