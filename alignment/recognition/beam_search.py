"""Beam search for the likeliest words, by the phone network's scores and a language model.

A search through the tree of all words at once (Ney and Ortmanns, "Dynamic programming search for
continuous speech recognition", 1999): what has been said counts by its last two words, and only
what is nearly as likely as the best is followed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from alignment.network.phone_network import FRAME_SECONDS, TOGETHER, in_steps
from alignment.recognition.lattice import NEAR, Arc, Arcs, LatticeBuilder
from alignment.recognition.lexicon_tree import ROOT, SILENCE, LexiconTree, spread
from alignment.recognition.word_confidence import Endings, Rivals, confidences

NOTHING = -1  # no word, no record
WATCHED, RIVALS = 5, 500  # steps from one look at what is followed to the next, and how many count


class LanguageModel(Protocol):
    """Words by numbers below `count`; START and END are 0 and 1."""

    @property
    def count(self) -> int: ...

    def scores(self, first: np.ndarray, second: np.ndarray, word: np.ndarray) -> np.ndarray: ...

    def has_followers(self, first: np.ndarray, second: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True, slots=True)
class Search:
    """The search's weights and beam; chosen on clips that nothing is reported of.

    `together` frames of 10 ms are one step, so that a phone lasts at least as long. `acoustic`
    weighs their scores against the language model; `word` is what each word costs, nats.
    What is `beam` nats below the best, or not among the best `most` (`exits` of ends of words), is
    not followed.
    """

    together: int = TOGETHER
    acoustic: float = 0.9
    word: float = 1.5
    beam: float = 20.0
    most: int = 8000
    exits: int = 300


class Found(NamedTuple):
    """A word (by number) of the likeliest text, from `start` to `end`, seconds; how probable."""

    word: int
    start: float
    end: float
    confidence: float


def search(
    posteriors: np.ndarray,
    tree: LexiconTree,
    ahead: np.ndarray,
    model: LanguageModel,
    options: Search | None = None,
    choose: Callable[[list[Arc]], list[int]] | None = None,
    near: float = NEAR,
) -> list[Found]:
    """The likeliest words in `posteriors` or scores (T, 40); none when no way leads to an end.

    `ahead` (nodes,): of the tree's nodes the best log probability of their words (`best_below`).
    `choose`: takes the records of one of the ways at most `near` nats below the likeliest, in
    order; the likeliest if it isn't given.
    """
    options = options or Search()
    k = options.together
    sound = options.acoustic * in_steps(posteriors, k)
    wide = np.int64(model.count + 1)
    count = np.int64(len(tree.phone))
    nodes, told = np.array([ROOT]), np.array([model.count * wide])  # nothing, then START
    scores, latest = np.zeros(1), np.array([NOTHING])
    records: list[Endings] = []
    rivals: list[Rivals] = []
    builder = LatticeBuilder()
    written = 0
    for step, frame in enumerate(sound):
        # Into the next phones, or on in the same one.
        into, place = spread(tree.first, tree.children, nodes)
        stays = np.flatnonzero(nodes != ROOT)
        source = np.concatenate([place, stays])
        target = np.concatenate([into, nodes[stays]])
        total = scores[source] + frame[tree.phone[target]]
        moved = slice(0, len(place))
        total[moved] += ahead[into] - ahead[nodes[place]]
        kept = _likeliest(total, options.beam, options.most)
        source, target, total = source[kept], target[kept], total[kept]
        one = _best_of_each(told[source] * count + target, total)
        source, nodes, scores = source[one], target[one], total[one]
        told, latest = told[source], latest[source]
        # Words that end here.
        word, place = spread(tree.ends, tree.ending, nodes)
        if len(word):
            first, second = _history(told[place], model.count)
            total = scores[place] - ahead[nodes[place]] - options.word
            language = model.scores(first, second, word)
            total += language
            kept = _likeliest(np.append(total, scores.max()), options.beam, len(total) + 1)
            kept = kept[kept < len(total)]
            if len(kept) > options.exits:
                kept = kept[np.argpartition(-total[kept], options.exits)[: options.exits]]
            place, word, second, total = place[kept], word[kept], second[kept], total[kept]
            first = np.where(model.has_followers(second, word), second, model.count)
            new = first * wide + word
            one = _best_of_each(new, total)
            own = written + np.searchsorted(new[one], new)
            if choose is not None:
                arcs = Arcs(latest[place], word, total, language[kept], own)
                builder.add(arcs, total[one])
            records.append(Endings(latest[place[one]], word[one], np.full(len(one), step + 1)))
            nodes = np.append(nodes, np.full(len(one), ROOT))
            told, scores = np.append(told, new[one]), np.append(scores, total[one])
            latest = np.append(latest, written + np.arange(len(one)))
            written += len(one)
        if step % WATCHED == WATCHED - 1 or step == len(sound) - 1:
            kept = _likeliest(scores, options.beam, RIVALS)
            rivals.append(Rivals(step + 1, scores[kept], latest[kept]))
    done = np.flatnonzero((nodes == ROOT) | (nodes == SILENCE))
    if not len(done) or not records:
        return []
    first, second = _history(told[done], model.count)
    language = model.scores(first, second, np.ones(len(done), dtype=np.int64))
    total = scores[done] + language
    endings = Endings(*(np.concatenate(each) for each in zip(*records, strict=True)))
    if choose is None:
        path = _path(endings, int(latest[done[total.argmax()]]))
    else:
        path = choose(builder.lattice(latest[done], total, language, near))
    times = (np.append(0, endings.step[path]) * (k * FRAME_SECONDS)).tolist()
    sure = confidences(path, endings, rivals, k * FRAME_SECONDS)
    words = endings.word[path].tolist()
    return [Found(*each) for each in zip(words, times[:-1], times[1:], sure, strict=True)]


def _history(told: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The last two words of what has been said; NOTHING where the first of them does not count."""
    first, second = told // np.int64(count + 1), told % np.int64(count + 1)
    return np.where(first == count, NOTHING, first), second


def _likeliest(scores: np.ndarray, beam: float, most: int) -> np.ndarray:
    """Those within `beam` of the best, at most `most`, by their places."""
    kept = np.flatnonzero(scores > scores.max() - beam)
    if len(kept) > most:
        kept = kept[np.argpartition(-scores[kept], most)[:most]]
    return kept


def _best_of_each(keys: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The place of the best score of each key."""
    order = np.argsort(-scores, kind="stable")
    return order[np.unique(keys[order], return_index=True)[1]]


def _path(endings: Endings, last: int) -> list[int]:
    """The records that lead to `last`, in order."""
    path: list[int] = []
    while last != NOTHING:
        path.append(last)
        last = int(endings.before[last])
    return path[::-1]
