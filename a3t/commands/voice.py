"""Make and manage a person's own voice, by `a3t voice make FILES --out NAME`."""

from __future__ import annotations

import argparse

from a3t.commands.options import option
from a3t.console import EXIT_CODES, Parser, Progress, agrees, on_a_terminal, run, say
from a3t.errors import InputError

CONSENT = (
    "A voice belongs to a person. Does the speaker of these recordings agree that a machine learns "
    "to speak in this voice?"
)


def parser() -> argparse.ArgumentParser:
    """Return the parser of `a3t voice`."""
    result = Parser(
        prog="a3t voice",
        description="Make and manage voices of people who consent, for a3t edit --voice NAME.",
        epilog=EXIT_CODES,
    )
    commands = result.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, purpose: str) -> argparse.ArgumentParser:
        about = f"{purpose[0].upper()}{purpose[1:]}."
        return commands.add_parser(name, help=purpose, description=about, epilog=EXIT_CODES)

    make = command("make", "learn a voice from recordings of one speaker")
    recordings = "recordings, with or without transcripts beside them"
    option(make, "recordings FILE_OR_FOLDER", recordings, nargs="+")
    option(make, "--out NAME", "name of the voice", required=True)
    option(make, "--i-have-consent", "confirm that the speaker consents; don't ask")
    about = "training steps (default: four per second of speech, 120 to 600)"
    option(make, "--steps N", about)
    option(make, "--rank N", "LoRA rank (default: 8)", default=8)
    option(make, "--seed N", "random seed of the training (default: 0)", default=0)
    about = "the model that learns it, a shipped one or a folder (default: small)"
    option(make, "--model NAME_OR_PATH", about, default="small")
    command("list", "list all voices")
    for name, purpose in (("show", "print a voice's card"), ("remove", "delete a voice")):
        option(command(name, purpose), "name NAME", "as a3t voice list has it")
    return result


def main(arguments: list[str]) -> int:
    """Run `a3t voice` and return the exit code."""
    options = parser().parse_args(arguments)
    return run(lambda: VOICE_COMMANDS[options.command](options))


def make(options: argparse.Namespace) -> None:
    """Carry out `make`; raises InputError."""
    from a3t.model.saved_voices import check_name
    from a3t.plan.options import SpeechOptions, option_of

    check_name(options.out)
    option_of(SpeechOptions, "seed").check(options.seed)
    steps = 1 if options.steps is None else options.steps
    if not 1 <= steps <= 10_000 or not 1 <= options.rank <= 64:
        raise InputError("--steps takes 1 to 10000, --rank 1 to 64.")
    if not options.i_have_consent:
        ask_for_consent()

    from a3t.editor import Editor
    from a3t.source.alignments import default_folder
    from a3t.voice.adaptation import AdaptationConfig
    from a3t.voice.making import make_voice

    editor = Editor.load(options.model, cache_dir=default_folder())
    config = AdaptationConfig(rank=options.rank, steps=options.steps, seed=options.seed)
    folder, adaptation = make_voice(
        options.out,
        options.recordings,
        editor.base_networks,
        editor.align,
        config,
        say,
        Progress().learnt,
    )
    say(f"Made of {adaptation.seconds:.0f} s of speech: {folder}")
    say(f"Use it with --voice {options.out}.")


def ask_for_consent() -> None:
    """Raise InputError unless a person says yes on a terminal."""
    if not on_a_terminal():
        raise InputError(
            "A voice needs its speaker's consent: if you have it, add --i-have-consent."
        )
    if not agrees(CONSENT):
        raise InputError("Nothing was made: ask the speaker first.")


def list_voices(options: argparse.Namespace) -> None:
    """Print the names of all voices."""
    from a3t.user_folders import voice_names

    names = voice_names()
    print("\n".join(names)) if names else say("There are no voices yet: a3t voice make learns one.")


def show(options: argparse.Namespace) -> None:
    """Print a voice's card; raises InputError if there is none."""
    from a3t.model.saved_voices import card, load_voice

    voice = load_voice(options.name)
    print(card(voice.name, {"model": voice.model.get("name"), **voice.facts}), end="")


def remove(options: argparse.Namespace) -> None:
    """Delete a voice; raises InputError if there is none."""
    from a3t.model.saved_voices import remove_voice

    remove_voice(options.name)
    say(f"Removed: {options.name}")


VOICE_COMMANDS = {"make": make, "list": list_voices, "show": show, "remove": remove}
