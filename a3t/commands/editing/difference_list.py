"""The list of differences from a recognised text, as the shell shows it and asks about it."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import soundfile

from a3t.audio.reading.recording import Recording
from a3t.console import answer, say
from a3t.errors import InputError
from a3t.source.differences import (
    Changes,
    Difference,
    choose,
    parsed_changes,
    probably_misheard,
)

PLAYED_BESIDE_S = 0.7  # seconds on either side of a place that is played
HEADING = "Your text differs from what a3t heard (x: probably a change of yours):"
PLAYERS = (
    ("ffplay", "-v", "error", "-nodisp", "-autoexit"),
    ("paplay",),
    ("afplay",),
    ("aplay", "-q"),
    ("play", "-q"),
)


def lines_of(differences: Sequence[Difference], sample_rate: int) -> Iterator[str]:
    """Write a line for each difference, and one for all that are surely misheard.

    x marks those that are ticked.
    """
    width = len(str(len(differences)))
    for each in differences:
        if not each.has_line:
            continue
        sign = "x" if each.ticked else " "
        start = each.source[0] / sample_rate
        yield f"[{sign}] {each.number:{width}}. {start:8.2f} s  {each.line}"
    if misheard := probably_misheard(differences):
        yield misheard


def show(differences: Sequence[Difference], sample_rate: int) -> None:
    """Print the list, if there is anything."""
    if differences:
        say(HEADING)
    for line in lines_of(differences, sample_rate):
        say(line)


def chosen(differences: Sequence[Difference], recording: Recording) -> Changes:
    """Ask on a terminal which differences to make; InputError if it is none."""
    show(differences, recording.sample_rate)
    question = "Make which? [Enter: those with an x; or numbers (1 3), all, none; p 2 plays no. 2] "
    while True:
        reply = answer(question)
        if reply in (None, "none"):
            raise InputError("Nothing was made.")
        if not reply:
            return "ticked"
        if reply[:1] == "p":
            play(differences, reply[1:].strip(), recording)
            continue
        try:
            changes = parsed_changes(reply)
            choose(differences, changes)
        except InputError as error:
            say(str(error))
            continue
        return changes


def play(differences: Sequence[Difference], number: str, recording: Recording) -> None:
    """Play the place of a difference, or say why that can't be."""
    place = next((each for each in differences if str(each.number) == number), None)
    player = next((each for each in PLAYERS if shutil.which(each[0])), None)
    if place is None or player is None:
        numbers = f"p takes one number, 1 to {len(differences)}."
        say(numbers if place is None else "There is no player: install ffmpeg.")
        return
    beside = round(PLAYED_BESIDE_S * recording.sample_rate)
    first, last = place.source[0] - beside, place.source[1] + beside
    samples = recording.mono(max(first, 0), min(last, recording.samples))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "place.wav"
        soundfile.write(path, samples, recording.sample_rate)
        played = subprocess.run(
            [*player, str(path)], check=False, stdin=subprocess.DEVNULL, capture_output=True
        )
    if played.returncode:
        say(f"It can't be played: {player[0]} finds no way to sound it here.")


def command_for(differences: Sequence[Difference], arguments: Sequence[str]) -> str:
    """Return the command that makes the differences that are ticked."""
    numbers = ",".join(str(each.number) for each in differences if each.ticked)
    return shlex.join(["a3t", "edit", *arguments, "--changes", numbers or "NUMBERS"])
