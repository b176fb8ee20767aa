"""Rescoring of a lattice by a small recurrent network that knows the whole sentence.

Trigrams know two words; the network says which word comes next given all that were said before it.
One layer of an LSTM over embedded words, and a softmax in three parts, of which the rarer words'
are only reckoned where one of them is asked for (Grave and others, "Efficient softmax approximation
for GPUs", 2017). numpy alone, weights in bytes. training.alignment.train_word_network trains it.

Texts grow word by word through the lattice; of those that come to the same record the likeliest few
go on. What the search's trigrams gave to each word gives way to their mean with the network
(Mikolov and others, "Recurrent neural network based language model", 2010).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from alignment.network.phone_network import log_softmax
from alignment.recognition.lattice import BEGINNING, ON, START_WORD, Arc
from alignment.recognition.ngrams import NGrams

WORD_NETWORK_WEIGHTS = Path(__file__).with_name("word_network.safetensors")

EMBEDDED, HIDDEN = 96, 256
# The likeliest words are the first part; the others begin at these ranks.
VOCABULARY_PARTS = (2000, 10_000)
MAX_RECALLED_WORDS = 12  # words that distinguish two texts


@dataclass(frozen=True)
class WordState:
    """The network's state after some words of n texts.

    hidden, cell: (n, HIDDEN). vector: (n, EMBEDDED), which predicts the next word.
    """

    hidden: np.ndarray
    cell: np.ndarray
    vector: np.ndarray

    def of(self, text: int) -> WordState:
        """Return the state of one of the texts."""
        return WordState(*(each[text : text + 1] for each in (self.hidden, self.cell, self.vector)))

    @classmethod
    def stacked(cls, each: Sequence[WordState]) -> WordState:
        """Join the states of several texts."""
        return cls(
            np.concatenate([state.hidden for state in each]),
            np.concatenate([state.cell for state in each]),
            np.concatenate([state.vector for state in each]),
        )


@dataclass(frozen=True)
class WordNetwork:
    """Weights by name, and each word's rank, from the most frequent.

    The words are those of alignment.recognition.ngrams; a sentence's beginning and end share a
    rank.
    """

    weights: dict[str, np.ndarray]
    ranks: np.ndarray

    @cached_property
    def beginning(self) -> WordState:
        """Before the first word, for one text."""
        nothing = np.zeros((1, HIDDEN), np.float32)
        return self._after(nothing, nothing, self.ranks[[START_WORD]])

    def after(self, state: WordState, words: Sequence[int]) -> WordState:
        """Return the state after one more word of each text, by the words' numbers."""
        return self._after(state.hidden, state.cell, self.ranks[np.asarray(words)])

    def _after(self, hidden: np.ndarray, cell: np.ndarray, ranks: np.ndarray) -> WordState:
        w = self.weights
        gates = w["embedding"][ranks] @ w["input"].T + hidden @ w["recurrent"].T + w["gates"]
        enter, forget, value, leave = np.split(gates, 4, axis=1)
        cell = _sigmoid(forget) * cell + _sigmoid(enter) * np.tanh(value)
        hidden = _sigmoid(leave) * np.tanh(cell)
        return WordState(hidden, cell, hidden @ w["vector"].T + w["vector_bias"])

    def scores(self, state: WordState, words: np.ndarray) -> np.ndarray:
        """Return log P(word | text), nats, (n, k), of k words after each of n texts."""
        ranks = self.ranks[words]
        head = log_softmax(state.vector @ self.weights["head"].T)
        result = head[:, np.minimum(ranks, VOCABULARY_PARTS[0] - 1)]
        for part, first in enumerate(VOCABULARY_PARTS):
            stop = (
                VOCABULARY_PARTS[part + 1] if part + 1 < len(VOCABULARY_PARTS) else len(self.ranks)
            )
            inside = np.flatnonzero((ranks >= first) & (ranks < stop))
            if len(inside):
                narrow = state.vector @ self.weights[f"narrow{part}"].T
                rarer = log_softmax(narrow @ self.weights[f"part{part}"].T)
                whole = head[:, VOCABULARY_PARTS[0] + part, None]
                result[:, inside] = whole + rarer[:, ranks[inside] - first]
        return result


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)))


@cache
def load_word_network(path: Path = WORD_NETWORK_WEIGHTS) -> WordNetwork:
    """Load the network that ships, or another."""
    from safetensors.numpy import load_file

    held = load_file(path)
    ranks = held.pop("ranks").astype(np.int64)
    steps = {name: held.pop(name) for name in list(held) if name.endswith(".step")}
    weights = {
        name: value.astype(np.float32) * steps.get(f"{name}.step", np.float32(1))
        for name, value in held.items()
    }
    return WordNetwork(weights, ranks)


