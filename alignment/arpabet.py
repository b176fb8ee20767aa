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
