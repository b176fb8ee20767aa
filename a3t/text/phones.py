"""The one phone inventory: 73 symbols, whose positions are the ids that every model uses.

ARPAbet as in CMUdict, vowels with their stress (0 none, 1 primary, 2 secondary): 24 consonants and
15 vowels × 3 stresses are 69 phones; with `sp` (a pause) and three special symbols they are the
vocabulary of 73 of the thesis (section 4.3, "Model"). Shipped weights depend on this order.
"""

from __future__ import annotations

from collections.abc import Iterable

from alignment.arpabet import strip_stress

BLANK, UNKNOWN, PAUSE, BOUNDARY = "<blank>", "<unk>", "sp", "<sos/eos>"

CONSONANTS: tuple[str, ...] = tuple(
    "B CH D DH F G HH JH K L M N NG P R S SH T TH V W Y Z ZH".split()
)
VOWELS: tuple[str, ...] = tuple("AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW".split())
"""Vowels without stress; in PHONES each stands three times, with 0, 1 and 2."""

ARPABET: tuple[str, ...] = tuple(
    sorted(CONSONANTS + tuple(vowel + stress for vowel in VOWELS for stress in "012"))
)
PHONES: tuple[str, ...] = (BLANK, UNKNOWN, PAUSE, *ARPABET, BOUNDARY)
PHONE_ID: dict[str, int] = {symbol: index for index, symbol in enumerate(PHONES)}
PAUSE_ID = PHONE_ID[PAUSE]


def phone_ids(symbols: Iterable[str]) -> list[int]:
    """Return the ids (positions in PHONES) of symbols; one outside the inventory is `<unk>`."""
    unknown = PHONE_ID[UNKNOWN]
    return [PHONE_ID.get(symbol, unknown) for symbol in symbols]


def is_vowel(symbol: str) -> bool:
    """Return whether a symbol is a vowel, with or without its stress digit."""
    return strip_stress(symbol) in VOWELS
