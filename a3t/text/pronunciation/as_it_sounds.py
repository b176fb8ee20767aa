"""A word written as it sounds, "KEE-yev": to its phones, and from them."""

from __future__ import annotations

import re

from a3t.errors import InputError
from a3t.text.phones import VOWELS
from a3t.text.pronunciation.letter_to_sound import guess
from a3t.text.pronunciation.lexicon import Pronunciation, lookup
from alignment.arpabet import strip_stress

LONGEST = 60  # letters of a word as it sounds
_SOUNDS = dict(
    zip(
        "AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW DH HH JH NG TH".split(),
        "ah a uh aw ow eye eh er ay ih ee oh oy uu oo th h j ng th".split(),
        strict=True,
    )
)
_PARTS = re.compile(r"-+")


def as_it_sounds(said: str) -> Pronunciation:
    """The phones of a word written as it sounds: syllables, joined by hyphens.

    The part in capitals has the main stress, else the first: "KEE-yev", "keev". Each part is said
    as the dictionary has it, or else as its letters would be. InputError for what isn't letters.
    """
    parts = [part for part in _PARTS.split(said.replace("’", "'").strip()) if part]
    if not parts or len(said) > LONGEST or not all(re.fullmatch("[A-Za-z']+", p) for p in parts):
        raise InputError(
            f"“{said[:LONGEST]}” doesn't say how a word sounds: use letters and hyphens, as in "
            "KEE-yev, or phones, as in K IY1 Y EH0 V."
        )
    stressed = next((place for place, part in enumerate(parts) if part.isupper()), 0)
    phones: list[str] = []
    for place, part in enumerate(parts):
        word = part.lower()
        way = (lookup(word) or [guess(word)])[0]
        phones += _stressed(way) if place == stressed else _unstressed(way)
    return tuple(phones)


def sounded(phones: Pronunciation) -> str:
    """Phones as a person would write them, K IY1 Y EH0 V -> "KEE-yehv"; its reading need
    not be quite the same phones."""
    syllables: list[str] = []
    onset = ""
    for k, phone in enumerate(phones):
        bare = strip_stress(phone)
        onset += _SOUNDS.get(bare, bare.lower())
        ends = k + 1 == len(phones) or strip_stress(phones[k + 1]) not in VOWELS
        if bare in VOWELS:
            syllables.append(onset.upper() if phone.endswith("1") else onset)
            onset = ""
        elif syllables and ends:  # a consonant before another, or the last one
            closing = onset.upper() if syllables[-1].isupper() else onset
            syllables[-1] += closing
            onset = ""
    return "-".join(syllables)


def _stressed(phones: Pronunciation) -> list[str]:
    """Set one main stress: where it is, else on the first vowel."""
    if any(phone.endswith("1") for phone in phones):
        return [*phones]
    vowels = [k for k, phone in enumerate(phones) if strip_stress(phone) in VOWELS]
    return [
        f"{strip_stress(phone)}1" if k in vowels[:1] else phone for k, phone in enumerate(phones)
    ]


def _unstressed(phones: Pronunciation) -> list[str]:
    return [phone.replace("1", "0") for phone in phones]
