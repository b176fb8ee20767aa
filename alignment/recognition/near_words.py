"""Common words that sound nearly like another one: what it is taken for if a phone is unclear."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np

from alignment.recognition.ngrams import SPECIAL, load_ngrams

COMMON = 6000  # of the words that are recognised, the most frequent ones

Ways = frozenset[tuple[str, ...]]  # pronunciations, phones without stress


def known_ways(word: str) -> Ways:
    """The pronunciations of a word that is recognised; none of another one."""
    return _ways().get(word, frozenset())


def words_one_phone_apart(ways: Iterable[tuple[str, ...]]) -> dict[str, Ways]:
    """The common words of which a pronunciation differs by one phone, replaced, left out or put in,
    from one of these; none that is said like them.

    >>> sorted(words_one_phone_apart([("N", "EH", "V", "ER")]))
    ['ever']
    """
    own = frozenset(ways)
    return {
        word: found
        for word, found in _common_words().items()
        if not own & found and any(_one_apart(way, other) for way in own for other in found)
    }


@cache
def _ways() -> dict[str, Ways]:
    """The pronunciations of each word that is recognised."""
    model = load_ngrams()
    ways: dict[str, set[tuple[str, ...]]] = {}
    for number, way in zip(model.pronounced.tolist(), model.pronunciations, strict=True):
        ways.setdefault(model.words[number], set()).add(way)
    return {word: frozenset(found) for word, found in ways.items()}


@cache
def _common_words() -> dict[str, Ways]:
    """The pronunciations of the common words, but for letters and abbreviations."""
    model = load_ngrams()
    ranked = len(SPECIAL) + np.argsort(-model.unigram[len(SPECIAL) :], kind="stable")[:COMMON]
    words = sorted(model.words[number] for number in ranked.tolist())
    ways = _ways()
    return {word: ways[word] for word in words if len(word) > 1 and word.replace("'", "").isalpha()}


def _one_apart(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """True if one phone is replaced, left out or put in."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    place = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), -1)
    if place < 0:  # one goes on where the other ends
        return True
    rest, behind = one[place:], other[place:]
    return rest[1:] == behind[1:] or rest[1:] == behind or rest == behind[1:]
