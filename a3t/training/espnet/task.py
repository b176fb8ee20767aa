"""A3T as an ESPnet task: its arguments, its data, its network.

``python -m a3t.training.espnet.train`` runs it, with every option that ESPnet's tasks have.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed

from a3t.training.espnet import torchaudio_stand_in

torchaudio_stand_in.install()  # before anything of espnet2.tasks

# ruff: noqa: E402
from espnet2.iterators.abs_iter_factory import AbsIterFactory
from espnet2.tasks.abs_task import AbsTask
from espnet2.utils.get_default_kwargs import get_default_kwargs
from espnet2.utils.nested_dict_action import NestedDictAction
from espnet2.utils.types import str2bool

from a3t.audio.mel import MELS
from a3t.errors import InputError
from a3t.model.a3t import A3T
from a3t.model.masking import MaskingConfig
from a3t.training.critic import Critic
from a3t.training.espnet.batch_norm import synchronise
from a3t.training.espnet.crops import CropIterFactory
from a3t.training.espnet.model import A3TModel
from a3t.training.espnet.preprocess import DataConfig, Preprocess, collate
from a3t.training.espnet.trainer import A3TTrainer, EpochIterFactory


class A3TTask(AbsTask):
    """Pretraining of A3T (thesis, section 4.3) by ESPnet."""

    num_optimizers = 1
    trainer = A3TTrainer

    @classmethod
    def add_task_arguments(cls, parser: argparse.ArgumentParser) -> None:
        group = parser.add_argument_group(description="A3T")
        group.add_argument(
            "--model_conf",
            action=NestedDictAction,
            default=get_default_kwargs(A3T),
            help="arguments of a3t.model.a3t.A3T",
        )
        group.add_argument(
            "--masking_conf",
            action=NestedDictAction,
            default={"scheme": "thesis", "arguments": {}},
            help="a scheme of a3t.model.masking and its arguments",
        )
        group.add_argument(
            "--data_conf",
            action=NestedDictAction,
            default={},
            help="arguments of a3t.training.espnet.preprocess.DataConfig",
        )
        group.add_argument("--loss_power", type=int, default=1, choices=[1, 2], help="1: L1, 2: L2")
        group.add_argument(
            "--pitch_weight", type=float, default=0.1, help="of the pitch's loss, if there is one"
        )
        group.add_argument(
            "--adversarial_weight",
            type=float,
            default=0.0,
            help="of the verdicts of a critic (a3t.training.critic); above 0 there is one",
        )
        group.add_argument(
            "--matching_weight", type=float, default=1.0, help="of the critic's matched features"
        )
        group.add_argument(
            "--bf16",
            type=str2bool,
            default=False,
            help="matrix products in bfloat16, on a CPU too, where --use_amp does nothing",
        )
        group.add_argument(
            "--mel_stats",
            type=str,
            default=None,
            help="mel_stats.npz of --collect_stats, for a network that standardises its mel",
        )
        parser.set_defaults(
            # The thesis (section 4.4.2): Adam, Noam, clipping, batches by mel elements.
            optim="adam",
            scheduler="noamlr",
            grad_clip=1.0,
            batch_type="numel",
            best_model_criterion=[["valid", "loss", "min"]],
            keep_nbest_models=5,
            num_att_plot=0,
            use_matplotlib=False,  # its pictures cost a small run more than the training
            use_tensorboard=find_spec("tensorboard") is not None,
        )

    @classmethod
    def check_required_command_args(cls, args: argparse.Namespace) -> None:
        super().check_required_command_args(args)
        wanted = args.model_conf.get("normalise") and not args.collect_stats
        if wanted and not (args.mel_stats and Path(args.mel_stats).is_file()):
            raise InputError(
                "This network standardises its mel: run --collect_stats first and give "
                f"--mel_stats its train/mel_stats.npz (given: {args.mel_stats})."
            )

    @classmethod
    def build_collate_fn(cls, args: argparse.Namespace, train: bool) -> Callable[..., Any]:
        return collate

    @classmethod
    def build_preprocess_fn(cls, args: argparse.Namespace, train: bool) -> Preprocess:
        settings = dict(args.data_conf)
        if settings.get("crop"):
            settings["crop"] = tuple(settings["crop"])
        return Preprocess(
            train,
            MaskingConfig(**args.masking_conf),
            DataConfig(**settings),
            rows=args.model_conf.get("alignment_rows", 500),
            seed=args.seed,
        )

    @classmethod
    def required_data_names(cls, train: bool = True, inference: bool = False) -> tuple[str, ...]:
        return ("mel", "phones", "durations", "words")

    @classmethod
    def optional_data_names(cls, train: bool = True, inference: bool = False) -> tuple[str, ...]:
        return ("pitch",)

    @classmethod
    def build_model(cls, args: argparse.Namespace) -> A3TModel:
        network = A3T(**args.model_conf)
        if network.normalise and args.mel_stats and Path(args.mel_stats).is_file():
            fill_statistics(network, Path(args.mel_stats))
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            synchronise(network)
        return A3TModel(
            network,
            args.loss_power,
            args.pitch_weight,
            args.bf16,
            Critic() if args.adversarial_weight > 0 else None,
            args.adversarial_weight,
            args.matching_weight,
        )

    @classmethod
    def build_sequence_iter_factory(
        cls, args: argparse.Namespace, iter_options: Any, mode: str
    ) -> AbsIterFactory:
        preprocess = iter_options.preprocess_fn
        if not (iter_options.train and preprocess.data.crop):
            factory = super().build_sequence_iter_factory(args, iter_options, mode)
            return EpochIterFactory(factory, preprocess)
        stored = cls.build_dataset(args, replace(iter_options, preprocess_fn=None), None)
        durations = stored.loader_dict["durations"]
        frames = np.array([np.sum(durations[name]) for name in durations])
        part = (0, 1)
        if iter_options.distributed:
            part = (torch.distributed.get_rank(), torch.distributed.get_world_size())
        steps = iter_options.num_iters_per_epoch or int(frames.sum() * MELS // args.batch_bins)
        return CropIterFactory(
            stored,
            preprocess,
            names=list(durations),
            frames=frames,
            bins=args.batch_bins,
            steps=max(1, steps),
            workers=args.num_workers,
            pin_memory=args.ngpu > 0,
            part=part,
        )


def fill_statistics(network: A3T, path: Path) -> None:
    """Set the network's mean and scale of each mel bin from ESPnet's collected sums."""
    with np.load(path) as sums:
        mean = sums["sum"] / sums["count"]
        variance = sums["sum_square"] / sums["count"] - mean**2
    network.mel_mean.copy_(torch.from_numpy(mean))
    network.mel_scale.copy_(torch.from_numpy(np.sqrt(np.maximum(variance, 1e-6))))
