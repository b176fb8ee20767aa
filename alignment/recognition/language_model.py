"""A language model of what a recording probably says, given the text that it should say.

The new text of an edit and the recording differ in a few words. So the model mixes the n-grams
of the expected text with PocketSphinx's packaged general model: it follows the text, leaves it for
any common word at any place, and comes back to it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from alignment.sphinx_package import require_pocketsphinx

START, END = "<s>", "</s>"

# The general model's likeliest words; more cost time and are hardly ever said.
VOCABULARY = 20_000

# How much of the probability the expected text has: of the next word, the one after that (a word
# of the text was not said), and of any of its words where the text was left.
FOLLOW, SKIP, RETURN = 0.8, 0.04, 0.3

# General bigrams that raise the unigram by less than this factor are left to backing off, and so
# are those of rarer words: each costs a query of the packaged model.
INFORMATIVE = 3.0
COMMON = 5_000


class GeneralModel:
    """The packaged trigram model of US English, as natural probabilities."""

    def __init__(self) -> None:
        pocketsphinx = require_pocketsphinx()
        self._logarithm = pocketsphinx.LogMath()
        path = pocketsphinx.get_model_path("en-us/en-us.lm.bin")
        self._model = pocketsphinx.NGramModel(pocketsphinx.Config(lm=None), self._logarithm, path)
        self._zero = self._model.prob(["not-a-word-of-any-language"])
        unigrams = {word: self.probability(word) for word in dictionary_words()}
        ranked = sorted(unigrams, key=lambda word: (-unigrams[word], word))
        self.unigrams = {word: unigrams[word] for word in ranked[:VOCABULARY]}
        self.unigrams[END] = self.probability(END)
        self._common = ranked[:COMMON]

    def probability(self, word: str, *before: str) -> float:
        """P(word | the words before it, nearest first); 0 for a word that it doesn't know."""
        score = self._model.prob([word, *before])
        return 0.0 if score <= self._zero else math.exp(self._logarithm.log_to_ln(score))

    @lru_cache(maxsize=256)  # noqa: B019 - there is one model, for good
    def followers(self, before: str) -> Mapping[str, float]:
        """P(word | before) of the common words that are far likelier after it than elsewhere."""
        pairs = ((word, self.probability(word, before)) for word in self._common)
        return {word: p for word, p in pairs if p > INFORMATIVE * self.unigrams[word]}

    @lru_cache(maxsize=256)  # noqa: B019
    def leaders(self, word: str) -> Mapping[str, float]:
        """P(word | before) by the common words before it after which it is far likelier."""
        least = INFORMATIVE * self.unigrams[word]
        pairs = ((before, self.probability(word, before)) for before in self._common)
        return {before: p for before, p in pairs if p > least}


@cache
def general_model() -> GeneralModel:
    """Loaded once (0.4 s)."""
    return GeneralModel()


@cache
def dictionary_words() -> frozenset[str]:
    """The words of the packaged dictionary, lower case."""
    path = require_pocketsphinx().get_model_path("en-us/cmudict-en-us.dict")
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    words = (line.split(" ", 1)[0] for line in lines)
    return frozenset(word for word in words if word and "(" not in word)


def write_model(text: Sequence[str], path: Path) -> None:
    """Writes the mixed trigram model for the expected `text` to `path` in ARPA format."""
    general = general_model()
    words = [START, *text, END]
    vocabulary = _unigrams(general, text)
    bigrams = _bigrams(general, words, vocabulary)
    trigrams: dict[tuple[str, str], dict[str, float]] = {}
    for first, second, third in zip(words, words[1:], words[2:], strict=False):
        # Where the same pair stands twice, its followers share.
        trigrams.setdefault((first, second), {})[third] = 0.0
    for pair, followers in trigrams.items():
        for word in followers:
            trigrams[pair][word] = FOLLOW / len(followers) + (1 - FOLLOW) * _backed_off(
                word, pair[1], bigrams, vocabulary
            )
    _write_arpa(path, vocabulary, bigrams, trigrams)


