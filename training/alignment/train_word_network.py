"""Trains alignment.recognition.rescoring.

    python -m training.alignment.train_word_network TEXT... --without SENTENCES.txt --out FILE

TEXT and --without are those of training.alignment.train_words, whose words the network knows: so
its language model comes first. The weights that ship: the same texts but for PocketSphinx's model,
3.9 million words seen three times, ten minutes of a core. The checkpoint is in a folder beside
FILE, of its name without the ending: the same command resumes there.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file
from torch import Tensor, nn

from a3t.learning.loop import Losses
from alignment.recognition.lattice import END_WORD, START_WORD
from alignment.recognition.ngrams import UNKNOWN_TOKEN, NGrams, load_ngrams
from alignment.recognition.rescoring import (
    EMBEDDED,
    HIDDEN,
    VOCABULARY_PARTS,
    WordNetwork,
)
from training.alignment.train_words import TEXTS, read
from training.devices import refuse_missing
from training.programs import Program, option
from training.training_runs import TrainingSchedule, carry_out

STREAMS, WORDS = 64, 48  # at once: so many streams of text, and words of each
NARROWER = 2  # by so much each part's vectors are than those of the part before it
DROPPED = 0.1
State = tuple[Tensor, Tensor]  # of the LSTM


def numbered(text: Sequence[Sequence[str]], ngrams: NGrams) -> np.ndarray:
    """Return the sentences in random order as numbers of words, (n,), START before each."""
    numbers = {word: number for number, word in enumerate(ngrams.words)}
    unknown = numbers[UNKNOWN_TOKEN]
    order = np.random.default_rng(0).permutation(len(text))
    said = (
        n for k in order for n in (START_WORD, *(numbers.get(word, unknown) for word in text[k]))
    )
    return np.fromiter(said, np.int64)


def ranks_of(words: np.ndarray, count: int) -> np.ndarray:
    """Return the rank of each of `count` words, from the most frequent; END's is START's."""
    order = np.argsort(-np.bincount(words, minlength=count), kind="stable")
    ranks = np.empty(count, np.int64)
    ranks[order] = np.arange(count)
    ranks[END_WORD] = ranks[START_WORD]
    return ranks


class WordModel(nn.Module):
    """The network of `count` words; `weights_of` gives what word_network reads."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(count, EMBEDDED)
        nn.init.normal_(self.embedding.weight, std=0.1)
        self.lstm = nn.LSTM(EMBEDDED, HIDDEN, batch_first=True)
        self.vector = nn.Linear(HIDDEN, EMBEDDED)
        self.parts = nn.AdaptiveLogSoftmaxWithLoss(
            EMBEDDED, count, [*VOCABULARY_PARTS], div_value=NARROWER
        )
        self.drop = nn.Dropout(DROPPED)

    def forward(self, ranks: Tensor, before: State | None = None) -> tuple[Tensor, State]:
        """Return vectors (B, T, EMBEDDED) of the words after ranks (B, T).

        With them what stands before the next ones.
        """
        said, last = self.lstm(self.drop(self.embedding(ranks)), before)
        return self.drop(self.vector(self.drop(said))), last


def weights_of(model: WordModel) -> dict[str, np.ndarray]:
    """Return a trained network as alignment.recognition.rescoring reads it."""
    held = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    weights = {
        "embedding": held["embedding.weight"],
        "input": held["lstm.weight_ih_l0"],
        "recurrent": held["lstm.weight_hh_l0"],
        "gates": held["lstm.bias_ih_l0"] + held["lstm.bias_hh_l0"],
        "vector": held["vector.weight"],
        "vector_bias": held["vector.bias"],
        "head": held["parts.head.weight"],
    }
    for part in range(len(VOCABULARY_PARTS)):
        weights[f"narrow{part}"] = held[f"parts.tail.{part}.0.weight"]
        weights[f"part{part}"] = held[f"parts.tail.{part}.1.weight"]
    return weights


class WordTraining:
    """Words by their ranks, (n,), for so many `epochs`: streams of text, read side by side."""

    def __init__(
        self, model: WordModel, ranked: np.ndarray, epochs: float, device: str = "cpu"
    ) -> None:
        self.model = model.to(device)
        self.streams = torch.from_numpy(
            ranked[: len(ranked) // STREAMS * STREAMS].reshape(STREAMS, -1)
        ).to(device)
        self.each = max((self.streams.shape[1] - 1) // WORDS, 1)  # steps of an epoch
        self.before: State | None = None
        steps = math.ceil(self.each * epochs)
        self.schedule = TrainingSchedule(steps, rate=3e-3, warmup=200, decay=steps, epoch=400)

    def losses(self, step: int) -> Losses:
        """Return the nats a word."""
        at = step % self.each * WORDS
        following = self.streams[:, at + 1 : at + WORDS + 1]
        before = self.before if at else None
        vectors, (hidden, cell) = self.model(self.streams[:, at : at + WORDS], before)
        self.before = hidden.detach(), cell.detach()
        return {"total": self.model.parts(vectors.flatten(0, 1), following.flatten()).loss}

    def validate(self) -> dict[str, float]:
        """Return nothing: no text is held out."""
        return {}


def train(
    model: WordModel, ranked: np.ndarray, epochs: float, out: Path, device: str = "cpu"
) -> None:
    """Train a network in a folder, and give it the average of its weights."""
    model.load_state_dict(carry_out(WordTraining(model, ranked, epochs, device), out).average)
    model.cpu().eval()


def save_word_network(network: WordNetwork, path: Path) -> None:
    """Write a network as `load_word_network` reads it: each row of a matrix in bytes."""
    arrays = {"ranks": network.ranks.astype(np.uint16)}
    for name, value in network.weights.items():
        if value.ndim == 1:
            arrays[name] = value.astype(np.float32)
            continue
        step = np.maximum(np.abs(value).max(axis=1, keepdims=True), 1e-9) / 127
        arrays[name] = np.rint(value / step).astype(np.int8)
        arrays[f"{name}.step"] = step.astype(np.float32)
    save_file(arrays, path)


def work(options: argparse.Namespace) -> None:
    """Train the network and write it."""
    refuse_missing(options.device)
    text, ngrams = read(options), load_ngrams()
    words = numbered(text, ngrams)
    ranks = ranks_of(words, ngrams.count)
    model = WordModel(ngrams.count)
    train(model, ranks[words], options.epochs, options.out.with_suffix(""), options.device)
    save_word_network(WordNetwork(weights_of(model), ranks), options.out)


main = Program(
    work,
    *TEXTS,
    option("--epochs", type=float, default=3.0, metavar="N"),
    option("--device", default="cpu", help="cpu (default), cuda or cuda:N"),
)


if __name__ == "__main__":
    sys.exit(main())
