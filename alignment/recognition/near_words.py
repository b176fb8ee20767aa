"""Common words that sound nearly like another one: what it is taken for if a phone is unclear."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from alignment.recognition.ngrams import SPECIAL, load_ngrams

COMMON = 6000  # of the words that are recognised, the most frequent ones

Ways = frozenset[tuple[str, ...]]  # pronunciations, phones without stress


@cache
def known_ways(word: str) -> Ways:
    """The pronunciations of a word that is recognised; none of another one."""
    words = load_ngrams().words
    return _ways([words.index(word)]).get(word, frozenset()) if word in words else frozenset()


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
def _common_words() -> dict[str, Ways]:
    """The pronunciations of the common words, but for letters and abbreviations."""
    model = load_ngrams()
    ranked = len(SPECIAL) + np.argsort(-model.unigram[len(SPECIAL) :], kind="stable")[:COMMON]
    found = _ways(ranked)
    return {
        word: found[word]
        for word in sorted(found)
        if len(word) > 1 and word.replace("'", "").isalpha()
    }


def _ways(numbers: Sequence[int] | np.ndarray) -> dict[str, Ways]:
    """The pronunciations of words, given by their numbers."""
    model = load_ngrams()
    ways: dict[str, set[tuple[str, ...]]] = {}
    for k in np.flatnonzero(np.isin(model.pronounced, numbers)).tolist():
        ways.setdefault(model.words[model.pronounced[k]], set()).add(model.pronunciations[k])
    return {word: frozenset(found) for word, found in ways.items()}


def _one_apart(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """True if one phone is replaced, left out or put in."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    place = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), -1)
    if place < 0:  # one goes on where the other ends
        return True
    rest, behind = one[place:], other[place:]
    return rest[1:] == behind[1:] or rest[1:] == behind or rest == behind[1:]
