"""A3T as an ESPnet task: the plain loop's batches, objective and rate, in ESPnet's Trainer.

``python -m training.espnet.train`` runs it, with every option that ESPnet's tasks have.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
import torch.distributed

from training.espnet import torchaudio_stand_in

torchaudio_stand_in.install()  # before anything of espnet2.tasks

# ruff: noqa: E402
from espnet2.iterators.abs_iter_factory import AbsIterFactory
from espnet2.schedulers.abs_scheduler import AbsBatchStepScheduler
from espnet2.tasks.abs_task import AbsTask, scheduler_classes
from espnet2.utils.nested_dict_action import NestedDictAction
from torch.optim.lr_scheduler import LRScheduler

from a3t.errors import InputError
from a3t.learning.loop import PRECISIONS, use_bfloat16
from training.configuration import settings
from training.espnet.model import A3TModel
from training.espnet.trainer import A3TTrainer
from training.features.corpus_batches import Batches
from training.features.store import Store
from training.prefetch import prefetch
from training.pretrain import build_batches, build_objective
from training.pretraining_objective import PretrainingLosses
from training.synced_batch_norm import synchronise
from training.training_runs import TrainingSchedule

PARTS = ("model", "masking", "data", "loss")  # of a configuration, as PART_conf


class ScheduledRate(LRScheduler, AbsBatchStepScheduler):
    """The rate of `TrainingSchedule.rate_at`, step by step.

    ESPnet steps a LambdaLR once more an epoch.
    """

    def __init__(self, optimizer: torch.optim.Optimizer, **conf: Any) -> None:
        self.schedule = settings(TrainingSchedule, conf)
        super().__init__(optimizer)

    def get_lr(self) -> list[float | torch.Tensor]:
        """Return the rate of each group."""
        return [self.schedule.rate_at(self.last_epoch) for _ in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Return the step, which is all that a checkpoint needs."""
        return {"last_epoch": self.last_epoch}  # the schedule itself is the configuration's


scheduler_classes["a3t"] = ScheduledRate


@dataclass
class StepIterFactory(AbsIterFactory):
    """The batches of each epoch of ``steps`` steps, or this process's part of them."""

    batches: Batches
    steps: int
    workers: int
    part: tuple[int, int]

    def build_iter(self, epoch: int, shuffle: bool | None = None) -> EpochBatches:
        """Return the batches of an epoch."""
        return EpochBatches(self, (epoch - 1) * self.steps if self.batches.train else 0)


@dataclass
class EpochBatches:
    """An epoch as ESPnet's Trainer iterates over it: clips' names (unused) and tensors."""

    factory: StepIterFactory
    first: int

    def __len__(self) -> int:
        """Return the steps of an epoch."""
        return self.factory.steps

    def __iter__(self) -> Iterator[tuple[list[str], dict[str, torch.Tensor]]]:
        """Yield each batch as ESPnet has it."""
        make = partial(self.factory.batches, part=self.factory.part)
        steps = range(self.first, self.first + self.factory.steps)
        for batch in prefetch(make, steps, self.factory.workers):
            values = {field.name: getattr(batch, field.name) for field in fields(batch)}
            yield [], {name: value for name, value in values.items() if value is not None}


class A3TTask(AbsTask):
    """Pretraining of A3T (thesis, section 4.3) by ESPnet."""

    num_optimizers = 1
    trainer = A3TTrainer

    @classmethod
    def add_task_arguments(cls, parser: argparse.ArgumentParser) -> None:
        """Add A3T's options to ESPnet's."""
        group = parser.add_argument_group(description="A3T")
        group.add_argument("--features", type=str, help="the folder that training.extract wrote")
        for part in PARTS:
            group.add_argument(
                f"--{part}_conf",
                action=NestedDictAction,
                default={},
                help=f"the part {part} of a configuration (training.configuration)",
            )
        group.add_argument(
            "--precision",
            choices=PRECISIONS,
            default="auto",
            help="format of matrix products, on a CPU too (unlike --use_amp); auto: the faster",
        )
        parser.set_defaults(
            scheduler="a3t",
            best_model_criterion=[["valid", "loss", "min"]],
            keep_nbest_models=5,
            num_att_plot=0,
            use_matplotlib=False,  # its plots cost a small run more time than training
            use_tensorboard=find_spec("tensorboard") is not None,
        )

    @classmethod
    def check_required_command_args(cls, args: argparse.Namespace) -> None:
        """Check ESPnet's arguments, and that there are features."""
        super().check_required_command_args(args)
        if args.collect_stats:
            raise InputError(
                "There are no statistics to collect, since the feature store provides them: leave "
                "out --collect_stats."
            )
        if not args.features:
            raise InputError("Name the features with --features: what training.extract wrote.")
        if args.use_tensorboard and find_spec("tensorboard") is None:
            raise InputError(
                "TensorBoard is not installed: pip install 'a3t[train]', or leave out"
                " --use_tensorboard true."
            )
        Store(args.features)
        # Trained on speech without text, a network has parameters that get no gradient.
        args.unused_parameters |= args.data_conf.get("speech_only") is not None

    @classmethod
    def build_collate_fn(cls, args: argparse.Namespace, train: bool) -> Callable[..., Any] | None:
        """Return None: batches are made whole."""
        return None

    @classmethod
    def build_preprocess_fn(
        cls, args: argparse.Namespace, train: bool
    ) -> Callable[..., Any] | None:
        """Return None: features are ready."""
        return None

    @classmethod
    def required_data_names(cls, train: bool = True, inference: bool = False) -> tuple[str, ...]:
        """Return none: the data are in a feature store."""
        return ()

    @classmethod
    def optional_data_names(cls, train: bool = True, inference: bool = False) -> tuple[str, ...]:
        """Return none: the data are in a feature store."""
        return ()

    @classmethod
    def build_model(cls, args: argparse.Namespace) -> A3TModel:
        """Build the model with random weights.

        A model from the zoo has no features here; its checkpoint includes the statistics that would
        be taken from them.
        """
        store = Store(args.features) if args.features and Path(args.features).exists() else None
        network = build_objective(config_of(args), store).network
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            synchronise(network)
        low = use_bfloat16(args.precision, "cuda" if args.ngpu else "cpu")
        args.precision = "bfloat16" if low else "float32"  # for config.yaml
        return A3TModel(network, settings(PretrainingLosses, args.loss_conf), low)

    @classmethod
    def build_iter_factory(
        cls,
        args: argparse.Namespace,
        distributed_option: Any,
        mode: str,
        kwargs: dict[str, Any] | None = None,
    ) -> AbsIterFactory:
        """Return the factory of each epoch's batches."""
        train = mode == "train"
        batches = build_batches(config_of(args), Store(args.features), train)
        steps = (args.num_iters_per_epoch if train else None) or batches.steps_a_pass
        part = (0, 1)
        if distributed_option.distributed:
            part = (distributed_option.dist_rank, distributed_option.dist_world_size)
        return StepIterFactory(batches, steps, args.num_workers, part)


def config_of(args: argparse.Namespace) -> dict[str, Any]:
    """Return the configuration (`training.configuration`) in ESPnet's arguments."""
    config = {part: getattr(args, f"{part}_conf") for part in PARTS}
    return config | {"training": {"seed": args.seed}}
