"""Train a language model.

python -m training.words.train_transformer_xl CONFIG [CHANGE…] --data DIR --out DIR

A CHANGE is a configuration of what it changes. DIR is what `training.words.positioned_text` wrote.

Hypernym class prediction (Bai et al., *Better Language Model with Hypernym Class Prediction*, ACL
2022; the thesis, chapter 3) replaces the rare nouns of a step by their classes, in its input and
output: with probability b while the step is below a · N of N. The same command resumes a run that
was stopped.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from a3t.errors import InputError
from a3t.learning.loop import CHECKPOINT, Losses
from training.configuration import read_config, settings
from training.devices import CPU, Place, compute, compute_options
from training.programs import Program, option
from training.training_runs import TrainingSchedule, carry_out, initial_weights
from training.words.positioned_text import Positioned, WordList, load_part, load_words
from training.words.transformer_xl import TransformerXL


@dataclass(frozen=True)
class StreamSettings:
    """streams: of text, read side by side. window: tokens of each in a step."""

    streams: int = 16
    window: int = 64


@dataclass(frozen=True)
class HypernymSettings:
    """share: a of the steps that may be of classes (0: none). chance: b of such a step."""

    share: float = 0.0
    chance: float = 0.8


class Streams:
    """A text cut into B streams of equal length; `window` k has T tokens of each."""

    def __init__(self, text: Positioned, chosen: StreamSettings) -> None:
        each = len(text.words) // chosen.streams
        if each < 2:
            raise InputError(f"A text of {len(text.words)} words is too short for its streams.")
        whole = each * chosen.streams
        self.words = torch.from_numpy(text.words[:whole]).long().view(chosen.streams, each)
        self.positions = torch.from_numpy(text.positions[:whole]).view(chosen.streams, each, 3)
        self.size = chosen.window
        self.count = -(-(each - 1) // chosen.window)

    def window(self, number: int, remembered: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return words (B, T), those that follow (B, T), and their positions (B, M + T, 3).

        The positions include those of M remembered words before.
        """
        first = number * self.size
        stop = min(first + self.size, self.words.shape[1] - 1)
        positions = self.positions[:, first - remembered : stop]
        return self.words[:, first:stop], self.words[:, first + 1 : stop + 1], positions


class StreamReader(nn.Module):
    """A network with what it remembers of its streams, which a resumed run goes on with."""

    memory: Tensor  # (layers, B, M, D)
    remembered: Tensor  # () how many of the M, the last ones, are filled

    def __init__(self, network: TransformerXL, streams: int) -> None:
        super().__init__()
        self.network = network
        empty = torch.zeros(len(network.layers), streams, network.memory, network.size)
        self.register_buffer("memory", empty)
        self.register_buffer("remembered", torch.tensor(0))


