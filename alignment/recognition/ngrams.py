"""Trigrams of English, small enough to ship, with their words' phones and near homophones.

Made by training.alignment.train_words.

The new text of an edit and the recording differ in a few words. So `ExpectedText` mixes the n-grams
of that text with the general model: it follows the text, leaves it for any word at any place, and
comes back to it. It follows loosely, so that a word that is said instead stays in the lattice: the
sound decides there (alignment.recognition.network_recogniser).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from alignment.network.phone_network import SYMBOLS

NGRAM_WEIGHTS = Path(__file__).with_name("language_model.safetensors")

START_TOKEN, END_TOKEN, UNKNOWN_TOKEN = "<s>", "</s>", "<unk>"
SPECIAL_TOKENS = (START_TOKEN, END_TOKEN, UNKNOWN_TOKEN)  # the first words of every model

# Log probabilities are kept in a byte each, in steps of so many nats below 0.
STEP_NATS = 1 / 14
SEPARATOR = 255  # behind each pronunciation
# How much of the probability the expected text has: of the next word, the one after that (a word
# of the text was not said), of any of its words where the text was left, and of going on behind a
# word that stands in the place of one of the text (INSTEAD of that) or between two.
FOLLOW, SKIP, RETURN = 0.6, 0.04, 0.3
RESUME, INSTEAD = 0.8, 0.6
MAX_COMMON_WORDS = 6000  # of the words that are recognised, the most frequent ones


@dataclass(frozen=True, slots=True)
class NGrams:
    """Words by numbers; log probabilities, nats, and the weights of backing off.

    `bigrams` and `trigrams` are sorted keys: word before * V + word, and the bigram's place * V +
    word.
    """

    words: tuple[str, ...]
    pronunciations: tuple[tuple[str, ...], ...]
    pronounced: np.ndarray  # the word of each pronunciation
    unigram: np.ndarray
    unigram_backoff: np.ndarray
    bigrams: np.ndarray
    bigram: np.ndarray
    bigram_backoff: np.ndarray
    trigrams: np.ndarray
    trigram: np.ndarray

    @property
    def count(self) -> int:
        """Number of words."""
        return len(self.words)

    @property
    def beginning(self) -> int:
        """The context before the first word."""
        return len(self.bigrams)

    def context(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Return the context after two words, (n,); a ``first`` below 0 is unknown.

        It is the place of their bigram or, behind all of these, the number of the second.
        """
        place, known = found(self.bigrams, self._known(first) * self.count + self._known(second))
        return np.where(known, place, len(self.bigrams) + self._known(second))

    def follow(self, context: np.ndarray, word: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return log P(word | context), nats, and the context after the word, (n,) each.

        Words with numbers from ``count`` on are UNKNOWN_TOKEN.
        """
        word, pairs = self._known(word), len(self.bigrams)
        pair = np.minimum(context, pairs - 1)
        last = np.where(context < pairs, self.bigrams[pair] % self.count, context - pairs)
        place, is_bigram = found(self.bigrams, last * self.count + word)
        backed_off = self.unigram_backoff[last] + self.unigram[word]
        shorter = np.where(is_bigram, self.bigram[place], backed_off)
        shorter = shorter + np.where(context < pairs, self.bigram_backoff[pair], 0.0)
        longer, is_trigram = found(self.trigrams, context * self.count + word)
        scores = np.where(is_trigram, self.trigram[longer], shorter)
        has_followers = is_bigram & (self.bigram_backoff[place] != 0.0)
        return scores, np.where(has_followers, place, pairs + word)

    def scores(self, first: np.ndarray, second: np.ndarray, word: np.ndarray) -> np.ndarray:
        """Return log P(word | first second), nats, (n,); arguments as for `follow`."""
        return self.follow(self.context(first, second), word)[0]

    def _known(self, words: np.ndarray) -> np.ndarray:
        return np.where(words < self.count, words, 2)


def found(keys: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each wanted key's place among sorted ones, (n,), and whether it is there, (n,)."""
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return place, keys[place] == wanted


@cache
def load_ngrams(path: Path = NGRAM_WEIGHTS) -> NGrams:
    """Load the model that ships, or another."""
    from safetensors.numpy import load_file

    held = load_file(path)
    words = tuple(bytes(held["words"]).decode().split("\n"))
    *phones, _ = bytes(held["phones"]).split(bytes([SEPARATOR]))
    pronunciations = tuple(tuple(SYMBOLS[k] for k in part) for part in phones)
    size = np.int64(len(words))
    before = np.repeat(np.arange(size), held["bigram_counts"])
    context = np.repeat(np.arange(len(before)), held["trigram_counts"])
    return NGrams(
        words,
        pronunciations,
        held["pronounced"].astype(np.int64),
        _nats(held["unigram"]),
        _nats(held["unigram_backoff"]),
        before * size + held["bigram_words"],
        _nats(held["bigram"]),
        _nats(held["bigram_backoff"]),
        context * size + held["trigram_words"],
        _nats(held["trigram"]),
    )


def _nats(steps: np.ndarray) -> np.ndarray:
    return -steps.astype(np.float32) * np.float32(STEP_NATS)


Numbers = np.ndarray


class ExpectedText:
    """A text (numbers of words, at least one) mixed into ``general``.

    Words from ``general.count`` on are those that only the text has, so many as make ``count``.
    """

    def __init__(self, general: NGrams, text: Sequence[int], count: int) -> None:
        self.general = general
        self.count = count
        words = [general.words.index(START_TOKEN), *text, general.words.index(END_TOKEN)]
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
        """Return sorted keys of histories and what follows them, and its share of what does."""
        histories, words = np.array([*followed] or [(-1, 0)], dtype=np.int64).T
        keys, counts = np.unique(histories * self._wide + words, return_counts=True)
        before, place = np.unique(keys // self._wide, return_inverse=True)
        return keys, counts / np.bincount(place, weights=counts, minlength=len(before))[place]

    def unigram(self) -> np.ndarray:
        """Return log P(word) of all words, nats, (count,), as far as nothing stands before it."""
        general = np.zeros(self.count)
        general[: self.general.count] = np.exp(self.general.unigram)
        return np.log((1 - RETURN) * general + self._share * self._expected + 1e-12)

    @property
    def beginning(self) -> int:
        """The context before the first word."""
        return self.general.words.index(START_TOKEN)  # nothing before it

    def context(self, first: Numbers, second: Numbers) -> Numbers:
        """Return the context after two words, (n,); a ``first`` below 0 is unknown."""
        return (first + 1) * self._wide + second

    def follow(self, context: Numbers, word: Numbers) -> tuple[np.ndarray, Numbers]:
        """Return log P(word | context), nats, and the context after the word, (n,) each."""
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
        """Flag where the text was left after the word ``first``, (n,)."""
        return found(self._befores, first)[1] & (first >= 0) & ~inside


def _share(shares: tuple[np.ndarray, np.ndarray], keys: np.ndarray) -> np.ndarray:
    place, known = found(shares[0], keys)
    return np.where(known, shares[1][place], 0.0)


Ways = frozenset[tuple[str, ...]]  # pronunciations, phones without stress


@cache
def known_ways(word: str) -> Ways:
    """Return the pronunciations of a word that is recognised; none of another one."""
    words = load_ngrams().words
    return _ways([words.index(word)]).get(word, frozenset()) if word in words else frozenset()


def words_one_phone_apart(ways: Iterable[tuple[str, ...]]) -> dict[str, Ways]:
    """Return common words with a pronunciation that differs by one phone from one of these.

    The phone is replaced, left out or put in; words that are said like them are not among them.

    >>> sorted(words_one_phone_apart([("N", "EH", "V", "ER")]))
    ['ever']
    """
    spoken = frozenset(ways)
    return {
        word: sounds
        for word, sounds in _common_words().items()
        if not spoken & sounds and any(_one_apart(way, other) for way in spoken for other in sounds)
    }


@cache
def _common_words() -> dict[str, Ways]:
    """Return the pronunciations of the common words, but for letters and abbreviations."""
    model = load_ngrams()
    ranked = (
        len(SPECIAL_TOKENS)
        + np.argsort(-model.unigram[len(SPECIAL_TOKENS) :], kind="stable")[:MAX_COMMON_WORDS]
    )
    common = _ways(ranked)
    return {
        word: common[word]
        for word in sorted(common)
        if len(word) > 1 and word.replace("'", "").isalpha()
    }


def _ways(numbers: Sequence[int] | np.ndarray) -> dict[str, Ways]:
    """Return the pronunciations of words, given by their numbers."""
    model = load_ngrams()
    ways: dict[str, set[tuple[str, ...]]] = {}
    for k in np.flatnonzero(np.isin(model.pronounced, numbers)).tolist():
        ways.setdefault(model.words[model.pronounced[k]], set()).add(model.pronunciations[k])
    return {word: frozenset(spoken) for word, spoken in ways.items()}


def _one_apart(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether one phone is replaced, left out or put in."""
    if abs(len(one) - len(other)) > 1 or one == other:
        return False
    place = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), -1)
    if place < 0:  # one goes on where the other ends
        return True
    rest, behind = one[place:], other[place:]
    return rest[1:] == behind[1:] or rest[1:] == behind or rest == behind[1:]
