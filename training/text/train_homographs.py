"""Learn to tell homographs apart.

python -m training.text.train_homographs SENTENCES.tsv.xz

The sentences are the training part of the Wikipedia Homograph Data (Gorman, Mazovetskiy & Nikolaev
2018; https://github.com/google-research-datasets/WikipediaHomographData, Apache-2.0): a word, its
sense, a sentence, and where in its bytes the word stands. Every fifth sentence of a word is held
out; what is reported was measured on those, and the weights that are written come from all.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack

from a3t.errors import InputError
from a3t.text.pronunciation.homographs import (
    FOLDER,
    SHARED,
    LearntHomographs,
    choose_by_rule,
    features,
    senses,
    settled,
    shipped,
)
from a3t.text.pronunciation.lexicon import lookup
from a3t.text.transcript import Transcript
from training.programs import Program, option
from training.text_lines import text_lines

HELD_OUT = 5  # one sentence in so many
_MOST = 60  # weights for a sense
_SHARED_MOST = 1500
_RARE = 6  # sentences of a sense; fewer teach nothing about the word
_USUAL = 1.0  # how much a usual sense counts beside what the shared model says
_MOST_SHIFTED = 6.0  # log odds by which the usual sense is favoured, at most
_LEAST = 3  # sentences that a shared feature must occur in
_CARD = """# homographs

Chooses a word's pronunciation by its sentence: "a record", "to record".

- **Model**: logistic regression on the neighbouring words, the spelling and the choice of the
  hand-written rules; one model for verbs and nouns, and for each of {words} words at most
  {most} weights a sense. {weights:,} weights in all.
- **Data**: training part of the Wikipedia Homograph Data (Gorman, Mazovetskiy & Nikolaev,
  Improving homograph disambiguation with supervised machine learning, LREC 2018; Google,
  Apache-2.0): {sentences:,} sentences of English Wikipedia. Only weights are here, no sentence.
- **Measured** by training on four fifths and testing on one fifth ({held:,} sentences):
  {learnt:.1f} % right, mean over words {balanced:.1f} %; the hand-written rules alone
  {rules:.1f} %, always the usual sense {usual:.1f} %. The shipped weights learnt from all.
- **Made by** `python -m training.text.train_homographs homographs-train.tsv.xz`.
- **Licence of the weights**: Apache-2.0.
"""


@dataclass(frozen=True)
class MarkedHomograph:
    """A homograph in its sentence."""

    word: str
    sense: str
    features: tuple[str, ...]
    rule: str  # the sense that the hand-written rules choose
    settled: str = ""  # the sense that nothing is weighed for


def read(path: Path) -> list[MarkedHomograph]:
    """Read the sentences as examples; leave out those whose word the transcript lacks."""
    rows = csv.DictReader(text_lines(path), delimiter="\t")
    return [example for row in rows if (example := example_of(row)) is not None]


def example_of(row: Mapping[str, str]) -> MarkedHomograph | None:
    """Read a row of the data; None where the word isn't spoken as itself or has no known sense."""
    word, sentence = row["homograph"].lower(), row["sentence"]
    said = senses(word)
    if row["wordid"] not in said:
        return None
    before = sentence.encode()[: int(row["start"])].decode(errors="ignore")
    earlier = len(re.findall(rf"(?<![\w']){word}(?![\w'])", before, re.IGNORECASE))
    try:
        transcript = Transcript.from_text(sentence)
    except InputError:
        return None
    places = [k for k, spoken in enumerate(transcript.spoken) if spoken == word]
    if earlier >= len(places):
        return None
    index, spoken = places[earlier], transcript.spoken
    written = [spoken_word.written for spoken_word in transcript.words]
    rule = _by_rule(index, spoken)
    found = (*features(index, spoken, written), f"rule={rule}")
    return MarkedHomograph(word, row["wordid"], found, rule, settled(index, spoken, written))


def _by_rule(index: int, words: Sequence[str]) -> str:
    phones = choose_by_rule(index, words, lookup(words[index]))
    return next((sense for sense, said in senses(words[index]).items() if said == phones), "")


