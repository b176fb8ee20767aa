"""Train the built-in vocoder: plain, resumable, on a CPU or a GPU.

python -m a3t.training.vocoder --data CACHE --out FOLDER --steps N [--config FILE.yaml]
python -m a3t.training.vocoder export --out FOLDER --to a3t/pretrained/vocoder-small

The cache is made by ``python -m a3t.training.waveforms``. Stopped and started again with the same
arguments, a run goes on from its last checkpoint and ends where an uninterrupted one would.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import torch
import yaml
from torch import Tensor

from a3t.training.loop import stop_signals
from a3t.training.vocoder_data import Batch, Windows
from a3t.training.vocoder_losses import (
    amplitude_loss,
    mel_loss,
    multi_mel_loss,
    multi_resolution_loss,
    phase_loss,
    true_spectrum,
)
from a3t.training.waveforms import Waveforms
from a3t.vocoder.spectral import SpectralVocoder

CHECKPOINT = "checkpoint.pt"


@dataclass(frozen=True)
class Schedule:
    """How to train. The rate warms up, stays, and falls to nothing over the last ``decay``."""

    rate: float = 6e-4
    warmup: int = 500
    decay: int = 4000
    frames: int = 64
    batch: int = 12
    ema: float = 0.999
    clip: float = 5.0
    seed: int = 0
    spectral: float = 1.0
    mel: float = 3.0
    amplitude: float = 0.5
    multi_mel: float = 0.0
    phase: float = 0.0
    # Griffin-Lim steps that the spectral losses hear: drawn anew from 0..unrolled at each step.
    unrolled: int = 2

    def rate_at(self, step: int, steps: int) -> float:
        rising = min(1.0, (step + 1) / self.warmup)
        falling = min(1.0, (steps - step) / max(1, self.decay))
        return self.rate * min(rising, falling)


class Trainer:
    """The network, its average, its optimiser, and one step of each."""

    def __init__(
        self, model: SpectralVocoder, windows: Windows, schedule: Schedule, bf16: bool = False
    ) -> None:
        self.model = model
        self.windows = windows
        self.schedule = schedule
        self.bf16 = bf16
        self.step = 0
        self.optimiser = torch.optim.AdamW(
            model.parameters(), lr=schedule.rate, betas=(0.8, 0.99), weight_decay=0.01
        )
        self.average = {name: value.clone() for name, value in model.state_dict().items()}

    def fit_normalisation(self, batches: int = 40) -> None:
        """Set the mel's mean and deviation per bin from batches that training never draws."""
        mels = torch.cat([self.windows(2**31 + n).mel.flatten(0, 1) for n in range(batches)])
        self.model.mean.copy_(mels.mean(0))
        self.model.std.copy_(mels.std(0).clamp(min=1e-3))
        self.average = {name: value.clone() for name, value in self.model.state_dict().items()}

    def losses(self, batch: Batch, step: int) -> dict[str, Tensor]:
        """Each loss by name, and their weighed sum as "total"."""
        plan = self.schedule
        device = next(self.model.parameters()).device
        mel, samples, top = (x.to(device) for x in (batch.mel, batch.samples, batch.top))
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=self.bf16):
            magnitude, phase = self.model.spectra(mel)
        # Fourier transforms stay in float32: bfloat16 has too few digits for a sum of 1200.
        draw = torch.Generator().manual_seed(plan.seed * 1_000_003 + step)
        turns = int(torch.randint(plan.unrolled + 1, (), generator=draw))
        made = self.model.sound(magnitude, phase, mel, turns)
        true = true_spectrum(samples)
        found = {
            "spectral": multi_resolution_loss(made, samples, top),
            "mel": mel_loss(made, mel),
            "amplitude": amplitude_loss(magnitude, true, top),
        }
        if plan.multi_mel:
            found["multi_mel"] = multi_mel_loss(made, samples, top)
        if plan.phase:
            found["phase"] = phase_loss(phase, true, top)
        weighed = [getattr(plan, name) * value for name, value in found.items()]
        return {**found, "total": torch.stack(weighed).sum()}

    def train_step(self, steps: int) -> dict[str, float]:
        plan = self.schedule
        for group in self.optimiser.param_groups:
            group["lr"] = plan.rate_at(self.step, steps)
        found = self.losses(self.windows(self.step), self.step)
        self.optimiser.zero_grad(set_to_none=True)
        found["total"].backward()
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), plan.clip)
        if not torch.isfinite(norm):
            raise FloatingPointError(f"the gradient is not finite at step {self.step}")
        self.optimiser.step()
        self.step += 1
        self._update_average()
        found["norm"] = norm
        return {name: float(value.detach()) for name, value in found.items()}

    @torch.no_grad()
    def _update_average(self) -> None:
        # Early on the average would remember the random start: let it follow sooner.
        keep = min(self.schedule.ema, (1 + self.step) / (10 + self.step))
        for name, value in self.model.state_dict().items():
            self.average[name].lerp_(value, 1 - keep)

    def save(self, folder: Path) -> None:
        """Write the checkpoint at once or not at all."""
        state = {
            "step": self.step,
            "schedule": asdict(self.schedule),
            "model": self.model.state_dict(),
            "average": self.average,
            "optimiser": self.optimiser.state_dict(),
        }
        folder.mkdir(parents=True, exist_ok=True)
        temporary = folder / (CHECKPOINT + ".tmp")
        torch.save(state, temporary)
        os.replace(temporary, folder / CHECKPOINT)

    def start_from(self, path: Path) -> None:
        """Take the averaged weights of another run, and nothing else."""
        state = torch.load(path, map_location="cpu", weights_only=True)
        self.model.load_state_dict(state["average"])
        self.average = state["average"]

    def load(self, path: Path) -> None:
        state = torch.load(path, map_location="cpu", weights_only=True)
        self.step = int(state["step"])
        self.model.load_state_dict(state["model"])
        self.average = state["average"]
        self.optimiser.load_state_dict(state["optimiser"])


