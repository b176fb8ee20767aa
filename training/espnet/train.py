"""Pretrain A3T by ESPnet.

python -m training.espnet.train --config a3t/model/conf/small.yaml --features F --output_dir E

The configuration is the plain loop's (`training.configuration`); a second ``--config`` changes
the first. All options of an ESPnet task can be given on the command line, or in the configuration's
part ``espnet``. ``--init MODEL`` starts from the weights of a packed model.
"""

from __future__ import annotations

import argparse
import errno
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
import yaml

from a3t.audio.output.files import atomic_path
from a3t.console import run
from a3t.errors import InputError
from training.configuration import read_config, settings
from training.devices import refuse_missing
from training.features.store import Store
from training.pretraining_objective import NETWORK, network_weights
from training.training_runs import TrainingSchedule, initial_weights, keep_split


def espnet_options(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration as ESPnet's options."""
    schedule = settings(TrainingSchedule, config.get("training"))
    return {
        **{f"{part}_conf": config.get(part) or {} for part in ("model", "masking", "data", "loss")},
        "optim": "adamw",
        "optim_conf": {
            "lr": schedule.rate,
            "betas": list(schedule.betas),
            "weight_decay": schedule.weight_decay,
            "fused": True,
        },
        "scheduler": "a3t",
        "scheduler_conf": asdict(schedule) | {"betas": list(schedule.betas)},
        "grad_clip": schedule.clip,
        "num_iters_per_epoch": schedule.epoch,
        "max_epoch": -(-schedule.steps // schedule.epoch),
        "seed": schedule.seed,
        "precision": config.get("precision", "auto"),
        **(config.get("espnet") or {}),
    }


def resolve(arguments: Sequence[str]) -> list[str]:
    """Return the command line for ESPnet; write the configuration it names to ``--output_dir``."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--config", type=Path, action="append", default=[])
    parser.add_argument("--output_dir", type=Path)
    parser.add_argument("--init")
    parser.add_argument("--features", type=Path)
    parser.add_argument("--ngpu", type=int, default=0)
    known, rest = parser.parse_known_args(arguments)
    if not known.config or known.output_dir is None:
        return list(arguments)
    if known.ngpu:
        refuse_missing("cuda", known.ngpu)
    out = known.output_dir
    out.mkdir(parents=True, exist_ok=True)
    if known.features:
        keep_split(Store(known.features).split_list, out)
        rest += ["--features", str(known.features)]
    options = espnet_options(read_config(*known.config))
    written = out / "config.yaml"
    if written.exists():  # a resumed run keeps its precision
        options["precision"] = read_config(written).get("precision", "auto")
    given = out / "given.yaml"
    # Atomically, since the processes of one training may write it at the same time.
    with atomic_path(given) as temporary:
        temporary.write_text(yaml.safe_dump(options, sort_keys=False), encoding="utf-8")
    result = ["--config", str(given), "--output_dir", str(out), "--ngpu", str(known.ngpu), *rest]
    if known.ngpu > 1 and "--multiprocessing_distributed" not in rest:
        result += ["--multiprocessing_distributed", "true"]  # a process a GPU
    if known.init:
        with atomic_path(out / "initial.pth") as temporary:
            weights = network_weights(initial_weights(known.init))
            torch.save({NETWORK + name: value for name, value in weights.items()}, temporary)
        result += ["--init_param", str(out / "initial.pth")]
    return result


def _train(arguments: Sequence[str]) -> None:
    try:
        from training.espnet.task import A3TTask
    except ImportError as error:
        raise InputError(
            f"ESPnet is not installed ({error}): set it up as recipes/README.md says."
        ) from None
    try:
        A3TTask.main(cmd=resolve(arguments))
    except (OSError, RuntimeError) as error:
        # torch wraps the system's error and keeps no number.
        full = getattr(error, "errno", None) == errno.ENOSPC or "PytorchStreamWriter" in str(error)
        if not full:
            raise
        raise InputError(
            "A checkpoint can't be written because the disk is full. Free some space and run the "
            "command again: it resumes from the last complete checkpoint."
        ) from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line: returns 0 when done, 1 if the input can't be used."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return run(lambda: _train(given))


if __name__ == "__main__":
    sys.exit(main())
