"""Train the built-in vocoder, on a CPU or a GPU.

python -m training.vocoder --data CACHE --out FOLDER --steps N [--config FILE.yaml]
python -m training.vocoder export --out FOLDER --to a3t/pretrained/vocoder-small

``python -m training.vocoder.waveforms`` makes the cache. Training needs no more than torch, NumPy,
PyYAML and tqdm, but for the loss "pitch". A run that was interrupted continues
from its last checkpoint when the command is repeated, and ends where an uninterrupted one would
have.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from a3t.errors import InputError
from a3t.learning.loop import PRECISIONS, Losses, use_bfloat16
from a3t.vocoder.builtin import Spectra, SpectralVocoder
from a3t.vocoder.pulses import Pulses, pulses_of
from training.configuration import read_config, settings
from training.devices import refuse_missing
from training.prefetch import Ahead
from training.programs import Program, option
from training.training_runs import (
    TrainingRun,
    TrainingSchedule,
    carry_out,
    initial_weights,
)
from training.vocoder.vocoder_data import WaveBatch, WindowConfig, Windows
from training.vocoder.vocoder_discriminators import (
    DISCRIMINATORS,
    VOCODER,
    DiscriminatorConfig,
    Discriminators,
    discriminator_losses,
    recognition_loss,
    vocoder_weights,
)
from training.vocoder.vocoder_losses import (
    VocoderLossConfig,
    amplitude_loss,
    harmonics_loss,
    measured_pitch,
    mel_loss,
    multi_resolution_loss,
    pitch_loss,
    true_spectrum,
)
from training.vocoder.waveforms import Waveforms

NEW = ("harmonics.", "refinement.")  # parts that initial weights may lack
# The defaults of a vocoder's schedule.
TRAINING = {"rate": 6e-4, "warmup": 500, "decay": 4000, "betas": [0.8, 0.99], "clip": 5.0}


class VocoderTraining:
    """A configuration's network with its data, and the losses of a step.

    ``model`` is the vocoder or, where there are discriminators, both.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        waveforms: Waveforms,
        bfloat16: bool = False,
        device: str = "cpu",
        workers: int = 0,
    ) -> None:
        self.bfloat16, self.device = bfloat16, device
        self.weights = settings(VocoderLossConfig, config.get("loss"))
        self.schedule = settings(TrainingSchedule, TRAINING | dict(config.get("training") or {}))
        window = settings(WindowConfig, config.get("data"))
        self.windows = Windows(waveforms, window, self.schedule.seed)
        pinned = device.startswith("cuda")
        self._batch = Ahead(self.windows, self.schedule.steps, workers, pinned)
        torch.manual_seed(self.schedule.seed)
        self.vocoder = SpectralVocoder(**(config.get("vocoder") or {})).to(device)
        self.against = settings(DiscriminatorConfig, config.get(DISCRIMINATORS))
        self.refines = self.weights.refines
        if self.refines:
            self.vocoder.requires_grad_(False)
            if self.vocoder.refinement is None:
                raise InputError("Without spectral losses only a refinement learns: set refined.")
            self.vocoder.refinement.requires_grad_(True)
        self.discriminators: Discriminators | None = None
        self.model: nn.Module = self.vocoder
        if self.against.channels:
            self.discriminators = Discriminators(
                self.against.channels, self.against.period_channels
            ).to(device)
            self.model = nn.ModuleDict({VOCODER: self.vocoder, DISCRIMINATORS: self.discriminators})

    def fit_normalisation(self, batches: int = 40) -> None:
        """Set each mel bin's mean and deviation from batches that training never draws."""
        mels = torch.cat([self.windows(2**31 + n).mel.flatten(0, 1) for n in range(batches)])
        self.vocoder.mean.copy_(mels.mean(0))
        self.vocoder.std.copy_(mels.std(0).clamp(min=1e-3))

    def begin_with(self, weights: Mapping[str, Tensor]) -> None:
        """Take over weights; combs of harmonics and the refinement may be new, and nothing else."""
        missing, unexpected = self.vocoder.load_state_dict(weights, strict=False)
        strange = unexpected + [name for name in missing if not name.startswith(NEW)]
        if strange:
            raise InputError(f"These weights are not this vocoder's: {', '.join(strange[:3])}.")

    def losses(self, step: int) -> Losses:
        """Return the losses of a step."""
        return self.losses_of(self._batch(step), step)

    def losses_of(self, batch: WaveBatch, step: int) -> Losses:
        """Return all losses by name, and their weighted sum, "total".

        Or those of discriminators alone.
        """
        batch, own = batch.to(self.device), slice(batch.recorded)
        mel, samples, top = batch.mel, batch.samples, batch.top
        if self.discriminators is not None and step < self.against.alone:
            return self._recognition(mel, samples, top, step)
        draw = torch.Generator().manual_seed(self.schedule.seed * 1_000_003 + step)
        turns = int(torch.randint(self.weights.unrolled + 1, (), generator=draw))
        with (
            torch.set_grad_enabled(not self.refines),
            torch.autocast(mel.device.type, torch.bfloat16, self.bfloat16),
        ):
            said = self.vocoder.spectra(mel)
        said = self.vocoder.voiced(said, self._pulses(samples, step))
        found: dict[str, Tensor] = {}
        if not self.refines:
            found = self._spectral_losses(said, batch, own, turns)
        total = mel.new_zeros(())
        for name, value in found.items():
            total = total + getattr(self.weights, name) * value
        if self.discriminators is None:
            return {**found, "total": total}
        noise = torch.randn(samples.shape, generator=draw).to(mel.device)
        heard = self.vocoder.textured_sound(said, mel, noise)
        with torch.autocast(mel.device.type, torch.bfloat16, self.bfloat16):
            both = discriminator_losses(self.discriminators, heard, samples, top)
        # A filled mel may be wrong where the discriminators hear it.
        both["heard"] = mel_loss(heard[own], mel[own])
        rise = min(1.0, (step - self.against.alone) / max(1, self.against.warmup))
        against = rise * (
            self.against.adversarial * both["adversarial"]
            + self.against.matching * both["matching"]
        )
        level = self.weights.heard * both["heard"]
        return {**found, **both, "total": total + against + level + both["discriminator"]}

    def _spectral_losses(self, said: Spectra, batch: WaveBatch, own: slice, turns: int) -> Losses:
        """Return the losses of what the network says and of its sound after some iterations."""
        # Only what was recorded has a truth to compare with, sample by sample. Fourier transforms
        # stay in float32: bfloat16 has too few digits for a sum of 1200.
        mel, samples, known = batch.mel[own], batch.samples[own], batch.top[own]
        magnitude = said.magnitude[own]
        made = self.vocoder.sound(magnitude, said.phase[own], mel, turns)
        found: Losses = {
            "spectral": multi_resolution_loss(made, samples, known),
            "mel": mel_loss(made, mel),
            "amplitude": amplitude_loss(magnitude, true_spectrum(samples), known),
        }
        if self.weights.harmonics:
            found["harmonics"] = harmonics_loss(made, samples)
        if self.weights.pitch and said.pitch is not None:
            found["pitch"] = pitch_loss(said.pitch[own], samples)
        return found

    def _recognition(self, mel: Tensor, samples: Tensor, top: Tensor, step: int) -> Losses:
        """Return the losses of a step in which the vocoder waits."""
        assert self.discriminators is not None
        draw = torch.Generator().manual_seed(self.schedule.seed * 1_000_003 + step)
        with torch.no_grad():
            noise = torch.randn(samples.shape, generator=draw).to(mel.device)
            made = self.vocoder(mel, noise, pulses=self._pulses(samples, step))
        with torch.autocast(mel.device.type, torch.bfloat16, self.bfloat16):
            both = self.discriminators(samples, top), self.discriminators(made, top)
        own = recognition_loss(*both)
        return {"discriminator": own, "total": own}

    def _pulses(self, samples: Tensor, step: int) -> Pulses | None:
        """Return the recorded voice's pulses in every other step, else None: the network's."""
        if not self.vocoder.pulse_phases or step % 2:
            return None
        return pulses_of(measured_pitch(samples))

    def validate(self) -> dict[str, float]:
        """Return nothing: what is exported is measured."""
        return {}

    @property
    def rates(self) -> dict[str, float]:
        """The relative learning rates of parts of `model`."""
        return {DISCRIMINATORS: self.against.rate} if self.discriminators is not None else {}


