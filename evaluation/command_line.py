"""Every measure by its name: `python -m evaluation NAME`.

Each name's module declares a `MEASUREMENT`, which the harness makes a command, or has a `Program`,
``main``. It describes itself in its docstring.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from a3t.console import WRONG_USAGE
from training.programs import name_missing_package

COMMANDS = {
    "results": ("results.pages", "the page RESULTS.md, part by part"),
    "edits": (
        "edits.edits_command",
        "new words compared with natural speech in the same recordings",
    ),
    "voices": ("edits.learnt_voices", "edits before and after learning the recording's voice"),
    "speech": (
        "edits.spoken_prompts",
        "speech from a prompt compared with its speaker's recordings",
    ),
    "detector": ("detector.detector_command", "how well a classifier spots new words"),
    "ladder": ("detector.ladder", "what each step from a recorded word to a made one costs"),
    "vocoders": ("vocoders", "held-out clips, converted to mels and back"),
    "untouched": ("edits.scripted_edits", "random edits: does everything else stay the same?"),
    "joints": ("edits.recorded_joints", "joints of deletions and of moved words"),
    "backgrounds": ("edits.background_under_edits", "hum and music under an edit"),
    "edit-speed": ("speed.edit_speed", "time and memory of an edit, and of starting"),
    "long-files": ("speed.long_files", "time and memory of an edit in an hour"),
    "page-waits": ("speed.page_waits", "waiting times on the page"),
    "hand-labels": ("hearing.hand_labels", "errors against boundaries labelled by hand"),
    "errors": ("hearing.planted_errors", "wrong texts: does the aligner doubt them?"),
    "sounds": ("hearing.planted_sounds", "unwritten sounds: named, without moving neighbours?"),
    "recognition": ("hearing.recognition", "word errors of recognition, with a hint and without"),
    "near-words": ("hearing.near_words", "edits planned from the new text alone"),
    "live": ("hearing.live_words", "live words: errors, delay, changes"),
    "cleaning": ("hearing.planted_fillers", "fillers, repetitions and pauses: found, cut cleanly?"),
    "speakers": ("hearing.joined_speakers", "telling two people apart"),
    "texts": ("text_readings", "the reading of texts"),
    "table": ("tables.table_command", "the thesis's tables 4.2 to 4.7, or all"),
    "figures": ("thesis_figures", "the thesis's figures 4.6 and 4.7"),
    "examples": ("listening.example_edits", "a page of edits to listen to"),
    "listening": ("listening.kit", "a blind listening test for people"),
    "ratings": ("listening.ratings", "the result of such a test"),
    "runs": ("runs", "training runs on the same clips, without a vocoder"),
    "compare-checkouts": (
        "compare_checkouts.two_checkouts",
        "do two checkouts make the same bytes?",
    ),
}


def module_of(name: str) -> ModuleType:
    """Import a command's module, when it is wanted."""
    return import_module(f"evaluation.{COMMANDS[name][0]}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 when done, 1 if the input can't be used, 2 for wrong usage."""
    name, *rest = (sys.argv[1:] if arguments is None else list(arguments)) or ["--help"]
    if name not in COMMANDS:
        lines = [f"  {name:15} {about}" for name, (_, about) in COMMANDS.items()]
        usage = "\n".join(["usage: python -m evaluation NAME … (see NAME --help)", "", *lines])
        helped = name in ("--help", "-h")
        print(usage, file=sys.stdout if helped else sys.stderr)
        return 0 if helped else WRONG_USAGE
    try:
        module = module_of(name)
        if hasattr(module, "MEASUREMENT"):
            return int(module.MEASUREMENT.program(name, module.__doc__)(rest))
        return int(module.main(rest))
    except ModuleNotFoundError as error:
        return name_missing_package(f"evaluation {name}", error)
