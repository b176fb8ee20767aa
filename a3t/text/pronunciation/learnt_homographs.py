"""Learnt choice among a homograph's senses, by weights from marked sentences.

Logistic regression in two steps (after Gorman, Mazovetskiy & Nikolaev, Improving homograph
disambiguation with supervised machine learning, 2018): one model tells verbs from nouns and
adjectives for all words alike; one for each word weighs that, our own rules' choice and the
word's neighbours. `training.text.train_homographs` makes the weights.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "pretrained" / "homographs"
SHARED = "verb by the shared model"

Weights = Mapping[str, float]


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