def train(options: argparse.Namespace) -> None:
    """Train, or resume training; InputError if it stops before its last step."""
    refuse_missing(options.device)
    torch.set_num_threads(options.threads)
    torch.backends.cudnn.benchmark = True  # all windows have one shape
    config = read_config(options.config) if options.config else {}
    config["training"] = {**(config.get("training") or {}), "steps": options.steps}
    low = use_bfloat16(options.precision, options.device)
    waveforms = Waveforms(options.data, "train")
    work = VocoderTraining(config, waveforms, low, options.device, options.workers)

    def begin(trained: TrainingRun) -> None:
        if options.start:
            work.begin_with(vocoder_weights(initial_weights(options.start)))
        else:
            work.fit_normalisation()
        trained.follow_from(work.model.state_dict())

    carry_out(work, options.out, config, begin=begin, minutes=options.minutes, rates=work.rates)


main = Program(
    train,
    option("--data", type=Path, required=True, help="folder of prepared waveforms"),
    option("--out", type=Path, required=True, help="folder for checkpoint and log"),
    option("--steps", type=int, required=True),
    option("--config", type=Path, help="YAML: vocoder, data, loss, training …"),
    option("--start", metavar="NAME_OR_PATH", help="initial weights: a checkpoint.pt, or a model"),
    option("--threads", type=int, default=1),
    option("--precision", choices=PRECISIONS, default="float32"),
    option("--device", default="cpu"),
    option("--workers", type=int, default=0, help="processes that prepare batches"),
    option("--minutes", type=float, default=math.inf, help="stop after so many minutes"),
    name="training.vocoder",
)