class XLTraining:
    """A training on a text by its configuration, and its loss on another."""

    def __init__(
        self,
        config: dict[str, Any],
        words: WordList,
        text: Positioned,
        held: Positioned,
        place: Place = CPU,
    ) -> None:
        self.place = place
        chosen = settings(StreamSettings, config.get("data"))
        self.hypernyms = settings(HypernymSettings, config.get("hypernyms"))
        self.schedule = settings(TrainingSchedule, config["training"])
        torch.manual_seed(self.schedule.seed)
        self.network = TransformerXL(len(words.words), **config["model"])
        self.model = StreamReader(self.network, chosen.streams).to(place.device)
        self.words, self.chosen = words, chosen
        self.streams, self.held = Streams(text, chosen), Streams(held, chosen)
        replaced = words.classes >= words.size
        kept = np.append(np.flatnonzero(~replaced), np.arange(words.size, len(words.words)))
        self.classes = torch.from_numpy(words.classes).long()
        self.possible = torch.from_numpy(kept)  # words and classes in a step of classes
        self.places = torch.zeros(len(words.words), dtype=torch.long)
        self.places[self.possible] = torch.arange(len(kept))

    def of_classes(self, step: int) -> bool:
        """Return whether a step predicts classes: the constant pacing function (equation 3.4)."""
        hypernyms, schedule = self.hypernyms, self.schedule
        if step >= hypernyms.share * schedule.steps:
            return False
        return np.random.default_rng((schedule.seed, step)).random() < hypernyms.chance

    def losses(self, step: int) -> Losses:
        """Return the nats a word, or a class, of a step."""
        number, model = step % self.streams.count, self.model
        # Every window before this one was remembered, so the number needs no look at the device.
        left = min(number * self.chosen.window, self.network.memory)
        words, following, positions = self.streams.window(number, left)
        among: Tensor | slice = slice(self.words.size)
        if self.of_classes(step):
            among = self.possible
            words, following = self.classes[words], self.places[self.classes[following]]
        words, following, positions = (
            each.to(self.place.device) for each in (words, following, positions)
        )
        full = model.memory.shape[2]
        vectors, memory = self.network(words, positions, model.memory[:, :, full - left :])
        model.remembered.fill_(memory.shape[2])
        model.memory = F.pad(memory, (0, 0, full - memory.shape[2], 0))
        if isinstance(among, Tensor):
            among = among.to(self.place.device)
        nats = self.network.loss(vectors.flatten(0, 1), following.flatten(), among)
        return {"total": nats.mean()}

    def validate(self) -> dict[str, float]:
        """Return the perplexity of what is held out."""
        nats, _ = nats_of(self.network, self.held, self.words.size)
        return {"total": float(nats.mean()), "perplexity": float(np.exp(nats.mean()))}


@torch.no_grad()
def nats_of(network: TransformerXL, text: Streams, words: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the nats (n,) of each token of a text but the streams' first, and the tokens (n,).

    They are in reading order of the windows, among the first ``words`` words.
    """
    memory = network.nothing(len(text.words))
    nats, tokens = [], []
    for number in range(text.count):
        given, following, positions = (
            each.to(memory.device) for each in text.window(number, memory.shape[2])
        )
        vectors, memory = network(given, positions, memory)
        found = network.loss(vectors.flatten(0, 1), following.flatten(), slice(words))
        nats.append(found.cpu().numpy())
        tokens.append(following.flatten().cpu().numpy())
    return np.concatenate(nats), np.concatenate(tokens)


def load_network(run: Path, words: WordList) -> TransformerXL:
    """Load the averaged weights of a run."""
    network = TransformerXL(len(words.words), **read_config(run / "config.yaml")["model"])
    weights = initial_weights(str(run / CHECKPOINT))
    prefix = "network."
    network.load_state_dict(
        {k.removeprefix(prefix): v for k, v in weights.items() if k.startswith(prefix)}
    )
    return network.eval()


def train(options: argparse.Namespace, place: Place) -> None:
    """Train as the parsed command says."""
    config = read_config(*options.config)
    config["training"] |= {"seed": options.seed}
    held = load_part(options.data, "dev")
    held = Positioned(held.words[: options.held], held.positions[: options.held])
    words = load_words(options.data)
    training = XLTraining(config, words, load_part(options.data, "train"), held, place)
    carry_out(training, options.out, config, place=place)


def work(options: argparse.Namespace) -> None:
    """Train where the options say: in one process, since what is remembered goes on in order."""
    if options.processes > 1:
        raise InputError("--processes: a training that remembers its text needs one: leave it out.")
    compute(options, train)


main = Program(
    work,
    option("config", type=Path, nargs="+", metavar="CONFIG"),
    option("--data", type=Path, required=True, metavar="DIR"),
    option("--out", type=Path, required=True, metavar="DIR"),
    *compute_options(),
    option("--seed", type=int, default=1, metavar="N"),
    option("--held", type=int, default=20_000, metavar="N", help="words of dev for the curve"),
)


if __name__ == "__main__":
    raise SystemExit(main())
