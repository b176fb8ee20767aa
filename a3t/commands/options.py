"""Options that several commands have."""

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
    """--export of whatever makes an edit."""
    options.add_argument(
        "--export", type=export_kinds, default=(), metavar="KINDS",
        help=f"also write these files about the result, beside OUT: {', '.join(EXPORTS)}",
    )  # fmt: skip


def add_recogniser_argument(options: Options) -> None:
    """--recogniser of whatever may have to find out what a recording says."""
    from alignment.recognition import RECOGNISERS

    options.add_argument(
        "--recogniser", choices=RECOGNISERS, default="auto",
        help="speech recogniser, used if there is no transcript (auto: what A3T_RECOGNISER names, "
        "else whisper if a model was fetched, else the aligner's network)",
    )  # fmt: skip


def when_to_adapt(value: str) -> str | float:
    """Parse the value of --adapt."""
    from a3t.plan.edit_limits import check_adapt

    try:
        return check_adapt(value)  # type: ignore[return-value]
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_adapt_argument(options: Options, default: str) -> None:
    """--adapt of a request (`a3t.plan.request`); ``A3T_ADAPT`` has another default."""
    default = os.environ.get("A3T_ADAPT", default)
    options.add_argument(
        "--adapt", nargs="?", type=when_to_adapt, const="always", default=default, metavar="WHEN",
        help="first learn the recording's voice, once: always (if nothing follows), auto (if it "
        f"has enough speech), never, or in so many seconds (default: {default})",
    )  # fmt: skip


def add_voice_arguments(options: Options, adapt: str) -> None:
    """The options of `a3t edit` and `a3t tts` about how new words sound; ``adapt`` by default."""
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
    """The options of `a3t edit` and `a3t tts` about the models."""
    options.add_argument(
        "--seed", type=int, default=0, metavar="N",
        help="of the noise, and of the melody: 0 is the likeliest, others draw one (default: 0)",
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
        help="what the models run on: cpu, cuda … (default: cpu)",
    )
