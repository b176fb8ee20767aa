"""Options shared by several commands."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from a3t.errors import InputError
from alignment.formats.dictionary import Dictionary, add_dictionary_arguments, user_dictionary

# What options are added to: a parser, or a group of one.
Options = argparse.ArgumentParser | argparse._ArgumentGroup


def text_argument(value: str) -> str:
    """A text, or the contents of the file after an @."""
    if not value.startswith("@"):
        return value
    from a3t.source.transcripts import read_text

    return read_text(Path(value[1:]))


def own_dictionary(options: argparse.Namespace) -> Dictionary:
    """The pronunciations of --dict and --pronounce; InputError or AlignmentError."""
    from a3t.text.pronunciation.as_it_sounds import as_it_sounds

    return user_dictionary(options, as_it_sounds)


WORD_EXPORTS = tuple("textgrid labels srt vtt word-srt word-vtt".split())
EXPORTS = (*WORD_EXPORTS, *"csv edl otio xml fcpxml rpp md docx png".split())


def export_kinds(value: str) -> tuple[str, ...]:
    """Parse the value of --export, a comma-separated list."""
    kinds = tuple(dict.fromkeys(kind.strip().lower() for kind in value.split(",") if kind.strip()))
    unknown = [kind for kind in kinds if kind not in EXPORTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"“{unknown[0]}” is not one of {', '.join(EXPORTS)}")
    return kinds


def add_export_argument(options: Options) -> None:
    """Add --export, for commands that make an edit."""
    options.add_argument(
        "--export", type=export_kinds, default=(), metavar="KINDS",
        help=f"also write these files beside OUT: {', '.join(EXPORTS)}",
    )  # fmt: skip


def add_recogniser_argument(options: Options) -> None:
    """Add --recogniser, for commands that may have to recognise speech."""
    from alignment.recognition import RECOGNISERS

    options.add_argument(
        "--recogniser", choices=RECOGNISERS, default="auto",
        help="speech recogniser, used if there is no transcript (auto: A3T_RECOGNISER, else a "
        "fetched Whisper model, else the aligner's network)",
    )  # fmt: skip


def when_to_adapt(value: str) -> str | float:
    """Parse the value of --adapt."""
    from a3t.plan.edit_limits import check_adapt

    try:
        return check_adapt(value)  # type: ignore[return-value]
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_adapt_argument(options: Options, default: str) -> None:
    """Add --adapt (see `a3t.plan.request`); ``A3T_ADAPT`` overrides the default."""
    default = os.environ.get("A3T_ADAPT", default)
    options.add_argument(
        "--adapt", nargs="?", type=when_to_adapt, const="always", default=default, metavar="WHEN",
        help="first learn the recording's voice, once: auto (if it has enough speech), always "
        f"(also without a value), never, or a limit in seconds (default: {default})",
    )  # fmt: skip


def add_voice_arguments(options: Options, adapt: str) -> None:
    """Add the options of `a3t edit` and `a3t tts` for the new words; ``adapt``: its default."""
    options.add_argument(
        "--speed", type=float, default=1.0, metavar="X",
        help="rate of the new words relative to the speaker's own (default: 1)",
    )  # fmt: skip
    add_dictionary_arguments(options)
    options.add_argument(
        "--voice", metavar="NAME", help="the speaker's voice, as made by `a3t voice make`"
    )
    add_adapt_argument(options, adapt)


def add_expert_arguments(options: Options) -> None:
    """Add the options of `a3t edit` and `a3t tts` that choose models, seed and device."""
    options.add_argument(
        "--seed", type=int, default=0, metavar="N",
        help="random seed of noise and melody; 0 gives the likeliest melody (default: 0)",
    )  # fmt: skip
    for name, default in (("model", "small"), ("vocoder", "builtin")):
        options.add_argument(
            f"--{name}", default=default, metavar="NAME_OR_PATH",
            help=f"a shipped {name}, or a folder with another (default: {default})",
        )  # fmt: skip
    options.add_argument(
        "--device",
        default="cpu",
        metavar="D",
        help="device for the models: cpu, cuda … (default: cpu)",
    )
