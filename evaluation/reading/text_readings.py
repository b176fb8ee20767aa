"""Written forms read by this normaliser and by others, and how its work grows with the text.

    python -m evaluation.reading.text_readings [--judges]

Prints how many of the lists in tests/text/normaliser are read as they say, and seconds for
texts of 1,000 to 100,000 tokens of ordinary and of hostile kinds. With --judges, which wants
WeTextProcessing or NeMo's nemo_text_processing beside it (neither is a dependency), it prints each
line that they read differently, to be looked at: they say "the fifth of May" and leave "Dr." and
"12 fps" as written, so a difference is no fault by itself.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from a3t.errors import InputError
from a3t.text.transcript import Transcript
from evaluation.harness.programs import program_parser

LISTS = Path(__file__).parents[2] / "tests" / "text" / "normaliser"
SET_ASIDE = "# set aside"  # begins the part of a list by which no rule was written
KINDS = {
    "prose": "On May 6th, 2020, Dr. Smith paid $5.20 for 3 lbs of tea; it was 5 p.m. ",
    "dots": ". ",
    "one token of dots": ".",
    "figures": "9",
    "groups": "12 ",
    "dashes": "-",
    "commas": "1,",
    "brackets": "[pause ",
}


def said(text: str) -> str:
    """What this normaliser says for a text."""
    return " ".join(Transcript.from_text(text, max_words=None).spoken)


def rows(*names: str) -> Iterator[list[str]]:
    """[written, spoken, …] of lists."""
    for name in names:
        yield from rows_of((LISTS / name).read_text(encoding="utf-8"))


def rows_of(text: str) -> Iterator[list[str]]:
    """The lines of a list that have a bar, but for its first."""
    for line in text.splitlines()[1:]:
        if " | " in line:
            yield [cell.strip() for cell in line.split(" | ")]


def right(table: Iterable[list[str]]) -> str:
    """How many rows are read as they say."""
    found = [key(said(row[0])) in map(key, row[1:]) for row in table]
    return f"{sum(found)} of {len(found)}"


def judges() -> dict[str, Callable[[str], str]]:
    """Those that are installed."""
    found: dict[str, Callable[[str], str]] = {}
    try:
        from tn.english.normalizer import Normalizer as WeText

        found["WeTextProcessing"] = WeText(overwrite_cache=False).normalize
    except ImportError:
        pass
    try:
        from nemo_text_processing.text_normalization.normalize import Normalizer as NeMo

        found["NeMo"] = NeMo(input_case="cased", lang="en").normalize
    except ImportError:
        pass
    return found


def key(text: str) -> str:
    """What of a reading counts: its letters, without "and"."""
    return re.sub("[^a-z]", "", re.sub(r"\band\b", "", text.lower()))


def grow() -> None:
    """Seconds for ten and a hundred times as much."""
    for name, piece in KINDS.items():
        seconds = []
        for count in (1_000, 10_000, 100_000):
            text = "so " + piece * max(1, count // max(1, len(piece.split()) - 1))
            started = time.process_time()
            with contextlib.suppress(InputError):
                Transcript.from_text(text, max_words=None)
            seconds.append(time.process_time() - started)
        print(f"{name:20}" + "".join(f"{x:9.3f} s" for x in seconds))


def main() -> None:
    """Print the figures."""
    parser = program_parser("reading.text_readings", __doc__)
    parser.add_argument("--judges", action="store_true", help="compare with other normalisers")
    args = parser.parse_args()
    table = list(rows("readings.txt", "narrated.txt"))
    print(f"{right(table)} readings as the lists have them")
    podcasts = (LISTS / "podcasts.txt").read_text(encoding="utf-8").split(SET_ASIDE)
    print(f"podcasts: {right(rows_of(podcasts[0]))}, set aside: {right(rows_of(podcasts[1]))}")
    grow()
    for name, normalise in judges().items() if args.judges else ():
        for row in table:
            theirs = normalise(row[0])
            if key(theirs) != key(said(row[0])):
                print(f"{name} | {row[0]} | {theirs} | {said(row[0])}")


if __name__ == "__main__":
    main()
