"""The installed command `a3t`, and `python -m a3t`: one entry point for all programs."""

from __future__ import annotations

import sys

from a3t import __version__
from a3t.errors import end_at_once


def edit(arguments: list[str]) -> int:
    """change what a recording says"""
    from a3t.edit import main

    return main(arguments)


def tts(arguments: list[str]) -> int:
    """speak a text in the voice of a recording"""
    from a3t.tts import main

    return main(arguments)


def clean(arguments: list[str]) -> int:
    """take out fillers, repetitions and long pauses"""
    from a3t.projects.clean import main

    return main(arguments)


def loudness(arguments: list[str]) -> int:
    """measure loudness by EBU R128, and write a copy at another"""
    from a3t.projects.loudness_command import main

    return main(arguments)


def align(arguments: list[str]) -> int:
    """locate every word and phone of a recording"""
    from alignment.__main__ import main

    return main(arguments)


def inspect(arguments: list[str]) -> int:
    """list the parts of a file that a3t made"""
    from a3t.inspect import main

    return main(arguments)


def app(arguments: list[str]) -> int:
    """edit in the browser"""
    from app.__main__ import main

    return main(arguments)


def serve(arguments: list[str]) -> int:
    """speech and edits for other programs, over HTTP"""
    from app.server.__main__ import main

    return main(arguments)


def demo(arguments: list[str]) -> int:
    """make three edits to an example sentence"""
    from a3t.demo import main

    return main(arguments)


def voice(arguments: list[str]) -> int:
    """learn a person's voice from recordings"""
    from a3t.voice.__main__ import main

    return main(arguments)


def transcribe(arguments: list[str]) -> int:
    """print what a recording says"""
    from a3t.source.__main__ import main

    return main(arguments)


def say_as(arguments: list[str]) -> int:
    """print how a text will be said: its words, its phones"""
    from a3t.text.__main__ import main

    return main(arguments)


def fetch_recogniser(arguments: list[str]) -> int:
    """fetch a better recogniser (Whisper), if you agree"""
    from a3t.fetching.fetch_recogniser import main

    return main(arguments)


PROGRAMS = {
    program.__name__.replace("_", "-"): program
    for program in (
        *(edit, clean, loudness, tts, align, transcribe, voice, inspect),
        *(say_as, app, serve, demo, fetch_recogniser),
    )
}


def main(arguments: list[str] | None = None) -> int:
    """Run the program that the first argument names; its exit code, or 2 if there isn't one."""
    end_at_once()  # until the program has something to tidy up
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in PROGRAMS:
        return PROGRAMS[name](rest)
    if name in ("--version", "-V"):
        print(f"a3t {__version__}")
        return 0
    lines = [f"  a3t {name:17}{program.__doc__}" for name, program in PROGRAMS.items()]
    usage = "\n".join(["usage: a3t PROGRAM …    (see a3t PROGRAM --help)", "", *lines])
    if name in ("--help", "-h"):
        print(usage)
        return 0
    print(f"{usage}\n\na3t: there is no program “{name}”.", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