def learn(examples: Sequence[MarkedHomograph]) -> LearntHomographs:
    """Take the two steps; the second learns from what the first says of sentences it never saw."""
    verbs = [e for e in examples if verb_sense(e.word)]
    shared, opinion = _learn_verbs(verbs) if verbs else ({}, {})
    grouped: dict[str, list[MarkedHomograph]] = defaultdict(list)
    for example in examples:
        grouped[example.word].append(example)
    words = {word: _word_weights(group, opinion) for word, group in sorted(grouped.items())}
    return LearntHomographs(shared, words)


def _learn_verbs(verbs: Sequence[MarkedHomograph]) -> tuple[dict[str, float], dict[int, float]]:
    """Learn the shared weights, and what they would say of each example that they hadn't seen.

    The latter are by the example's id.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict

    counts = Counter(name for e in verbs for name in set(e.features) if _is_shared(name))
    names = [name for name, count in counts.items() if count >= _LEAST]
    x, y = (
        feature_matrix([e.features for e in verbs], names),
        np.array([e.sense == verb_sense(e.word) for e in verbs]),
    )
    model = LogisticRegression(C=0.3, max_iter=400)
    scores = cross_val_predict(model, x, y, method="decision_function")
    opinion = dict(zip(map(id, verbs), scores, strict=True))
    model.fit(x, y)
    shared = _largest(names, model.coef_[0], _SHARED_MOST) | {"": float(model.intercept_[0])}
    return shared, opinion


def verb_sense(word: str) -> str:
    """Return the verb's sense, if a word has one pronunciation as a verb and one other; else ""."""
    said = [*senses(word)]
    verbs = [sense for sense in said if sense.endswith("_vrb")]
    return verbs[0] if len(said) == 2 and len(verbs) == 1 else ""


def _is_shared(name: str) -> bool:
    """Return whether a feature means the same for all words."""
    return not name.startswith(("near ", "rule="))


def _word_weights(
    group: Sequence[MarkedHomograph], opinion: Mapping[int, float]
) -> dict[str, dict[str, float]]:
    """Learn weights of each sense of one word; of two senses the second's are all nothing.

    Where a verb or its noun is too rare, nothing is learnt about the word itself: the shared model
    and the rules decide.
    """
    word = group[0].word
    labels = sorted({example.sense for example in group})
    verb = verb_sense(word)
    rarest = min(sum(example.sense == sense for example in group) for sense in senses(word))
    if verb and rarest < _RARE:
        noun = next(sense for sense in senses(word) if sense != verb)
        is_verb = np.array([example.sense == verb for example in group])
        usual = _USUAL if is_verb.mean() > 0.5 else -_USUAL
        by_rule = {f"rule={verb}": 1.0, f"rule={noun}": -1.0}
        scores = [
            usual + opinion.get(id(e), 0.0) + by_rule.get(f"rule={e.rule}", 0.0) for e in group
        ]
        usual += _towards_usual(np.array(scores), is_verb)
        return {verb: {"": usual, SHARED: 1.0, **by_rule}, noun: {}}
    if len(labels) == 1:
        return {labels[0]: {"": 1.0}}
    counts = Counter(name for example in group for name in set(example.features))
    names = [name for name, count in counts.items() if count >= 2]
    column = csr_matrix([[0.5 * opinion.get(id(example), 0.0)] for example in group])
    x = hstack([feature_matrix([example.features for example in group], names), column]).tocsr()
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    result = {}
    for label in labels if len(labels) > 2 else labels[:1]:
        y = np.array([example.sense == label for example in group])
        model = LogisticRegression(C=0.7, max_iter=400, class_weight=None)
        model.fit(x, y)
        weights = _largest(names, model.coef_[0][:-1], _MOST)
        constant = float(model.intercept_[0])
        if len(labels) == 2 and (folds := min(5, int(y.sum()), int((~y).sum()))) > 1:
            parts = StratifiedKFold(folds, shuffle=True, random_state=0)
            unseen = cross_val_predict(model, x, y, method="decision_function", cv=parts)
            constant += _towards_usual(unseen, y)
        weights |= {"": constant, SHARED: 0.5 * float(model.coef_[0][-1])}
        result[label] = weights
    if len(labels) == 2:
        result[labels[1]] = {}
    return result


