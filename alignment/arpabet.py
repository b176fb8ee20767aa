"""The phones of American English, as CMUdict and every format here write them."""

from __future__ import annotations

# fmt: off
ARPABET = frozenset((
    "AA", "AE", "AH", "AO", "AW", "AY", "B", "CH", "D", "DH", "EH", "ER", "EY", "F", "G", "HH",
    "IH", "IY", "JH", "K", "L", "M", "N", "NG", "OW", "OY", "P", "R", "S", "SH", "T", "TH", "UH",
    "UW", "V", "W", "Y", "Z", "ZH",
))
# fmt: on

VOWELS = frozenset(phone for phone in ARPABET if phone[0] in "AEIOU")

Pronunciation = tuple[str, ...]
"""Phones without stress."""


def strip_stress(symbol: str) -> str:
    """Remove the stress digit: "AH0" becomes "AH"; symbols without one stay as they are."""
    return symbol.rstrip("012")


def phone_named(label: str) -> str:
    """Return the phone that a label means: "AH0" for "ah0"; a consonant has no digit.

    Raises ValueError, with the rest of a sentence, for any other label.
    """
    symbol = label.upper()
    plain = strip_stress(symbol)
    if plain not in ARPABET:
        raise ValueError("is not an ARPAbet phone: use a dictionary in ARPAbet, as CMUdict is.")
    if plain not in VOWELS:
        return plain
    if symbol[len(plain) :] not in ("0", "1", "2"):
        raise ValueError(f"is a vowel without its stress: write {plain}0, {plain}1 or {plain}2.")
    return symbol
