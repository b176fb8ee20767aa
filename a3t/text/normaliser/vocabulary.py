"""The words of written signs: abbreviations, units, symbols, letters of other alphabets.

`vocabulary.toml` has the words, and says of each list where it counts: WORDS are its lists, SAID
its tables of what is said for each sign.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

SAID: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
_LISTS: Mapping[str, str] = SAID.pop("words")
WORDS = {name: frozenset(listed.split()) for name, listed in _LISTS.items()}
WORDS["bible"] |= {*SAID["bible_books"], *SAID["bible_books"].values()}

OWN_FORMS = {word.lower(): word for word in WORDS["own_forms"]}


def _counted(name: str) -> dict[str, tuple[str, str]]:
    """Return the spoken forms after 1 and others: "foot|feet"; "kilometer" takes an s."""
    pairs = {sign: said.partition("|") for sign, said in SAID[name].items()}
    return {sign: (one, more or f"{one}s") for sign, (one, _, more) in pairs.items()}


def _patterns(name: str) -> re.Pattern[str]:
    """Match any of a list's patterns, in which _ stands for a space, and the space after it."""
    listed = "|".join(_LISTS[name].split()).replace("_", " ")
    return re.compile(f"(?:{listed}) *", re.IGNORECASE)


UNITS = _counted("units")
DOTTED_UNITS = _counted("dotted_units")
CURRENCY_CODES = _counted("currency_codes")
SOUND = _patterns("sounds")
BESIDE_SOUND = _patterns("beside_sounds")
