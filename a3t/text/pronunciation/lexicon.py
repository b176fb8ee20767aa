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
_SENSES = Path(__file__).with_name("senses.tsv")


@cache
def _lines() -> list[str]:
    return gzip.decompress(LEXICON.read_bytes()).decode().split("\n")


def _ways(word: str) -> str:
    """A word's pronunciations as the file has them; "" for an unknown word."""
    lines, head = _lines(), f"{word}\t"
    place = bisect_left(lines, head)
    found = place < len(lines) and lines[place].startswith(head)
    return lines[place].removeprefix(head) if found else ""


@cache
def _senses() -> dict[str, dict[str, Pronunciation]]:
    """The table of homographs beside this file: word -> sense -> how it is said."""
    table: dict[str, dict[str, Pronunciation]] = {}
    for line in _SENSES.read_text(encoding="utf-8").splitlines()[1:]:
        word, sense, phones = line.split("\t")
        table.setdefault(word, {})[sense] = tuple(phones.split())
    return table


def senses(word: str) -> dict[str, Pronunciation]:
    """The senses of a homograph, named as in the Wikipedia Homograph Data, and how each is said."""
    return _senses().get(word, {})


def in_lexicon(word: str) -> bool:
    """True if CMUdict or the names of today have the lower-case word."""
    return bool(ways := _ways(word)) and not ways.startswith(FOREIGN)


def lookup(word: str) -> list[Pronunciation]:
    """All pronunciations of a lower-case word, the preferred one first; [] for an unknown word."""
    ways = _ways(word).removeprefix(FOREIGN)
    return [tuple(way.split()) for way in ways.split("|")] if ways else []
