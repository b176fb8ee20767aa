"""Fetch a Whisper model for faster-whisper, by `a3t fetch-recogniser [tiny.en] [--yes]`."""

from __future__ import annotations

import argparse

from a3t.commands.options import option
from a3t.console import EXIT_CODES, Parser, run, say
from a3t.errors import InputError
from a3t.fetching.fetch_recogniser import OFFERED, about, agreed, fetch_model
from alignment.recognition.whisper import INSTALL, MODELS, fetched_model, is_installed


def main(arguments: list[str]) -> int:
    """Run `a3t fetch-recogniser` and return the exit code."""
    parser = Parser(
        prog="a3t fetch-recogniser",
        description="Fetch a Whisper model for faster-whisper (pip install 'a3t[whisper]').",
        epilog=EXIT_CODES,
    )
    about = "a larger one mishears less and takes longer (default: %(default)s)"
    option(parser, "model", about, nargs="?", default=OFFERED, choices=MODELS)
    option(parser, "--yes", "don't ask")
    options = parser.parse_args(arguments)
    return run(lambda: fetch(options))


def fetch(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError if it can't be fetched, or nobody agrees."""
    folder = fetched_model(options.model)
    if (folder / "model.bin").is_file():
        say(f"{options.model} is already in {folder}.")
        return
    if not is_installed():
        raise InputError(INSTALL)
    if not options.yes and not agreed(about(options.model)):
        raise InputError("Nothing was fetched: answer yes, or add --yes.")
    fetch_model(options.model)
