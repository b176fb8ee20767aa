"""PocketSphinx's language models as arrays: the binary trie format of its ngram_model_trie.c.

Little-endian: "Trie Language Model", the order, how many n-grams there are of each; tables of
16-bit quantised log probabilities and backing-off weights; the unigrams; then bigrams and trigrams
in packed bits, each below its last word; then the words. Logarithms are to the base of 1.0001.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from alignment.errors import AlignmentError
from training.alignment.sphinx_package import require_pocketsphinx

MAGIC = b"Trie Language Model"
BASE = math.log(1.0001)
QUANTISED = 16  # bits
NEVER = -20.0  # nats, of a word that the model lacks

UNIGRAM = np.dtype([("score", "<f4"), ("backoff", "<f4"), ("children", "<u4")])


@dataclass(frozen=True, slots=True)
class SphinxModel:
    """Nats; `first`, `second` the words of each bigram in order; `pair` the trigrams' place among
    bigrams of their last two words, `before` their first word."""

    words: tuple[str, ...]
    unigram: np.ndarray
    unigram_backoff: np.ndarray
    first: np.ndarray
    second: np.ndarray
    bigram: np.ndarray
    bigram_backoff: np.ndarray
    before: np.ndarray
    pair: np.ndarray
    trigram: np.ndarray

    @classmethod
    def packaged(cls) -> SphinxModel:
        """The trigram model of US English that comes with PocketSphinx."""
        return cls.read(Path(require_pocketsphinx().get_model_path("en-us/en-us.lm.bin")))

    @classmethod
    def read(cls, path: Path) -> SphinxModel:
        """A trigram model; AlignmentError if it is none."""
        data = path.read_bytes()
        if data[: len(MAGIC)] != MAGIC or data[len(MAGIC)] != 3:
            raise AlignmentError(f"{path} is no trigram model of PocketSphinx: give another.")
        at = len(MAGIC) + 1
        counts = np.frombuffer(data, "<u4", 3, at).tolist()
        at += 12 + 4
        tables = np.frombuffer(data, "<f4", 3 << QUANTISED, at).reshape(3, -1) * BASE
        at += tables.size * 4
        unigrams = np.frombuffer(data, UNIGRAM, counts[0] + 1, at)
        at += unigrams.nbytes
        word, link = (int(count).bit_length() for count in (counts[0], counts[2]))
        pairs = _Packed(data, at, counts[1], word + 2 * QUANTISED + link)
        triples = _Packed(data, at + pairs.size, counts[2], word + QUANTISED)
        at += pairs.size + triples.size
        text = data[at + 4 :].decode("latin-1").split("\0")
        rows = np.arange(int(unigrams["children"][-1]) + 1)
        children = pairs.read(rows, word + 2 * QUANTISED, link)
        rows = rows[:-1]
        rows3 = np.arange(int(children[-1]))
        return cls(
            tuple(text[: counts[0]]),
            unigrams["score"][:-1] * BASE,
            unigrams["backoff"][:-1] * BASE,
            pairs.read(rows, 0, word),
            np.repeat(np.arange(counts[0]), np.diff(unigrams["children"]).astype(np.int64)),
            tables[0][pairs.read(rows, word + QUANTISED, QUANTISED)],
            tables[1][pairs.read(rows, word, QUANTISED)],
            triples.read(rows3, 0, word),
            np.repeat(rows, np.diff(children)),
            tables[2][triples.read(rows3, word, QUANTISED)],
        )

    def likeliest(self, count: int) -> list[str]:
        """A number of its words, likeliest first."""
        order = np.argsort(-self.unigram, kind="stable")
        return [self.words[k] for k in order[:count]]

    def arrays(self, words: Sequence[str]) -> tuple[np.ndarray, ...]:
        """The model of these words alone, as `alignment.recognition.ngrams.NGrams` has it."""
        wide = np.int64(len(words))
        places = {word: place for place, word in enumerate(self.words)}
        mine = np.array([places.get(word, -1) for word in words])
        theirs = np.full(len(self.words) + 1, -1, dtype=np.int64)  # the last for those it lacks
        theirs[mine] = np.arange(len(words))
        theirs[-1] = -1
        unigram = np.where(mine >= 0, self.unigram[mine], NEVER)
        unigram_backoff = np.where(mine >= 0, self.unigram_backoff[mine], 0.0)
        first, second = theirs[self.first], theirs[self.second]
        known = (first >= 0) & (second >= 0)
        order = np.flatnonzero(known)[np.argsort((first * wide + second)[known], kind="stable")]
        bigrams = (first * wide + second)[order]
        # A trigram's first two words, and its last.
        before, last = theirs[self.before], second[self.pair]
        context = before * wide + first[self.pair]
        place = np.minimum(np.searchsorted(bigrams, context), len(bigrams) - 1)
        known = (before >= 0) & known[self.pair] & (bigrams[place] == context)
        keys = (place * wide + last)[known]
        by_key = np.argsort(keys, kind="stable")
        return (
            unigram,
            unigram_backoff,
            bigrams,
            self.bigram[order],
            self.bigram_backoff[order],
            keys[by_key],
            self.trigram[known][by_key],
        )


class _Packed:
    """Rows of `width` bits each, one after the other."""

    def __init__(self, data: bytes, start: int, rows: int, width: int) -> None:
        self.width = width
        self.size = ((1 + rows) * width + 7) // 8 + 8
        self._bytes = np.frombuffer(data[start : start + self.size] + bytes(8), np.uint8)

    def read(self, rows: np.ndarray, offset: int, bits: int) -> np.ndarray:
        """A field of each row; at most 57 bits."""
        position = rows * self.width + offset
        value = np.zeros(len(rows), np.uint64)
        for k in range(8):
            value |= self._bytes[(position >> 3) + k].astype(np.uint64) << np.uint64(8 * k)
        shifted = value >> (position & 7).astype(np.uint64)
        return (shifted & np.uint64((1 << bits) - 1)).astype(np.int64)
