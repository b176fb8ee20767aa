"""A small recurrent network that says which word comes next, given all that were said before it.

Trigrams know two words; this one knows the sentence. One layer of an LSTM over embedded words, and
a softmax in three parts, of which the rarer words' are only reckoned where one of them is asked
for (Grave and others, "Efficient softmax approximation for GPUs", 2017). numpy alone, weights in
bytes. training.alignment.train_word_network trains it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from alignment.network.phone_network import log_softmax
from alignment.recognition.lattice import START

WEIGHTS = Path(__file__).with_name("word_network.safetensors")

EMBEDDED, HIDDEN = 96, 256
PARTS = (2000, 10_000)  # the likeliest words are the first part; the others begin at these ranks


@dataclass(frozen=True)
class WordState:
    """The network's state after some words of n texts: `hidden` and `cell` (n, HIDDEN), and
    `vector` (n, EMBEDDED), which predicts the next word."""

    hidden: np.ndarray
    cell: np.ndarray
    vector: np.ndarray

    def of(self, text: int) -> WordState:
        """The state of one of the texts."""
        return WordState(*(each[text : text + 1] for each in (self.hidden, self.cell, self.vector)))

    @classmethod
    def stacked(cls, each: Sequence[WordState]) -> WordState:
        """The states of several texts together."""
        return cls(
            np.concatenate([state.hidden for state in each]),
            np.concatenate([state.cell for state in each]),
            np.concatenate([state.vector for state in each]),
        )


@dataclass(frozen=True)
class WordNetwork:
    """Weights by name, and the rank, from the most frequent, of each word of
    alignment.recognition.ngrams; a sentence's beginning and its end have the same."""

    weights: dict[str, np.ndarray]
    ranks: np.ndarray

    @cached_property
    def beginning(self) -> WordState:
        """Before the first word, for one text."""
        nothing = np.zeros((1, HIDDEN), np.float32)
        return self._after(nothing, nothing, self.ranks[[START]])

    def after(self, state: WordState, words: Sequence[int]) -> WordState:
        """After one more word of each text, by their numbers."""
        return self._after(state.hidden, state.cell, self.ranks[np.asarray(words)])

    def _after(self, hidden: np.ndarray, cell: np.ndarray, ranks: np.ndarray) -> WordState:
        w = self.weights
        gates = w["embedding"][ranks] @ w["input"].T + hidden @ w["recurrent"].T + w["gates"]
        enter, forget, value, leave = np.split(gates, 4, axis=1)
        cell = _sigmoid(forget) * cell + _sigmoid(enter) * np.tanh(value)
        hidden = _sigmoid(leave) * np.tanh(cell)
        return WordState(hidden, cell, hidden @ w["vector"].T + w["vector_bias"])

    def scores(self, state: WordState, words: np.ndarray) -> np.ndarray:
        """log P(word | text), nats, (n, k), of k words after each of n texts."""
        ranks = self.ranks[words]
        head = log_softmax(state.vector @ self.weights["head"].T)
        result = head[:, np.minimum(ranks, PARTS[0] - 1)]
        for part, first in enumerate(PARTS):
            stop = PARTS[part + 1] if part + 1 < len(PARTS) else len(self.ranks)
            inside = np.flatnonzero((ranks >= first) & (ranks < stop))
            if len(inside):
                narrow = state.vector @ self.weights[f"narrow{part}"].T
                rarer = log_softmax(narrow @ self.weights[f"part{part}"].T)
                whole = head[:, PARTS[0] + part, None]
                result[:, inside] = whole + rarer[:, ranks[inside] - first]
        return result


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)))


@cache
def load_word_network(path: Path = WEIGHTS) -> WordNetwork:
    """The network that ships, or another."""
    from safetensors.numpy import load_file

    held = load_file(path)
    ranks = held.pop("ranks").astype(np.int64)
    steps = {name: held.pop(name) for name in list(held) if name.endswith(".step")}
    weights = {
        name: value.astype(np.float32) * steps.get(f"{name}.step", np.float32(1))
        for name, value in held.items()
    }
    return WordNetwork(weights, ranks)
