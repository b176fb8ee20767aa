"""How usual words are in English, one by one and behind each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from alignment.recognition.ngrams import UNKNOWN_TOKEN, load_ngrams

# Log probabilities of words that are rare, that are mostly names, and that no text has.
RARE_NATS, NAME_NATS, RAREST_WORD_NATS = -10.0, -13.0, -16.0


def rare_words(words: Sequence[str]) -> list[str]:
    """Return the words that are rarer than RARE_NATS, once each."""
    return [
        word for word in dict.fromkeys(words) if shares().get(word, RAREST_WORD_NATS) < RARE_NATS
    ]


@cache
def shares() -> dict[str, float]:
    """Return the logarithm of each word's share of English, nats."""
    model = load_ngrams()
    return dict(zip(model.words, model.unigram.tolist(), strict=True))


def made_up(words: Sequence[str]) -> float:
    """Return the nats by which words that no text has are less usual than `language` says."""
    unknown = sum(word not in shares() for word in words)
    return unknown * (shares()[UNKNOWN_TOKEN] - RAREST_WORD_NATS)


@cache
def _numbers() -> Mapping[str, int]:
    return {word: number for number, word in enumerate(load_ngrams().words)}


def language(before: Sequence[str], words: Sequence[str], after: Sequence[str]) -> float:
    """Return log P of the words and those after them behind those before, nats, by trigrams."""
    numbers = _numbers()
    unknown = numbers[UNKNOWN_TOKEN]
    text = [numbers.get(word, unknown) for word in (*before, *words, *after)]
    padded = np.array([-1, 0, *text])
    scores = load_ngrams().scores(padded[:-2], padded[1:-1], padded[2:])
    return float(scores[len(before) :].sum())
