"""Pronunciations of words that no lexicon has: guessed by a network, or spelled out."""

from __future__ import annotations

from typing import Literal

from a3t.text.phones import is_vowel
from a3t.text.pronunciation import g2p_en_network
from a3t.text.pronunciation.letter_network import LETTERS, shipped
from a3t.text.pronunciation.lexicon import Pronunciation, lookup

Network = Literal["a3t", "g2p-en"]
_CHUNK = 16  # letters; the networks were trained on words, and lose their way in longer strings


def spell_out(word: str) -> Pronunciation:
    """The names of the letters: "bbc" -> B IY1 B IY1 S IY1."""
    return tuple(phone for letter in word if letter in LETTERS for phone in _letter_name(letter))


def _letter_name(letter: str) -> Pronunciation:
    # CMUdict's "a" is the article first; the letter is EY1.
    return ("EY1",) if letter == "a" else lookup(letter)[0]


def others(word: str) -> list[Pronunciation]:
    """The ways that a word may be said besides a3t's guess, likeliest first; mostly none."""
    short = word.isascii() and word.isalpha() and len(word) <= _CHUNK
    if not short or not any(letter in "aeiouy" for letter in word):
        return []
    return [way for way in shipped().ways(word)[1:] if any(map(is_vowel, way))]


def guess(word: str, network: Network = "a3t") -> Pronunciation:
    """A pronunciation for any string with at least one letter a–z; never empty.

    Words without a vowel letter, and those the network says nothing sayable for, are spelled out.
    """
    letters = "".join(letter for letter in word if letter in LETTERS)
    if not any(letter in "aeiouy" for letter in letters):
        return spell_out(letters)
    chunks = [letters[first : first + _CHUNK] for first in range(0, len(letters), _CHUNK)]
    predict = shipped().pronounce if network == "a3t" else g2p_en_network.predict
    phones = tuple(phone for chunk in chunks for phone in predict(chunk))
    return phones if any(is_vowel(phone) for phone in phones) else spell_out(letters)
