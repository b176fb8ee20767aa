"""Trains alignment.recognition.word_network.

    python -m training.alignment.train_word_network TEXT... --without SENTENCES.txt --out FILE

TEXT and --without are those of training.alignment.train_words, whose words the network knows: so
its language model comes first. The weights that ship: the same texts but for PocketSphinx's model,
3.9 million words seen three times, ten minutes of a core. FILE.pt beside FILE is where it stands:
the same command goes on from there. torch is needed.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from alignment.recognition.lattice import END, START
from alignment.recognition.ngrams import UNKNOWN, NGrams, load_ngrams
from alignment.recognition.word_network import (
    EMBEDDED,
    HIDDEN,
    PARTS,
    WordNetwork,
)
from training.alignment.train_words import TEXTS, read
from training.programs import Program, option

STREAMS, WORDS = 64, 48  # at once: so many streams of text, and words of each
RATE = 3e-3
NARROWER = 2  # by so much each part's vectors are than those of the part before it
WARM_UP = 200  # steps
DROPPED = 0.1
KEPT = 400  # steps from one time that the state is written to the next


def numbered(text: Sequence[Sequence[str]], ngrams: NGrams, seed: int = 0) -> np.ndarray:
    """The sentences in random order as numbers of words, (n,), START before each."""
    numbers = {word: number for number, word in enumerate(ngrams.words)}
    unknown = numbers[UNKNOWN]
    order = np.random.default_rng(seed).permutation(len(text))
    said = (n for k in order for n in (START, *(numbers.get(word, unknown) for word in text[k])))
    return np.fromiter(said, np.int64)


def ranks_of(words: np.ndarray, count: int) -> np.ndarray:
    """The rank of each of `count` words, from the most frequent; END's is START's."""
    order = np.argsort(-np.bincount(words, minlength=count), kind="stable")
    ranks = np.empty(count, np.int64)
    ranks[order] = np.arange(count)
    ranks[END] = ranks[START]
    return ranks


def network(count: int) -> Any:
    """The network of `count` words in torch; `weights_of` gives what word_network reads."""
    from torch import Tensor, nn

    class WordModel(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(count, EMBEDDED)
            nn.init.normal_(self.embedding.weight, std=0.1)
            self.lstm = nn.LSTM(EMBEDDED, HIDDEN, batch_first=True)
            self.vector = nn.Linear(HIDDEN, EMBEDDED)
            self.parts = nn.AdaptiveLogSoftmaxWithLoss(
                EMBEDDED, count, [*PARTS], div_value=NARROWER
            )
            self.drop = nn.Dropout(DROPPED)

        def forward(self, ranks: Tensor, before: Any = None) -> tuple[Tensor, Any]:
            """Vectors (B, T, EMBEDDED) of the words after ranks (B, T), and what stands before the
            next ones."""
            said, last = self.lstm(self.drop(self.embedding(ranks)), before)
            return self.drop(self.vector(self.drop(said))), last

    return WordModel()


def weights_of(model: Any) -> dict[str, np.ndarray]:
    """A trained `network` as alignment.recognition.word_network reads it."""
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
    for part in range(len(PARTS)):
        weights[f"narrow{part}"] = held[f"parts.tail.{part}.0.weight"]
        weights[f"part{part}"] = held[f"parts.tail.{part}.1.weight"]
    return weights


def train(model: Any, ranked: np.ndarray, epochs: float, state: Path) -> None:
    """Trains a `network` for so many `epochs` of words by their ranks, (n,); `state`: a file in
    which it is written where it stands, and from which it goes on."""
    import torch

    optimizer = torch.optim.AdamW(model.parameters(), RATE, betas=(0.9, 0.98), weight_decay=0.01)
    streams = torch.from_numpy(ranked[: len(ranked) // STREAMS * STREAMS].reshape(STREAMS, -1))
    each = max((streams.shape[1] - 1) // WORDS, 1)
    steps, done, last = math.ceil(each * epochs), 0, None
    if state.exists():
        held = torch.load(state, weights_only=True)
        model.load_state_dict(held["model"])
        optimizer.load_state_dict(held["optimizer"])
        done = held["step"]
    model.train()
    for step in range(done + 1, steps + 1):
        fall = 0.5 * (1 + math.cos(math.pi * step / steps))
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, step / WARM_UP) * (0.02 + 0.98 * fall)
        at = (step - 1) % each * WORDS
        following = streams[:, at + 1 : at + WORDS + 1]
        vectors, last = model(streams[:, at : at + WORDS], last if at else None)
        last = tuple(part.detach() for part in last)
        loss = model.parts(vectors.flatten(0, 1), following.flatten()).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % KEPT == 0 or step == steps:
            held = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
            torch.save({**held, "step": step}, state)
            print(f"{step} of {steps}: {loss.item():.3f} nats a word", flush=True)
    model.eval()


def save_word_network(network: WordNetwork, path: Path) -> None:
    """Writes a network as `load_word_network` reads it: each row of a matrix in bytes."""
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
    text, ngrams = read(options), load_ngrams()
    words = numbered(text, ngrams)
    ranks = ranks_of(words, ngrams.count)
    model = network(ngrams.count)
    train(model, ranks[words], options.epochs, options.out.with_suffix(".pt"))
    save_word_network(WordNetwork(weights_of(model), ranks), options.out)


main = Program(
    work,
    *TEXTS,
    option("--epochs", type=float, default=3.0, metavar="N"),
)


if __name__ == "__main__":
    sys.exit(main())
