"""Pronunciations of regular forms and compounds of words that the lexicon has."""

from __future__ import annotations

from a3t.text.phones import is_vowel
from a3t.text.pronunciation.letter_to_sound import Network, guess
from a3t.text.pronunciation.lexicon import Pronunciation, in_lexicon, lookup

_SIBILANTS = frozenset("S Z SH ZH CH JH".split())
_VOICELESS = frozenset("P T K F TH".split())


def _plural(stem: Pronunciation) -> Pronunciation:
    if stem[-1] in _SIBILANTS:
        return (*stem, "IH0", "Z")
    return (*stem, "S" if stem[-1] in _VOICELESS else "Z")


def _past(stem: Pronunciation) -> Pronunciation:
    if stem[-1] in ("T", "D"):
        return (*stem, "IH0", "D")
    voiceless = stem[-1] in _VOICELESS or stem[-1] in ("S", "SH", "CH")
    return (*stem, "T" if voiceless else "D")


def _progressive(stem: Pronunciation) -> Pronunciation:
    return (*stem, "IH0", "NG")


def _clitic(phones: tuple[str, ...], after_consonant: tuple[str, ...]):  # type: ignore[no-untyped-def]
    def add(stem: Pronunciation) -> Pronunciation:
        return stem + (phones if is_vowel(stem[-1]) else after_consonant)

    return add


_ENDINGS = (
    # written ending, what may stand in its place to give the stem, what it sounds like
    ("'s", ("",), _plural),
    ("s'", ("s", ""), None),
    ("'ll", ("",), _clitic(("L",), ("AH0", "L"))),
    ("'d", ("",), _clitic(("D",), ("AH0", "D"))),
    ("'ve", ("",), _clitic(("V",), ("AH0", "V"))),
    ("'re", ("",), _clitic(("ER0",), ("ER0",))),
    ("n't", ("",), _clitic(("N", "T"), ("AH0", "N", "T"))),
    ("ies", ("y",), _plural),
    ("es", ("e", ""), _plural),
    ("s", ("",), _plural),
    ("ed", ("e", ""), _past),
    ("ing", ("", "e"), _progressive),
)
_MIN_PART = 4  # letters of a compound's parts
_MIN_STEM = 3  # letters; shorter stems are too often no stem at all ("bing", "red")


def from_ending(word: str, network: Network = "a3t") -> list[Pronunciation]:
    """Pronunciations of a regular form of a known word ("gregson's", "vlogs"); [] if it is none.

    What stands before an apostrophe needn't be known: `network` guesses it.
    """
    for ending, replacements, sound in _ENDINGS:
        if not word.endswith(ending):
            continue
        apostrophe = "'" in ending
        for replacement in replacements:
            stem = word[: -len(ending)] + replacement
            if len(stem) < (1 if apostrophe else _MIN_STEM):
                continue
            stems = lookup(stem)
            if not stems and apostrophe and len(stem) > 1:
                stems = from_ending(stem, network) or [guess(stem, network)]
            if not stems:
                continue
            if sound is None:  # a plural's possessive sounds like the plural
                return stems if replacement else [_plural(phones) for phones in stems]
            return [sound(phones) for phones in stems]
    return []


def from_compound(word: str) -> list[Pronunciation]:
    """Two known words written together ("sheepdog" is no dictionary's); [] if it is none."""
    for middle in range(_MIN_PART, len(word) - _MIN_PART + 1):
        if in_lexicon(word[:middle]) and in_lexicon(word[middle:]):
            first, second = lookup(word[:middle])[0], lookup(word[middle:])[0]
            return [first + tuple(phone.replace("1", "2") for phone in second)]
    return []
