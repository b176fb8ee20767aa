"""The installed command `a3t`, and `python -m a3t`: one entry point for all commands."""

from __future__ import annotations

import sys
from importlib import import_module

from a3t import __version__
from a3t.errors import begin_program

TASKS = {
    "Change a recording": {
        "edit": "change what it says",
        "clean": "remove fillers, repetitions and long pauses",
        "loudness": "measure its loudness, write a copy at another",
        "app": "edit in the browser",
    },
    "Make speech": {
        "tts": "speak a text in a recording's voice",
        "voice": "learn a person's voice from recordings",
        "say-as": "print a text's words and phones as they will be spoken",
    },
    "Find out what a recording says": {
        "transcribe": "print its words, with names and times if you like",
        "align": "locate every word and phone",
        "check": "list where a reading departs from its script",
        "inspect": "list the parts of a file that a3t made",
    },
    "Set up": {
        "fetch-recogniser": "fetch a better recogniser (Whisper), if you agree",
        "serve": "serve speech and edits to other programs over HTTP",
    },
}
COMMANDS = {name: purpose for task in TASKS.values() for name, purpose in task.items()}


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
    lines = ["usage: a3t PROGRAM …    (see a3t PROGRAM --help)"]
    for task, commands in TASKS.items():
        lines += ["", f"{task}:", *(f"  a3t {each:17}{about}" for each, about in commands.items())]
    example = 'a3t edit talk.wav --new-text "What it should say instead."'
    usage = "\n".join([*lines, "", f"For instance: {example}"])
    if name in ("--help", "-h"):
        print(usage)
        return 0
    print(f"{usage}\n\na3t: there is no program “{name}”.", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
