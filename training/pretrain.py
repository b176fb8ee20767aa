"""Pretrain A3T on a feature store, on a CPU or a GPU.

python -m training.pretrain --config a3t/model/conf/small.yaml --features F --out FOLDER

A run that was interrupted continues from its last checkpoint when the command is repeated;
``python -m training.export`` turns it into a model to ship.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from a3t.errors import InputError
from a3t.learning.loop import Losses, Objective, validate
from training.configuration import build, objective_of, read_config, settings
from training.devices import CPU, Place, compute, compute_options, refuse_missing
from training.features.augment import augment_of
from training.features.corpus_batches import (
    Batches,
    DataConfig,
    MaskingConfig,
    MixedBatches,
    standardise,
)
from training.features.split_list import SplitList
from training.features.store import Store
from training.prefetch import Ahead
from training.pretraining_objective import NETWORK, network_weights
from training.programs import Program, option
from training.synced_batch_norm import share_of, synchronise
from training.training_runs import TrainingRun, TrainingSchedule, carry_out, initial_weights

SPEECH_ONLY = 0.15  # of the frames of speech without text that are masked, as in the thesis


def build_batches(
    config: Mapping[str, Any], store: Store, train: bool, speech: Store | None = None
) -> Batches | MixedBatches:
    """Return the batches for training a configuration, or for validating it.

    With a store of ``speech`` without text each batch has its share of that as well.
    """
    data = settings(DataConfig, config.get("data"))

    def of(source: Store, data: DataConfig) -> Batches:
        return Batches(
            source,
            "train" if train else "dev",
            settings(MaskingConfig, config.get("masking")),
            data,
            train=train,
            augment=augment_of(data),
            pitch=bool(config["model"].get("pitch", False)),
            alignment_rows=config["model"].get("alignment_rows", 500),
            seed=settings(TrainingSchedule, config.get("training")).seed,
        )

    if speech is None:
        return of(store, data)
    if not 0 < data.speech_share < 1:
        raise InputError(f"data.speech_share is between 0 and 1, not {data.speech_share}.")
    frames = round(data.speech_share * data.batch_frames)
    paired = replace(data, batch_frames=data.batch_frames - frames, speech_only=None)
    alone = replace(data, batch_frames=frames, speech_only=data.speech_only or SPEECH_ONLY)
    return MixedBatches(of(store, paired), of(speech, replace(alone, shares=None)))


def build_objective(config: Mapping[str, Any], store: Store | None) -> Objective:
    """Make a network with random weights; if it standardises mels, with the store's statistics."""
    objective = build(objective_of, config)
    network = objective.network
    if network.normalise and store is not None:
        standardise(network, store)
    return objective


class Pretraining:
    """A configuration's network with its data: the losses of a step, and validation."""

    def __init__(
        self,
        config: dict[str, Any],
        store: Store,
        place: Place = CPU,
        compiler: str | None = None,
        speech: Store | None = None,
    ) -> None:
        self.place = place
        self.train = build_batches(config, store, train=True, speech=speech)
        dev = build_batches(config, store, train=False)
        self.dev = [dev(step).to(place.device) for step in range(dev.steps_a_pass)]
        self.schedule = settings(TrainingSchedule, config.get("training"))
        torch.manual_seed(self.schedule.seed)
        objective = build_objective(config, store)
        if place.processes > 1:
            synchronise(objective.network)
        self.model = objective.to(place.device)
        if compiler is not None:
            self.model.network.compile(backend=compiler, dynamic=True)
        pinned = place.device.startswith("cuda")
        share = partial(self.train, part=place.part)
        self._batch = Ahead(share, self.schedule.steps, place.workers, pinned)

    def losses(self, step: int) -> Losses:
        """Return the losses of this process's share of a step, and its weight."""
        batch = self._batch(step).to(self.place.device)
        weight = batch.masked.sum().float()
        found: Losses = self.model(batch, self.place.bfloat16, share_of(weight))
        return found | {"weight": weight}

    def validate(self) -> dict[str, float]:
        """Return the losses of what is held out."""
        return validate(self.model, self.dev)


# What a block's layers add to the frames passes through these.
ADDED = re.compile(
    r"\.decoder\.\d+\.(first\.shrink|attention\.out|convolution\.project|second\.shrink)\."
)


def start_from(trained: TrainingRun, weights: Mapping[str, Tensor]) -> None:
    """Initialise with a network's weights; parts it lacks, or has in another shape, stay random.

    Where the decoder has more blocks than they, what these add is 0 at first, so that the network
    begins with what it could do.
    """
    own = trained.model.state_dict()
    named = {NETWORK + name: value for name, value in weights.items()}
    fitting = {k: v for k, v in named.items() if k in own and own[k].shape == v.shape}
    quiet = {
        name: torch.zeros_like(value)
        for name, value in own.items()
        if ADDED.search(name)
        and name not in named
        and f"{NETWORK}decoder.0.norm_last.weight" in named
    }
    trained.model.load_state_dict(own | fitting | quiet)
    trained.follow_from(own | fitting | quiet)


def pretrain(options: argparse.Namespace, place: Place) -> None:
    """Pretrain as the parsed command says."""
    config = read_config(*options.config)
    if options.steps:
        training = config.setdefault("training", {})
        training["steps"] = options.steps
        training["decay"] = min(settings(TrainingSchedule, training).decay, options.steps // 3)
    if options.critic:
        config["loss"] = {"adversarial": 0.2, "matching": 2.0} | config.get("loss", {})
    config["precision"] = options.precision
    store = Store(options.features)
    speech = Store(options.speech) if options.speech else None
    work = Pretraining(config, store, place, options.compiler, speech)
    heard = [*store.split_list.clips, *(speech.split_list.clips if speech else ())]

    def begin(trained: TrainingRun) -> None:
        if options.init:
            start_from(trained, network_weights(initial_weights(options.init)))

    count = sum(parameter.numel() for parameter in work.model.network.parameters())
    facts = {"parameters": count, "precision": options.precision}
    carry_out(
        work,
        options.out,
        config,
        split=SplitList.of(heard),
        begin=begin,
        minutes=options.minutes,
        place=place,
        **facts,
    )


def work(options: argparse.Namespace) -> None:
    """Pretrain in as many processes as asked for; a resumed run keeps its precision."""
    refuse_missing(options.device, options.processes, options.tensorboard)
    written = options.out / "config.yaml"
    chosen = read_config(*options.config).get("precision", "auto")
    if written.exists():
        options.precision = read_config(written).get("precision", options.precision)
    elif options.precision == "auto":
        options.precision = chosen
    compute(options, pretrain)


main = Program(
    work,
    option(
        "--config", type=Path, required=True, nargs="+",
        help="a YAML file, and others that override it",
    ),
    option("--features", type=Path, required=True, help="feature store (training.extract)"),
    option(
        "--speech", type=Path, metavar="STORE",
        help="features of speech without text (training.extract --speech), for a share of each "
        "batch: data.speech_share",
    ),
    option("--out", type=Path, required=True),
    option("--steps", type=int, help="number of steps (default: the configuration's)"),
    option("--init", metavar="NAME_OR_PATH", help="initial weights: a checkpoint.pt, or a model"),
    *compute_options(threads=2, precision="auto"),
    option(
        "--compile", dest="compiler", nargs="?", const="inductor", metavar="BACKEND",
        help="compile the network with torch.compile (inductor)",
    ),
    option("--critic", action="store_true", help="train against a critic, starting from --init"),
    option("--minutes", type=float, default=math.inf, help="stop after so many minutes"),
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