def _unigrams(general: GeneralModel, text: Sequence[str]) -> dict[str, float]:
    expected = set(text)
    mixed = {word: (1 - RETURN) * p for word, p in general.unigrams.items()}
    for word in expected:
        mixed[word] = mixed.get(word, 0.0) + RETURN / len(expected)
    total = sum(mixed.values())
    return {word: p / total for word, p in mixed.items()}


def _bigrams(
    general: GeneralModel, words: Sequence[str], vocabulary: Mapping[str, float]
) -> dict[str, dict[str, float]]:
    """P(word | word before), for the words of the text before, and for its words after others."""
    follow: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for k, word in enumerate(words[:-1]):
        follow[word][words[k + 1]] += FOLLOW
        if k + 2 < len(words):
            follow[word][words[k + 2]] += SKIP
    result: dict[str, dict[str, float]] = {}
    for before, followers in follow.items():
        times = words.count(before)
        entries = {
            word: (1 - FOLLOW - SKIP) * p
            for word, p in general.followers(before).items()
            if p > INFORMATIVE * vocabulary[word]
        }
        for word, p in followers.items():
            entries[word] = p / times + (1 - FOLLOW - SKIP) * general.probability(word, before)
        result[before] = _at_most(entries, 0.98)
    for word in set(words[1:-1]) & set(general.unigrams):
        for before, p in general.leaders(word).items():
            if before not in follow and p > INFORMATIVE * vocabulary[word]:
                result.setdefault(before, {})[word] = p
    return {
        before: _at_most(entries, 0.9) if before not in follow else entries
        for before, entries in result.items()
    }


def _at_most(entries: Mapping[str, float], limit: float) -> dict[str, float]:
    scale = min(1.0, limit / max(sum(entries.values()), 1e-12))
    return {word: p * scale for word, p in entries.items()}


def _backoff(entries: Mapping[str, float] | None, lower: Iterable[float]) -> float:
    """The weight that makes what is left over sum to one."""
    if not entries:
        return 1.0
    return max(1.0 - sum(entries.values()), 1e-6) / max(1.0 - sum(lower), 1e-6)


def _backed_off(
    word: str,
    before: str,
    bigrams: Mapping[str, Mapping[str, float]],
    vocabulary: Mapping[str, float],
) -> float:
    entries = bigrams.get(before, {})
    if word in entries:
        return entries[word]
    return _backoff(entries, (vocabulary.get(w, 0.0) for w in entries)) * vocabulary.get(word, 0.0)


def _write_arpa(
    path: Path,
    vocabulary: Mapping[str, float],
    bigrams: Mapping[str, Mapping[str, float]],
    trigrams: Mapping[tuple[str, str], Mapping[str, float]],
) -> None:
    def log(p: float) -> str:
        return f"{math.log10(max(p, 1e-9)):.4f}"

    lines = [
        "\\data\\",
        f"ngram 1={len(vocabulary) + 1}",
        f"ngram 2={sum(len(entries) for entries in bigrams.values())}",
        f"ngram 3={sum(len(entries) for entries in trigrams.values())}",
        "",
        "\\1-grams:",
    ]
    for word in sorted([START, *vocabulary]):
        entries = bigrams.get(word)
        weight = _backoff(entries, (vocabulary.get(w, 0.0) for w in entries or ()))
        p = "-99" if word == START else log(vocabulary[word])
        lines.append(f"{p} {word} {log(weight)}")
    lines += ["", "\\2-grams:"]
    for before in sorted(bigrams):
        for word in sorted(bigrams[before]):
            pair = trigrams.get((before, word))
            weight = _backoff(pair, (_backed_off(w, word, bigrams, vocabulary) for w in pair or ()))
            lines.append(f"{log(bigrams[before][word])} {before} {word} {log(weight)}")
    lines += ["", "\\3-grams:"]
    for first, second in sorted(trigrams):
        for word in sorted(trigrams[first, second]):
            lines.append(f"{log(trigrams[first, second][word])} {first} {second} {word}")
    lines += ["", "\\end\\", ""]
    path.write_text("\n".join(lines), encoding="utf-8")
