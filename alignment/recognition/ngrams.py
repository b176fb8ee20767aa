"""A trigram model of English small enough to ship, and the words that it knows with their phones.

Made by training.alignment.train_words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from alignment.network.phone_network import SYMBOLS

WEIGHTS = Path(__file__).with_name("language_model.safetensors")

START, END, UNKNOWN = "<s>", "</s>", "<unk>"
SPECIAL = (START, END, UNKNOWN)  # the first words of every model

# Log probabilities are kept in a byte each, in steps of so many nats below 0.
STEP = 1 / 14
SEPARATOR = 255  # behind each pronunciation


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
        return len(self.words)

    @property
    def beginning(self) -> int:
        """The context before the first word."""
        return len(self.bigrams)

    def context(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """The context after two words, (n,): the place of their bigram or, behind all of these, the
        number of the second. A `first` below 0 is unknown."""
        place, known = found(self.bigrams, self._known(first) * self.count + self._known(second))
        return np.where(known, place, len(self.bigrams) + self._known(second))

    def follow(self, context: np.ndarray, word: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """log P(word | context), nats, and the context after the word, (n,) each. Words with
        numbers from `count` on are UNKNOWN."""
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
        """log P(word | first second), nats, (n,); arguments as for `context` and `follow`."""
        return self.follow(self.context(first, second), word)[0]

    def _known(self, words: np.ndarray) -> np.ndarray:
        return np.where(words < self.count, words, 2)


def found(keys: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of each wanted key among sorted ones, (n,), and whether it is there, (n,)."""
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return place, keys[place] == wanted


@cache
def load_ngrams(path: Path = WEIGHTS) -> NGrams:
    """The model that ships, or another."""
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
    return -steps.astype(np.float32) * np.float32(STEP)
