"""The shipped network that guesses how a word in no dictionary is said, letter by letter.

A recurrent network in both directions (GRU; Cho et al., Learning phrase representations using RNN
encoder–decoder, 2014) scores for every letter what it makes: nothing, a phone, or two. The best
sequence with exactly one primary stress is the guess. `training.text.train_letters` trains
it; here it runs in numpy, about a millisecond a word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from a3t.text.pronunciation.lexicon import Pronunciation
from a3t.user_folders import SHIPPED_MODELS

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST_WAYS = 3
UNSURE = 1.1
"""Nats: another way that is at least a third as likely as the best is offered too."""
FOLDER = SHIPPED_MODELS / "letter-to-sound"


class LetterNetwork:
    """Weights and the names of the outputs; `pronounce` is all that it does."""

    def __init__(self, weights: Mapping[str, np.ndarray], config: Mapping[str, Any]) -> None:
        self.weights = weights
        self.layers = int(config["layers"])
        self.chunks = [tuple(chunk.split()) for chunk in config["classes"]]
        stresses = [sum(phone.endswith("1") for phone in chunk) for chunk in self.chunks]
        self.stresses = np.array(stresses)

    def pronounce(self, word: str) -> Pronunciation:
        """Phones of a word of letters a–z, with one primary stress; () if it has no letter."""
        return next(iter(self.ways(word)), ())

    def ways(self, word: str) -> list[Pronunciation]:
        """The likeliest way to say a word of letters a–z, and at most MOST_WAYS - 1 others that
        are nearly as likely: one letter is said otherwise, or the stress is elsewhere."""
        letters = [LETTERS.index(letter) + 1 for letter in word if letter in LETTERS]
        if not letters:
            return []
        scores = self._scores(letters)
        best = self._best(scores)
        paths = [(0.0, best)]
        for place, chosen in enumerate(best):
            if self.stresses[chosen]:
                for other in range(len(letters)):
                    moved = self._best(scores, other)
                    paths.append((self._loss(scores, best, moved), moved))
            alike = self.stresses == self.stresses[chosen]
            near = alike & (scores[place] > scores[place, chosen] - UNSURE)
            for other in np.flatnonzero(near).tolist():
                changed = [*best[:place], other, *best[place + 1 :]]
                paths.append((self._loss(scores, best, changed), changed))
        likely = sorted((path for path in paths if path[0] < UNSURE), key=lambda path: path[0])
        said = [tuple(p for k in path for p in self.chunks[k]) for _, path in likely]
        return [*{_heard(way): way for way in reversed(said)}.values()][::-1][:MOST_WAYS]

    @staticmethod
    def _loss(scores: np.ndarray, best: Sequence[int], path: Sequence[int]) -> float:
        """Nats by which a path is less likely than the best one."""
        places = np.arange(len(path))
        return float((scores[places, [*best]] - scores[places, [*path]]).sum())

    def _scores(self, letters: Sequence[int]) -> np.ndarray:
        """Log probabilities (T, C)."""
        x = self.weights["embed"][list(letters)]
        for layer in range(self.layers):
            ahead = self._gru(x, f"l{layer}")
            back = self._gru(x[::-1], f"l{layer}_reverse")[::-1]
            x = np.concatenate([ahead, back], axis=1)
        scores = x @ self.weights["out.weight"].T + self.weights["out.bias"]
        scores -= scores.max(axis=1, keepdims=True)
        normalised: np.ndarray = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return normalised

    def _gru(self, x: np.ndarray, name: str) -> np.ndarray:
        """(T, inputs) -> (T, H), from left to right."""
        w = self.weights
        gates_x = x @ w[f"gru.weight_ih_{name}"].T + w[f"gru.bias_ih_{name}"]
        hidden = w[f"gru.weight_hh_{name}"].shape[1]
        h = np.zeros(hidden, np.float32)
        states = np.empty((len(x), hidden), np.float32)
        for step, gate_x in enumerate(gates_x):
            gate_h = w[f"gru.weight_hh_{name}"] @ h + w[f"gru.bias_hh_{name}"]
            h = gru_step(gate_x, gate_h, h)
            states[step] = h
        return states

    def _best(self, scores: np.ndarray, place: int | None = None) -> list[int]:
        """The likeliest output for each letter, such that together they have one primary stress:
        that of the letter at ``place``, or the likeliest."""
        plain = np.where(self.stresses == 0, scores, -np.inf)
        stressed = np.where(self.stresses == 1, scores, -np.inf)
        without, within = plain.argmax(axis=1), stressed.argmax(axis=1)
        gain = stressed.max(axis=1) - plain.max(axis=1)  # of putting the stress here
        path = without.tolist()
        if np.isfinite(gain).any():
            place = int(gain.argmax()) if place is None else place
            path[place] = int(within[place])
        return path


def gru_step(gates_x: np.ndarray, gates_h: np.ndarray, h: np.ndarray) -> np.ndarray:
    """One step of a GRU, (H,), of its gates by the input and by the state h, (3 H,) each."""
    size = len(h)
    gates = 1 / (1 + np.exp(-(gates_x[: 2 * size] + gates_h[: 2 * size])))
    reset, update = gates[:size], gates[size:]
    candidate = np.tanh(gates_x[2 * size :] + reset * gates_h[2 * size :])
    return np.asarray((1 - update) * candidate + update * h)


def _heard(phones: Pronunciation) -> Pronunciation:
    """Phones without what is hardly heard: weak vowels are alike, and so is weak stress."""
    return tuple("AH0" if p in ("IH0", "EH0") else p.replace("2", "0") for p in phones)


@cache
def shipped() -> LetterNetwork:
    """The network that comes with the package."""
    import yaml
    from safetensors.numpy import load_file

    config = yaml.safe_load((FOLDER / "config.yaml").read_text(encoding="utf-8"))
    weights = load_file(FOLDER / "model.safetensors")
    return LetterNetwork({name: x.astype(np.float32) for name, x in weights.items()}, config)
