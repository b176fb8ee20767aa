"""Pretrain A3T on packed features, on a CPU or a GPU.

python -m a3t.training.pretrain --config a3t/model/conf/small.yaml --features F --out FOLDER

Stopped and started again with the same arguments, a run goes on from its last checkpoint;
``a3t.training.export`` makes of it a model to ship.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from torch import Tensor

from a3t.model.a3t import A3T, reconstruction_loss
from a3t.model.energy import energy_loss
from a3t.model.masking import MaskingConfig
from a3t.model.pitch import decided, pitch_loss
from a3t.pretrained import load_checkpoint
from a3t.training.augment import Augment
from a3t.training.critic import Critic, criticised
from a3t.training.data import Crops
from a3t.training.features import Features
from a3t.training.loop import Losses, Run, Schedule, stop_signals
from a3t.training.prefetch import Prefetch


def cepstral_distance(one: Tensor, other: Tensor) -> Tensor:
    """Distance in dB of log10 mels (n, 80), per frame (n,): mel-cepstral distortion without WORLD.

    Cepstra are cosine coefficients 1 to 24 of the natural-log mel, c_k = 2/80 Σ log|X| cos(kω),
    and the distance is 10 / ln 10 √(2 Σ d²).
    """
    bins = one.shape[-1]
    order = torch.arange(1, 25, device=one.device)[:, None]
    angle = math.pi / bins * (torch.arange(bins, device=one.device)[None] + 0.5)
    basis = torch.cos(order * angle) * (2.0 / bins)  # (24, 80)
    difference = (one - other) * math.log(10.0) @ basis.T
    return 10.0 / math.log(10.0) * (2.0 * difference.square().sum(-1)).sqrt()


class Pretraining:
    """A configuration's network with its data: the losses of a step, and validation."""

    def __init__(
        self,
        config: dict[str, Any],
        features: Features,
        bf16: bool = False,
        device: str = "cpu",
        workers: int = 0,
    ) -> None:
        self.config, self.bf16, self.device = config, bf16, device
        data = dict(config.get("data", {}))
        augment = data.pop("augment", None)
        rows = config["model"].get("alignment_rows", 500)
        pitch = bool(config["model"].get("pitch", False))
        masking = MaskingConfig(**config.get("masking", {})).build()
        self.train = Crops(
            features,
            "train",
            masking,
            augment=Augment(**augment) if augment is not None else None,
            alignment_rows=rows,
            pitch=pitch,
            **data,
        )
        # The same crops and masks each time: losses of two moments or two models compare.
        dev = Crops(
            features, "dev", masking, frames=(240, 240), batch_frames=4800, jitter=0, pitch=pitch
        )
        self.dev = [dev.batch(seed=12345, step=k).to(device) for k in range(3)]
        self.schedule = Schedule(**config.get("training", {}))
        self.batches = Prefetch(self.train.batch, self.schedule.seed, workers)
        torch.manual_seed(self.schedule.seed)
        self.model = A3T.from_config(config)
        if self.model.normalise:
            mel = np.concatenate(
                [self.train.batch(2**31, k).mel.flatten(0, 1).numpy() for k in range(30)]
            )
            mel = mel[mel.any(axis=1)]  # without the padding
            self.model.mel_mean.copy_(torch.from_numpy(mel.mean(0)))
            self.model.mel_scale.copy_(torch.from_numpy(mel.std(0)).clamp(min=1e-3))
        self.loss = {"power": 1, "pitch": 0.1, "energy": 0.5, "adversarial": 0.0, "matching": 2.0}
        self.loss |= config.get("loss", {})
        self.critic = Critic() if self.loss["adversarial"] > 0 else None
        if self.critic is not None:
            # A part of the network while it is trained, so that one optimiser and one checkpoint
            # hold both; what is exported is without it.
            self.model.add_module("critic", self.critic)
        self.model.to(device)

    def losses(self, step: int) -> Losses:
        """Equation 4.1 on the batch of a step, and a critic's verdict where there is one."""
        batch = self.batches(step).to(self.device)
        kind = torch.device(self.device).type
        with torch.autocast(kind, dtype=torch.bfloat16, enabled=self.bf16):
            filled = self.model(batch)
        scale = self.model.mel_scale if self.model.normalise else 1.0
        mel = reconstruction_loss(
            filled.before, filled.after, batch, scale, int(self.loss["power"])
        )
        found = {"total": mel, "mel": mel}
        if filled.pitch is not None:
            found["pitch"] = pitch_loss(filled.pitch, batch)
            found["total"] = found["total"] + self.loss["pitch"] * found["pitch"]
        if filled.energy is not None:
            found["energy"] = energy_loss(filled.energy, batch)
            found["total"] = found["total"] + self.loss["energy"] * found["energy"]
        if self.critic is not None:
            with torch.autocast(kind, dtype=torch.bfloat16, enabled=self.bf16):
                losses = criticised(self.critic, self.model, filled.after, batch)
            weights = self.loss["adversarial"], self.loss["matching"]
            found["total"] = found["total"] + losses.total(*weights)
            found |= losses._asdict()
        return found

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Mean L1 in log10 units and cepstral distance in dB of the masked frames.

        A model that says the pitch is told no pitch here, as in use, and its error in octaves on
        masked frames and the share of them whose voice it misjudges are given as well.
        """
        absolute, distance = [], []
        octaves, voice = [], []
        for batch in self.dev:
            filled = self.model(replace(batch, pitch=None))
            after = filled.after
            time = torch.arange(batch.mel.shape[1], device=batch.mel.device)
            counted = batch.masked & (time < batch.frames[:, None])
            absolute.append((after[counted] - batch.mel[counted]).abs().mean(-1))
            distance.append(cepstral_distance(after[counted], batch.mel[counted]))
            if filled.pitch is not None and batch.pitch is not None:
                said, true = decided(filled.pitch)[counted], batch.pitch[counted]
                both = (said > 0) & (true > 0)
                octaves.append((said - true)[both].abs())
                voice.append(((said > 0) != (true > 0)).float())
        found = {"l1": absolute, "dB": distance, "octaves": octaves, "voice": voice}
        return {name: float(torch.cat(parts).mean()) for name, parts in found.items() if parts}


def initial_weights(name_or_path: str) -> Mapping[str, Tensor]:
    """The averaged weights of a training's checkpoint, or those of a model that ships."""
    if Path(name_or_path).is_file():
        state = torch.load(name_or_path, map_location="cpu", weights_only=True)
        return dict(state["average"])
    _, tensors, _ = load_checkpoint(name_or_path)
    return {name: value.float() for name, value in tensors.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, help="instead of the configuration's")
    parser.add_argument(
        "--init", metavar="NAME_OR_PATH", help="weights to start from: a checkpoint.pt, or a model"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--bf16", action="store_true", help="matrix products in bfloat16")
    parser.add_argument("--workers", type=int, default=0, help="processes that make batches ahead")
    parser.add_argument(
        "--critic", action="store_true", help="go on from --init against a critic of what is filled"
    )
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after these")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)

    config = yaml.safe_load(arguments.config.read_text())
    if arguments.steps:
        config.setdefault("training", {})["steps"] = arguments.steps
    if arguments.critic:
        config["loss"] = {"adversarial": 0.2, "matching": 2.0} | config.get("loss", {})
    features = Features.load(arguments.features)
    work = Pretraining(config, features, arguments.bf16, arguments.device, arguments.workers)
    run = Run(work.model, work.schedule, arguments.out)
    if not run.resume() and arguments.init:
        weights = initial_weights(arguments.init)
        # A part that the other run had not, or had in another shape, stays as it was made.
        own = {name: value.shape for name, value in run.average.items()}
        known = {name: value for name, value in weights.items() if own.get(name) == value.shape}
        fitting = work.model.state_dict() | known
        work.model.load_state_dict(fitting)
        run.follow_from(fitting)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    print(json.dumps({"step": run.step, "parameters": count(work.model)}), flush=True)
    minutes, stopping = arguments.minutes, stop_signals()
    run.train(work.losses, work.validate, minutes=minutes, stopping=stopping)


def count(model: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


if __name__ == "__main__":
    main()
