"""A language model of what a recording probably says, given the text that it should say.

The new text of an edit and the recording differ in a few words. So the model mixes the n-grams of
the expected text with a general model: it follows the text, leaves it for any word at any place,
and comes back to it. It follows loosely, so that a word that is said instead stays in the lattice:
the sound decides there (alignment.recognition.settling).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from alignment.recognition.ngrams import END, START, NGrams, found

# How much of the probability the expected text has: of the next word, the one after that (a word
# of the text was not said), of any of its words where the text was left, and of going on behind a
# word that stands in the place of one of the text (INSTEAD of that) or between two.
FOLLOW, SKIP, RETURN = 0.6, 0.04, 0.3
RESUME, INSTEAD = 0.8, 0.6

Numbers = np.ndarray


class ExpectedText:
    """`text` (numbers of words, at least one) mixed into `general`; words from `general.count` on
    are those that only the text has, so many as make `count`."""

    def __init__(self, general: NGrams, text: Sequence[int], count: int) -> None:
        self.general = general
        self.count = count
        words = [general.words.index(START), *text, general.words.index(END)]
        self._wide = np.int64(count)
        self._share = RETURN / len(set(text))
        self._expected = np.zeros(count, bool)
        self._expected[list(text)] = True
        self._befores = np.unique(words[:-1])
        self._pairs = np.unique([a * self._wide + b for a, b in pairwise(words)])
        self._next = self._shares((a, b) for a, b in pairwise(words))
        self._skips = self._shares(zip(words, words[2:], strict=False))
        triples = zip(words, words[1:], words[2:], strict=False)
        self._third = self._shares((a * count + b, c) for a, b, c in triples)

    def _shares(self, followed: Iterable[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
        """Sorted keys of histories and what follows them, and its share of what does."""
        histories, words = np.array([*followed] or [(-1, 0)], dtype=np.int64).T
        keys, counts = np.unique(histories * self._wide + words, return_counts=True)
        before, place = np.unique(keys // self._wide, return_inverse=True)
        return keys, counts / np.bincount(place, weights=counts, minlength=len(before))[place]

    def unigram(self) -> np.ndarray:
        """log P(word) of all words, nats, (count,), as far as nothing stands before it."""
        general = np.zeros(self.count)
        general[: self.general.count] = np.exp(self.general.unigram)
        return np.log((1 - RETURN) * general + self._share * self._expected + 1e-12)

    @property
    def beginning(self) -> int:
        """The context before the first word."""
        return self.general.words.index(START)  # nothing before it

    def context(self, first: Numbers, second: Numbers) -> Numbers:
        """The context after two words, (n,); a `first` below 0 is unknown."""
        return (first + 1) * self._wide + second

    def follow(self, context: Numbers, word: Numbers) -> tuple[np.ndarray, Numbers]:
        """log P(word | context), nats, and the context after the word, (n,) each."""
        first, second = context // self._wide - 1, context % self._wide
        scores, then = self.general.follow(self.general.context(first, second), word)
        p = (1 - RETURN) * np.where(word < self.general.count, np.exp(scores), 0.0)
        p += self._share * self._expected[word]
        near = FOLLOW * _share(self._next, second * self._wide + word)
        near += SKIP * _share(self._skips, second * self._wide + word)
        follows = found(self._befores, second)[1]
        p = np.where(follows, near + (1 - FOLLOW - SKIP) * p, p)
        pair = first * self._wide + second
        inside = found(self._pairs, pair)[1] & (first >= 0)
        third = _share(self._third, pair * self._wide + word)
        p = np.where(inside, FOLLOW * third + (1 - FOLLOW) * p, p)
        again = INSTEAD * _share(self._skips, first * self._wide + word)
        again += (1 - INSTEAD) * _share(self._next, first * self._wide + word)
        resumed = np.where(follows, RESUME / 2, RESUME)
        p = np.where(self._left(first, inside), resumed * again + (1 - resumed) * p, p)
        counts = follows | (then < self.general.beginning)
        return np.log(p + 1e-12), self.context(np.where(counts, second, -1), word)

    def _left(self, first: Numbers, inside: np.ndarray) -> np.ndarray:
        """Flags (n,): the text was left after the word `first`."""
        return found(self._befores, first)[1] & (first >= 0) & ~inside


def _share(shares: tuple[np.ndarray, np.ndarray], keys: np.ndarray) -> np.ndarray:
    place, known = found(shares[0], keys)
    return np.where(known, shares[1][place], 0.0)
