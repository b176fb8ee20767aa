"""Show how a text will be said, by `a3t say-as "It cost $5 in Kyiv."`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field

from a3t.commands.options import (
    add_dictionary_options,
    check_replaced,
    option,
    text_argument,
    user_dictionary,
)
from a3t.console import Parser, run, say
from a3t.errors import InputError
from a3t.text.normaliser.normalise import choices, skipped
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import parsed
from alignment.formats.dictionary import Dictionary


def main(arguments: list[str]) -> int:
    """Print how each line is said; the exit code."""
    parser = Parser(
        prog="a3t say-as",
        description="Print the spoken words of each line of text, and their phones (ARPAbet).",
        epilog="Exit codes: 0 success (an unreadable line is reported in its place), 1 unusable "
        "input, 2 wrong usage.",
    )
    option(parser, "text TEXT", "a line of text, or @FILE (default: standard input)", nargs="*")
    option(parser, "--json", "print one JSON object a line")
    about = "network that guesses the words in no dictionary (default: a3t)"
    option(parser, "--g2p", about, choices=("a3t", "g2p-en"), default="a3t")
    option(parser, "--hear OUT", "speak the text in the voice of --prompt-wav")
    option(parser, "--prompt-wav IN", "a recording of the voice")
    add_dictionary_options(parser)
    options = parser.parse_args(arguments)
    if (options.hear is None) != (options.prompt_wav is None):
        parser.error("give --hear and --prompt-wav together")
    return run(lambda: show(options))


def show(options: argparse.Namespace) -> None:
    """Print the readings; raises InputError for a file that can't be read."""
    if options.hear:
        from a3t.audio.output.files import check_target

        check_target(options.hear, options.prompt_wav)
        check_replaced(options.hear)
    own = user_dictionary(options)
    pronouncer = Pronouncer(own, options.g2p)
    lines = [*_lines(options.text)] if options.hear else _lines(options.text)
    for line in lines:
        reading = reading_of(line, pronouncer)
        if options.json:
            print(json.dumps(reading.to_json(), ensure_ascii=False), flush=True)
        else:
            print(shown(reading), flush=True)
    if options.hear:
        hear(" ".join(lines), options, own)


def hear(text: str, options: argparse.Namespace, own: Dictionary) -> None:
    """Write how a text sounds in the voice of --prompt-wav; raises what `Editor.tts` does."""
    from a3t.editor import Editor

    spoken = Editor.load().tts(options.prompt_wav, text, pronunciations=own)
    say(f"Written: {spoken.save(options.hear)}")


def _lines(texts: Iterable[str]) -> Iterable[str]:
    """Return the lines to read: those given, those of files that are named, or standard input."""
    texts = list(texts)
    if not texts:
        for raw in sys.stdin.buffer:
            yield raw.decode("utf-8-sig", errors="replace").rstrip("\r\n")
    for text in texts:
        yield from text_argument(text).splitlines() or [""]


def shown(reading: Reading) -> str:
    """Describe a reading for people: the words, their phones, and what to look at."""
    if reading.error:
        return f"can't be read: {reading.error}"
    marked = [f"{word}*" if word in reading.guessed else word for word in reading.spoken]
    lines = [" ".join(marked), "  " + " | ".join(" ".join(phones) for phones in reading.phones)]
    if reading.guessed:
        lines.append(f"  * guessed from the letters: {', '.join(reading.guessed)}")
    for word, ways in reading.offered.items():
        lines.append(f"  {word} may also be {' or '.join(ways)}")
    if reading.skipped:
        lines.append(f"  not spoken: {', '.join(reading.skipped)}")
    if reading.chosen:
        lines.append(f"  chosen by the words beside: {', '.join(reading.chosen)}")
    return "\n".join(lines)


@dataclass(frozen=True)
class Reading:
    """One text, read: as many `phones` as there are `spoken` words, or an `error` and nothing."""

    spoken: tuple[str, ...] = ()
    phones: tuple[tuple[str, ...], ...] = ()
    guessed: tuple[str, ...] = ()  # words whose phones are guessed from their letters
    offered: dict[str, list[str]] = field(default_factory=dict)  # others of their phones, if unsure
    skipped: tuple[str, ...] = ()  # what is written and not spoken: "[Music]", a foreign word
    chosen: tuple[str, ...] = ()  # readings by the words beside: "4/5 as a date"
    error: str = ""

    def to_json(self) -> dict[str, object]:
        """Return `spoken` as one text and `phones` as one text a word; or the error alone."""
        if self.error:
            return {"error": self.error}
        return {
            "spoken": " ".join(self.spoken),
            "phones": [" ".join(phones) for phones in self.phones],
            "guessed": list(self.guessed),
            "offered": self.offered,
            "skipped": list(self.skipped),
            "chosen": list(self.chosen),
        }


def reading_of(text: str, pronouncer: Pronouncer) -> Reading:
    """Read a text; one that can't be read has the reason as its `error`."""
    try:
        transcript = parsed(text)
    except InputError as error:
        return Reading(error=str(error))
    spoken = transcript.spoken
    phones = pronouncer.pronounce(spoken, [word.written for word in transcript.words])
    guessed = dict.fromkeys(word for word in spoken if pronouncer.is_guessed(word))
    ways = {word: [" ".join(way) for way in pronouncer.offered(word)] for word in guessed}
    offered = {word: phones for word, phones in ways.items() if phones}
    left_out, chosen = tuple(skipped(text)), tuple(choices(text))
    return Reading(spoken, tuple(phones), tuple(guessed), offered, left_out, chosen)