class _Hypothesis(NamedTuple):
    """A way through the lattice: its score, nats, last words, record, and what led to it."""

    score: float = 0.0
    words: tuple[int, ...] = ()
    record: int = BEGINNING
    before: _Hypothesis | None = None

    def records(self) -> list[int]:
        """Return the records of all its words, in order."""
        result: list[int] = []
        here: _Hypothesis | None = self
        while here is not None and here.record != BEGINNING:
            result.append(here.record)
            here = here.before
        return result[::-1]


@dataclass(frozen=True)
class _Hypotheses:
    """The likeliest texts at one record, n of them; what each gains by a word that can follow."""

    texts: Sequence[_Hypothesis]
    state: WordState
    gains: dict[int, np.ndarray]

    def extended(self, arc: Arc) -> Iterator[tuple[_Hypothesis, WordState]]:
        """Yield each text with the word of the arc, and the state before it."""
        for place, (text, more) in enumerate(zip(self.texts, self.gains[arc.word], strict=True)):
            score = text.score + arc.gain + float(more)
            words = (*text.words, arc.word)[-MAX_RECALLED_WORDS:]
            yield _Hypothesis(score, words, arc.record, text), self.state.of(place)


@dataclass(frozen=True)
class Rescoring:
    """A choice among a lattice's ways by the network.

    share: the network's of a word's probability. weight: of that against the acoustics. most: the
    texts that go on from a record. said, state: the words before, and the network's state after
    them. The defaults were chosen on clips that nothing is reported of.
    """

    network: WordNetwork
    trigrams: NGrams
    share: float = 0.5
    weight: float = 1.0
    most: int = 6
    said: tuple[int, ...] = ()
    state: WordState | None = None

    def after(self, words: Sequence[int]) -> Rescoring:
        """Return the rescoring of what comes after `words` that have been said."""
        state = self.state or self.network.beginning
        for word in words:
            state = self.network.after(state, [word])
        return replace(self, said=(*self.said, *words)[-MAX_RECALLED_WORDS:], state=state)

    def __call__(self, lattice: Sequence[Arc]) -> list[int]:
        """Return the records of the likeliest text, in order."""
        return next((records for records, _ in self.likeliest(lattice)), [])

    def likeliest(self, lattice: Sequence[Arc]) -> list[tuple[list[int], float]]:
        """Return the records of the likeliest few texts, in order, and the score of each, nats."""
        following: dict[int, set[int]] = defaultdict(set)
        for arc in lattice:
            following[arc.before].add(arc.word)
        left = Counter(arc.before for arc in lattice)
        state = self.state or self.network.beginning
        begun = [_Hypothesis(words=self.said)]
        arrived = {BEGINNING: self._arrived(begun, state, following[BEGINNING])}
        for record, group in groupby(lattice, attrgetter("record")):
            # At the edge of what is near, rounding may have kept a word without those before it.
            arcs = [arc for arc in group if arc.before in arrived]
            ways = [way for arc in arcs for way in arrived[arc.before].extended(arc)]
            for arc in arcs:  # what has been left behind for good is forgotten
                left[arc.before] -= 1
                if not left[arc.before]:
                    del arrived[arc.before]
            ways.sort(key=lambda way: -way[0].score)
            if not ways:
                continue
            distinct: dict[tuple[int, ...], tuple[_Hypothesis, WordState]] = {}
            for text, before in ways:
                distinct.setdefault(text.words, (text, before))
            texts, befores = zip(*[*distinct.values()][: self.most], strict=True)
            if not following[record]:
                return [(text.records()[:-1], text.score) for text in texts]
            state = self.network.after(
                WordState.stacked(befores), [text.words[-1] for text in texts]
            )
            arrived[record] = self._arrived(texts, state, following[record])
        return []

    def _arrived(
        self, texts: Sequence[_Hypothesis], state: WordState, following: set[int]
    ) -> _Hypotheses:
        words = np.array(sorted(following))
        pairs = np.array([(START_WORD, START_WORD, *text.words)[-2:] for text in texts])
        pairs[[not text.words for text in texts], 0] = -1  # nothing stands before the beginning
        first, second = (np.repeat(each, len(words)) for each in pairs.T)
        plain = self.trigrams.scores(first, second, np.tile(words, len(texts)))
        by_network = np.exp(self.network.scores(state, words))
        mean = (1 - self.share) * np.exp(plain).reshape(by_network.shape) + self.share * by_network
        gains = self.weight * np.log(mean + 1e-12)
        gains[:, words == ON] = 0.0
        return _Hypotheses(texts, state, dict(zip(words.tolist(), gains.T, strict=True)))
