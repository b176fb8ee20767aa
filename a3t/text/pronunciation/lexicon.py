"""The lexicon: CMUdict, names of today and misaki's lexicon, word -> pronunciations.

`lexicon.txt.gz` beside this file has a line for each word, sorted, the preferred pronunciation
first (`training.text.make_lexicon` makes it). It is read once, when a word is first looked up; only
the word's own line is then parsed.
"""

from __future__ import annotations

import gzip
from bisect import bisect_left
from functools import cache
from pathlib import Path

Pronunciation = tuple[str, ...]
"""ARPAbet phones, vowels with their stress."""

LEXICON = Path(__file__).with_name("lexicon.txt.gz")
FOREIGN = "*"  # before the pronunciations of a word that only misaki's lexicon has


@cache
def _lines() -> list[str]:
    return gzip.decompress(LEXICON.read_bytes()).decode().split("\n")


def _ways(word: str) -> str:
    """Return a word's pronunciations as the file has them; "" for an unknown word."""
    lines, head = _lines(), f"{word}\t"
    place = bisect_left(lines, head)
    found = place < len(lines) and lines[place].startswith(head)
    return lines[place].removeprefix(head) if found else ""


def in_lexicon(word: str) -> bool:
    """Return whether CMUdict or the names of today have the lower-case word."""
    return bool(ways := _ways(word)) and not ways.startswith(FOREIGN)


def lookup(word: str) -> list[Pronunciation]:
    """Return all pronunciations of a lower-case word, the preferred one first; [] if unknown."""
    ways = _ways(word).removeprefix(FOREIGN)
    return [tuple(way.split()) for way in ways.split("|")] if ways else []
