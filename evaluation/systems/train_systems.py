"""Train a system of the comparison on a feature store, by the loop that trains A3T.

python -m evaluation.systems.train_systems CONFIG.yaml --features STORE --vectors NPZ --out RUN

CONFIG names its ``system``; without that it is A3T, or a shape of it. Configurations are in
evaluation/systems/conf. ``training: {minutes: M}`` is the processor's time, the same for all.
A run that was interrupted continues when the command is repeated.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn

from a3t.errors import InputError
from a3t.learning.loop import Losses
from evaluation.systems.named import SPEAKING
from evaluation.systems.speaker_vectors import Vectors, read_vectors
from evaluation.systems.speech_batches import SpeechBatches
from training.configuration import build, read_config, settings
from training.devices import CPU, Place, compute, compute_options
from training.features.corpus_batches import standardise
from training.features.store import Store
from training.prefetch import Ahead
from training.pretrain import Pretraining
from training.programs import Program, option
from training.training_runs import TrainingSchedule, Work, carry_out

CONFIGURATIONS = Path(__file__).with_name("conf")


class SpeechTraining:
    """A system that speaks from text: its network, the losses of a step, and validation."""

    def __init__(
        self, config: Mapping[str, Any], store: Store, vectors: Vectors, place: Place = CPU
    ) -> None:
        self.place = place
        self.train = SpeechBatches(config, store, vectors, train=True)
        dev = SpeechBatches(config, store, vectors, train=False)
        self.dev = [dev(step).to(place.device) for step in range(dev.batches.steps_a_pass)]
        self.schedule = settings(TrainingSchedule, config.get("training"))
        torch.manual_seed(self.schedule.seed)
        self.model: nn.Module = build(SPEAKING[config["system"]].from_config, config)
        self._standardise(store)
        self.model.to(place.device)
        pinned = place.device.startswith("cuda")
        share = partial(self.train, part=place.part)
        self._batch = Ahead(share, self.schedule.steps, place.workers, pinned)

    def _standardise(self, store: Store) -> None:
        standardise(self.model, store)
        buffers = dict(self.model.named_buffers())
        if "adaptor" in buffers:
            some = [self.train(step) for step in range(50)]
            pitch = torch.cat([batch.pitch[batch.pitch > 0] for batch in some])
            energy = torch.cat([batch.energy[batch.durations > 0] for batch in some])
            figures = [f for x in (pitch, energy) for f in (x.mean(), x.std())]
            buffers["adaptor"].copy_(torch.stack(figures))

    def losses(self, step: int) -> Losses:
        """Return the losses of this process's share of a step, weighted by its frames."""
        batch = self._batch(step).to(self.place.device)
        with torch.autocast(batch.mel.device.type, torch.bfloat16, self.place.bfloat16):
            found: Losses = self.model(batch)
        return found | {"weight": batch.frames.sum().float()}

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return the mean losses of the validation clips, weighted by their frames."""
        sums: dict[str, float] = {}
        frames = 0.0
        for batch in self.dev:
            count = float(batch.frames.sum())
            frames += count
            for name, value in self.model(batch).items():
                sums[name] = sums.get(name, 0.0) + count * float(value)
        return {name: value / frames for name, value in sums.items()}


def work_of(config: dict[str, Any], store: Store, vectors: Path | None, place: Place = CPU) -> Work:
    """Prepare a configuration's training; raise InputError if there is no such system."""
    system = config.get("system", "a3t")
    if system == "a3t":
        return Pretraining(config, store, place)
    if system not in SPEAKING:
        raise InputError(f"There is no system {system}: a3t, {', '.join(SPEAKING)}.")
    if vectors is None:
        raise InputError(f"{system} needs speaker embeddings: give them with --vectors.")
    return SpeechTraining(config, store, read_vectors(vectors), place)


def train(options: argparse.Namespace, place: Place) -> None:
    """Train as the parsed command says."""
    path = options.config
    named = CONFIGURATIONS / f"{path}.yaml"
    config = read_config(named if not path.is_file() and named.exists() else path)
    training = config.setdefault("training", {})
    if options.minutes:
        training["minutes"] = options.minutes
    if options.seed is not None:
        training["seed"] = options.seed
    store = Store(options.features)
    config["precision"] = options.precision
    work = work_of(config, store, options.vectors, place)
    carry_out(work, options.out, config, split=store.split_list, place=place)


def work(options: argparse.Namespace) -> None:
    """Train in as many processes as asked for."""
    compute(options, train)


main = Program(
    work,
    option("config", type=Path, help="a YAML file, or the name of a system"),
    option("--features", type=Path, required=True, help="feature store (training.extract)"),
    option("--vectors", type=Path, help="output of evaluation.systems.speaker_vectors"),
    option("--out", type=Path, required=True),
    option("--minutes", type=float, help="processor time (default: the configuration's)"),
    option("--seed", type=int, help="random seed of weights, crops and masks"),
    *compute_options(),
)


if __name__ == "__main__":
    sys.exit(main())