def run(
    trainer: Trainer,
    folder: Path,
    steps: int,
    save_every: float,
    log_every: int = 50,
    stopping: threading.Event | None = None,
    minutes: float = float("inf"),
) -> None:
    """Train to ``steps``, logging every ``log_every`` steps, saving every ``save_every`` s.

    When ``stopping`` is set or ``minutes`` are over, the step at hand is finished and saved.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stopping = stopping or threading.Event()
    sums: dict[str, float] = {}
    start = begun = saved = time.monotonic()
    with open(folder / "log.jsonl", "a", encoding="utf-8") as log:
        while trainer.step < steps and not stopping.is_set():
            if time.monotonic() > start + 60 * minutes:
                break
            for name, value in trainer.train_step(steps).items():
                sums[name] = sums.get(name, 0.0) + value
            if trainer.step % log_every == 0:
                now = time.monotonic()
                line: dict[str, Any] = {"step": trainer.step}
                line |= {name: round(value / log_every, 4) for name, value in sums.items()}
                line["step_seconds"] = round((now - begun) / log_every, 4)
                line["clock"] = round(time.time())
                log.write(json.dumps(line) + "\n")
                log.flush()
                print(line, flush=True)
                sums, begun = {}, now
            if time.monotonic() - saved > save_every:
                trainer.save(folder)
                saved = time.monotonic()
    trainer.save(folder)


def build(config: dict[str, Any]) -> tuple[SpectralVocoder, Schedule]:
    """The network and the schedule of a configuration with keys "vocoder" and "training"."""
    schedule = dict(config.get("training") or {})
    unknown = set(schedule) - {field.name for field in fields(Schedule)}
    if unknown:
        raise ValueError(f"unknown training settings: {', '.join(sorted(unknown))}")
    plan = Schedule(**schedule)
    torch.manual_seed(plan.seed)
    return SpectralVocoder(**(config.get("vocoder") or {})), plan


def main(arguments: list[str] | None = None) -> None:
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["export"]:
        from a3t.training.vocoder_export import main as export

        export(arguments[1:])
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of prepared waveforms")
    parser.add_argument("--out", type=Path, required=True, help="folder for checkpoint and log")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--config", type=Path, help="YAML with keys vocoder and training")
    parser.add_argument("--start", type=Path, help="checkpoint whose weights a new run begins with")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--bf16", action="store_true", help="matrix products in bfloat16")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--save-every", type=float, default=180.0, help="seconds")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after these")
    options = parser.parse_args(arguments)

    torch.set_num_threads(options.threads)
    config = yaml.safe_load(options.config.read_text()) if options.config else {}
    model, plan = build(config or {})
    windows = Windows(
        Waveforms(options.data, "train"), frames=plan.frames, batch=plan.batch, seed=plan.seed
    )
    trainer = Trainer(model.to(options.device), windows, plan, options.bf16)
    if (options.out / CHECKPOINT).is_file():
        trainer.load(options.out / CHECKPOINT)
    elif options.start:
        trainer.start_from(options.start)
    else:
        trainer.fit_normalisation()
    run(
        trainer,
        options.out,
        options.steps,
        options.save_every,
        stopping=stop_signals(),
        minutes=options.minutes,
    )
    if trainer.step < options.steps:
        sys.exit(f"Stopped at step {trainer.step} of {options.steps}: the same command goes on.")


if __name__ == "__main__":
    main()