def _towards_usual(scores: np.ndarray, first: np.ndarray) -> float:
    """Return the bias for `scores` (n,) with which most of them are right.

    They are log odds of a sense in sentences that nothing was learnt from; `first` (n,) says where
    that sense is the right one. It favours the usual sense, and only where that makes more of them
    right: rare senses are too few to be trusted at once. Where several values are as good, their
    median.
    """
    sign = 1.0 if first.mean() >= 0.5 else -1.0
    usual, scores = (first if sign > 0 else ~first), sign * scores
    shifts = np.unique([0.0, 0.5, 1.0, 1.5, 2.0, *(1e-3 - scores[scores < 0])])
    shifts = shifts[shifts <= _MOST_SHIFTED]
    right = ((scores + shifts[:, None] > 0) == usual).sum(axis=1)
    return sign * float(np.median(shifts[right == right.max()])) if right.max() > right[0] else 0.0


def feature_matrix(examples: Sequence[Sequence[str]], names: Sequence[str]) -> Any:
    """Make a sparse matrix of 0 and 1 with a row of the named features for each example."""
    index = {name: column for column, name in enumerate(names)}
    rows, columns = [], []
    for row, features_of_it in enumerate(examples):
        for name in set(features_of_it) & index.keys():
            rows.append(row)
            columns.append(index[name])
    return csr_matrix((np.ones(len(rows)), (rows, columns)), (len(examples), len(names)))


def _largest(names: Sequence[str], weights: Iterable[float], most: int) -> dict[str, float]:
    ordered = sorted(zip(names, weights, strict=True), key=lambda pair: -abs(pair[1]))
    return {name: round(float(weight), 3) for name, weight in ordered[:most] if abs(weight) > 0.01}


def measure(model: LearntHomographs, examples: Sequence[MarkedHomograph]) -> dict[str, float]:
    """Return per cent right: of all sentences, and the mean of the words."""
    right: dict[str, list[bool]] = defaultdict(list)
    for example in examples:
        chosen = example.settled or model.sense(example.word, example.features)
        right[example.word].append(chosen == example.sense)
    every = [hit for hits in right.values() for hit in hits]
    means = [np.mean(hits) for hits in right.values()]
    return {"all": 100 * float(np.mean(every)), "words": 100 * float(np.mean(means))}


def divided(
    examples: Sequence[MarkedHomograph],
) -> tuple[list[MarkedHomograph], list[MarkedHomograph]]:
    """Return the sentences to learn from, and every fifth of a sense, held out."""
    train: list[MarkedHomograph] = []
    held: list[MarkedHomograph] = []
    seen = Counter[tuple[str, str]]()
    for example in examples:
        key = (example.word, example.sense)
        seen[key] += 1
        (held if seen[key] % HELD_OUT == 0 else train).append(example)
    return train, held


def work(args: argparse.Namespace) -> None:
    """Learn from the sentences that the options name."""
    examples = read(args.sentences)
    train, held = divided(examples)
    model = learn(train)
    usual = {
        word: Counter(e.sense for e in train if e.word == word).most_common(1)[0][0]
        for word in {e.word for e in train}
    }
    found = measure(model, held)
    figures = {
        "learnt": found["all"],
        "balanced": found["words"],
        "rules": 100 * float(np.mean([(e.rule or usual[e.word]) == e.sense for e in held])),
        "usual": 100 * float(np.mean([usual[e.word] == e.sense for e in held])),
    }
    print(f"{len(train)} to learn from, {len(held)} held out: {figures}")
    model = learn(examples)
    count = len(model.shared) + sum(len(w) for s in model.words.values() for w in s.values())
    table = {"shared": model.shared, "words": model.words}
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "weights.json").write_text(text + "\n", encoding="utf-8")
    card = _CARD.format(
        words=len(model.words),
        most=_MOST,
        weights=count,
        sentences=len(examples),
        held=len(held),
        **figures,
    )
    (args.out / "README.md").write_text(card, encoding="utf-8")
    shipped.cache_clear()


main = Program(
    work,
    option("sentences", type=Path),
    option("--out", type=Path, default=FOLDER),
)


if __name__ == "__main__":
    raise SystemExit(main())
