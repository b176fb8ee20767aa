"""The installed command `a3t`, and `python -m a3t`: one entry point for all commands."""

from __future__ import annotations

import sys
from importlib import import_module

from a3t import __version__
from a3t.errors import begin_program

COMMANDS = {
    "edit": "change what a recording says",
    "clean": "remove fillers, repetitions and long pauses",
    "loudness": "measure loudness, write a copy at another",
    "tts": "speak a text in a recording's voice",
    "align": "locate every word and phone of a recording",
    "check": "list where a reading departs from its script",
    "transcribe": "print what a recording says",
    "voice": "learn a person's voice from recordings",
    "inspect": "list the parts of a file that a3t made",
    "say-as": "print a text's words and phones as they will be spoken",
    "app": "edit in the browser",
    "serve": "serve speech and edits to other programs over HTTP",
    "fetch-recogniser": "fetch a better recogniser (Whisper), if you agree",
}


def main(arguments: list[str] | None = None) -> int:
    """Run the command that the first argument names; its exit code, or 2 if there isn't one."""
    begin_program()  # until the command has something to tidy up
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in COMMANDS:
        command = import_module(f"a3t.commands.{name.replace('-', '_')}")
        return int(command.main(rest))
    if name in ("--version", "-V"):
        print(f"a3t {__version__}")
        return 0
    lines = [f"  a3t {name:17}{purpose}" for name, purpose in COMMANDS.items()]
    usage = "\n".join(["usage: a3t PROGRAM …    (see a3t PROGRAM --help)", "", *lines])
    if name in ("--help", "-h"):
        print(usage)
        return 0
    print(f"{usage}\n\na3t: there is no program “{name}”.", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
