"""The options of `a3t edit`, in groups."""

from __future__ import annotations

import argparse
from pathlib import Path

from a3t.audio.matching.match_options import ALL_TRAITS
from a3t.console import (
    Once,
    Options,
    Parser,
    add_expert_arguments,
    add_export_argument,
    add_recogniser_argument,
    add_voice_arguments,
    matching,
)


def parser() -> argparse.ArgumentParser:
    result = Parser(
        prog="a3t edit",
        usage="a3t edit IN --new-text TEXT [--text TEXT] [--out OUT] [options]",
        description="Change what a recording says.",
        epilog="A TEXT may be @FILE. Exit codes: 0 success, 1 unusable input, 2 wrong usage.",
    )
    _recording_and_text(result.add_argument_group("recording and text"))
    _sound(result.add_argument_group("how the new words sound"))
    _output(result.add_argument_group("output"))
    _history(result.add_argument_group("history"))
    _lists(result.add_argument_group("lists of edits"))
    experts = result.add_argument_group("for experts")
    experts.add_argument(
        "--margin", type=float, default=25.0, metavar="MS",
        help="how much of the neighbouring words to regenerate with an edit, in ms (default: 25)",
    )  # fmt: skip
    experts.add_argument(
        "--plan-file", type=Path, metavar="PLAN_JSON",
        help="take the texts and the duration of each new word from this file; print one with "
        "--plan --json",
    )  # fmt: skip
    add_expert_arguments(experts)
    return result


def _recording_and_text(group: Options) -> None:
    group.add_argument(
        "wav", nargs="*", type=Path, action=Once, metavar="IN", help="the recording to edit"
    )
    group.add_argument("--wav", type=Path, action=Once, metavar="IN", help="the same")
    group.add_argument(
        "--track", type=int, metavar="N",
        help="which track of sound to edit in a file with several (default: its main one)",
    )  # fmt: skip
    group.add_argument("--new-text", metavar="TEXT", help="what the recording should say")
    group.add_argument(
        "--text", metavar="TEXT",
        help="what it says now (default: the text of IN's .txt, .lab, .TextGrid, .srt, .vtt or "
        ".json, otherwise speech recognition)",
    )  # fmt: skip
    group.add_argument(
        "--alignment", type=Path, metavar="FILE",
        help="when it says that: a TextGrid, JSON, .srt or .vtt file (default: it is aligned)",
    )  # fmt: skip
    add_recogniser_argument(group)
    group.add_argument(
        "--no-punctuation", action="store_true", help="don't restore a transcript's punctuation"
    )
    group.add_argument(
        "--yes", action="store_true",
        help="don't ask for confirmation of a recognised transcript or of doubtful words",
    )  # fmt: skip
    group.add_argument(
        "--strict", action="store_true",
        help="refuse the edit if a word next to it is doubtful or speech there is missing from the "
        "text",
    )  # fmt: skip


def _sound(group: Options) -> None:
    add_voice_arguments(group, "never")
    group.add_argument(
        "--fit", action="store_true", help="give the new words the duration of those they replace"
    )
    group.add_argument(
        "--duration", type=float, metavar="S", help="give the new words exactly S seconds"
    )
    group.add_argument(
        "--match", type=matching, default=ALL_TRAITS, metavar="KINDS",
        help="which traits of the recording the new words take on: bandwidth,spectrum,room "
        "(default: all) or none",
    )  # fmt: skip
    group.add_argument(
        "--from", type=Path, action="append", default=[], dest="others", metavar="FILE",
        help="another recording of this speaker, whose words may be put into this one; its "
        "transcript is the file beside it, or recognised; may be given several times",
    )  # fmt: skip
    group.add_argument(
        "--no-moves", action="store_true",
        help="make all new words, also those that are recorded elsewhere in IN",
    )  # fmt: skip
    group.add_argument(
        "--candidates", type=int, default=1, metavar="N",
        help="make N different results: the best is OUT, the others are {stem}.2, {stem}.3 …",
    )  # fmt: skip


def _output(group: Options) -> None:
    group.add_argument(
        "--out", type=Path, metavar="OUT", help="the result (default: {stem}.edited.wav beside IN)"
    )
    add_export_argument(group)
    group.add_argument(
        "--no-provenance", action="store_true",
        help="don't record in the file which parts of it are synthetic",
    )  # fmt: skip
    group.add_argument("--plan", action="store_true", help="print the plan, render nothing")
    group.add_argument("--json", action="store_true", help="print edit.json, or the plan, as JSON")


def _history(group: Options) -> None:
    group.add_argument(
        "--undo", action="store_true",
        help="restore the version of OUT before its last edit (IN: OUT or its source)",
    )  # fmt: skip
    group.add_argument("--redo", action="store_true", help="reverse an --undo")
    group.add_argument("--history", action="store_true", help="list OUT's versions")
    group.add_argument(
        "--replay", type=Path, metavar="EDIT_JSON", help="make the recorded edit again"
    )


def _lists(group: Options) -> None:
    group.add_argument(
        "--manifest", type=Path, metavar="LIST",
        help="a .csv, .tsv or .jsonl file with one edit per line; its columns are named after "
        "these options (wav, new_text …)",
    )  # fmt: skip
    group.add_argument("--out-dir", type=Path, metavar="DIR", help="folder for the results")
    group.add_argument(
        "--jobs", type=int, metavar="N", help="number of parallel edits (default: one per core)"
    )
    group.add_argument(
        "--scheduler", metavar="ADDRESS", help="run on a Dask cluster, e.g. tcp://host:8786"
    )
