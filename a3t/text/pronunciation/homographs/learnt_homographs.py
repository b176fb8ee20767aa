"""Learnt choice among a homograph's senses, by weights from marked sentences.

Logistic regression in two steps (after Gorman, Mazovetskiy & Nikolaev, Improving homograph
disambiguation with supervised machine learning, 2018): one model tells verbs from nouns and
adjectives for all words alike; one for each word weighs that, our own rules' choice and the
word's neighbours. A feature is a short text, "R1=music" or "L1 is a modal"; which of them count,
and for what, is learnt: `training.text.train_homographs` makes the weights.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from a3t.text.pronunciation.homographs.homograph_words import (
    ADVERBS,
    AUXILIARIES,
    OBJECT_PRONOUNS,
    ends_sentence,
    word_at,
)
from a3t.user_folders import SHIPPED_MODELS

FOLDER = SHIPPED_MODELS / "homographs"
SHARED = "verb by the shared model"

Weights = Mapping[str, float]

_CLASSES: dict[str, str] = {
    **dict.fromkeys("the a an".split(), "article"),
    **dict.fromkeys("this that these those each every some any no".split(), "determiner"),
    **dict.fromkeys("my your his her its our their whose".split(), "possessive"),
    **dict.fromkeys("i you he she it we they who which".split(), "subject"),
    **dict.fromkeys(OBJECT_PRONOUNS - {"it", "you", "her"}, "object"),
    **dict.fromkeys(AUXILIARIES, "modal"),
    "to": "to",
    **dict.fromkeys("is are was were be been being am isn't aren't wasn't weren't".split(), "be"),
    **dict.fromkeys("have has had having haven't hasn't hadn't".split(), "have"),
    **dict.fromkeys(
        "of in on at for from by with into onto over under about without after before between "
        "against during through like as upon near within across behind per than".split(),
        "preposition",
    ),
    **dict.fromkeys("and or but nor".split(), "conjunction"),
    **dict.fromkeys("if when while because although since until where how what why".split(), "wh"),
    **dict.fromkeys(ADVERBS, "adverb"),
    **dict.fromkeys("one two three four five six seven eight nine ten".split(), "number"),
}
_ENDINGS = (
    ("ly", "adverb"), ("ing", "ing"), ("ed", "ed"), ("tion", "noun"), ("ment", "noun"),
    ("ness", "noun"), ("ity", "noun"), ("'s", "genitive"), ("al", "adjective"),
    ("ous", "adjective"), ("ive", "adjective"), ("ful", "adjective"), ("ic", "adjective"),
    ("able", "adjective"), ("ss", "word"), ("s", "plural"),
)  # fmt: skip
_NEAR = 5  # words to either side that are looked at in any order
_COMMON = frozenset(_CLASSES)


@dataclass(frozen=True)
class LearntHomographs:
    """`shared` tells verbs; `words` has for each word and each of its senses the weights."""

    shared: Weights
    words: Mapping[str, Mapping[str, Weights]]

    def sense(self, word: str, found: Sequence[str]) -> str:
        """The likeliest sense of a word that `words` has, by the features of its place."""
        verb = score(self.shared, found)
        scores = {
            sense: score(weights, found) + weights.get(SHARED, 0.0) * verb
            for sense, weights in self.words[word].items()
        }
        return max(scores, key=lambda sense: scores[sense])

    def is_verb(self, found: Sequence[str], by_rule: bool) -> bool:
        """The same for any noun that is said differently as a verb."""
        return score(self.shared, found) + (1.0 if by_rule else -1.0) > 0


def score(weights: Weights, found: Iterable[str]) -> float:
    """The sum of the weights of the features that were found, and of the constant."""
    return weights.get("", 0.0) + sum(weights.get(feature, 0.0) for feature in found)


@cache
def shipped() -> LearntHomographs:
    """The weights that come with the package."""
    table = json.loads((FOLDER / "weights.json").read_text(encoding="utf-8"))
    return LearntHomographs(table["shared"], table["words"])


def word_class(word: str) -> str:
    """The class that a word seems to be of, by itself: a function word's own, else its ending's."""
    if not word:
        return "end"
    if word in _CLASSES:
        return _CLASSES[word]
    return next((kind for ending, kind in _ENDINGS if word.endswith(ending)), "word")


def features(index: int, words: Sequence[str], written: Sequence[str] | None) -> Iterator[str]:
    """The features of words[index]; `written` are the tokens behind the words, where known."""

    def at(offset: int) -> str:
        return word_at(words, index + offset)

    names = {-3: "L3", -2: "L2", -1: "L1", 1: "R1", 2: "R2", 3: "R3"}
    classes = {offset: word_class(at(offset)) for offset in names}
    for offset, name in names.items():
        yield f"{name} is {classes[offset]}"
        if abs(offset) < 3:
            yield f"{name}={at(offset)}"
    yield f"L1 is {classes[-1]}, R1 is {classes[1]}"
    yield f"L2 is {classes[-2]}, L1 is {classes[-1]}"
    yield f"R1 is {classes[1]}, R2 is {classes[2]}"
    yield f"L1={at(-1)}, R1 is {classes[1]}"
    yield f"L1 is {classes[-1]}, R1={at(1)}"
    nearby = {*words[max(0, index - _NEAR) : index], *words[index + 1 : index + 1 + _NEAR]}
    for word in sorted(nearby - _COMMON):
        yield f"near {word}"
    if written is not None:
        yield from _as_written(index, words, written)


def _as_written(index: int, words: Sequence[str], written: Sequence[str]) -> Iterator[str]:
    """Capitals, and punctuation beside the word."""
    token = written[index].strip("\"'“”‘’([{*_")
    before = written[index - 1] if index else ""
    starts = not before or ends_sentence(before)
    in_capitals = not any(any(map(str.islower, near)) for near in written[max(0, index - 3) :][:7])
    if token[:1].isupper() and not in_capitals:
        yield "capital, first" if starts else "capital"
    elif starts:
        yield "small, first"
    if index and written[index - 1][:1].isupper() and not in_capitals:
        yield "L1 has a capital"
    after = written[index + 1] if index + 1 < len(words) else ""
    if after[:1].isupper() and not in_capitals:
        yield "R1 has a capital"
    if token.endswith((",", ".", ";", ":", "?", "!")):
        yield f"before {token[-1]}"
    if before.endswith((",", ";", ":")):
        yield f"after {before[-1]}"
