"""A3T's training objective, and the loop in which a network learns, a voice's or a whole one.

The objective is equation 4.1 of the thesis and the losses added to it; ESPnet's Trainer uses it as
well as the loop here (`training.training_runs`), which is plain and resumable: all random numbers
depend on the seed and the step, so an interrupted run continues exactly as if it had not been
interrupted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from a3t.model.a3t import A3T, Filled
from a3t.model.conformer import Batch
from a3t.model.speaker_encoder import SpeakerEncoder, load_speaker_encoder
from a3t.model.variance.adaptors import Total, energy_loss, pitch_loss

ENOUGH = 20  # masked frames, a quarter of a second: shorter stretches have no voice to speak of
PRECISIONS = ("auto", "float32", "bfloat16")
GAIN = 1.15  # for less, the rounding isn't worth it
ROWS, WIDTH = 1024, 256
CHECKPOINT = "checkpoint.pt"


@dataclass(frozen=True)
class LossConfig:
    """The losses and their weights.

    Parameters
    ----------
    power : int
        1 for L1, 2 for L2.
    pitch, energy : float
        Weights of these losses, if the network predicts pitch or energy.
    speaker, speaker_matching : float
        Weights of the two losses of `speaker_loss`; above 0 what is filled is heard by ``encoder``.
    encoder : str
        The speaker encoder, a shipped one or a folder.
    """

    power: int = 1
    pitch: float = 0.1
    energy: float = 0.5
    speaker: float = 0.0
    speaker_matching: float = 0.0
    encoder: str = "speakers"


class Objective(nn.Module):
    """A network and its losses on a batch."""

    def __init__(self, network: A3T, config: LossConfig) -> None:
        super().__init__()
        self.network, self.config = network, config
        hears = config.speaker > 0 or config.speaker_matching > 0
        self.speaker = load_speaker_encoder(config.encoder) if hears else None

    def forward(
        self, batch: Batch, bfloat16: bool = False, total: Total = lambda count: count
    ) -> dict[str, Tensor]:
        """Return all losses by name, and their weighted sum, "total".

        In validation the network predicts pitch and energy itself, as when it edits. For
        ``total`` see `a3t.model.variance.adaptors.pitch_loss`.
        """
        config, kind = self.config, batch.mel.device.type
        with torch.autocast(kind, torch.bfloat16, bfloat16 and self.training):
            filled = self.network(batch if self.training else replace(batch, pitch=None))
        scale = self.network.mel_scale if self.network.normalise else 1.0
        mel = reconstruction_loss(filled.before, filled.after, batch, scale, config.power)
        found = {"total": mel, "mel": mel}
        if filled.pitch is not None and batch.pitch is not None:
            found["pitch"] = pitch_loss(filled.pitch, batch, total)
            found["total"] = found["total"] + config.pitch * found["pitch"]
        if filled.energy is not None:
            found["energy"] = energy_loss(filled.energy, batch)
            found["total"] = found["total"] + config.energy * found["energy"]
        more = self.more_losses(filled, batch, bfloat16, total)
        found["total"] = found["total"] + more.pop("total", 0.0)
        found |= more
        if self.speaker is not None:
            found["speaker"], matching = speaker_loss(self.speaker, filled.after, batch, total)
            mine = config.speaker * found["speaker"] + config.speaker_matching * matching
            found["total"] = found["total"] + mine
        if not self.training:  # whatever the losses, this can be compared
            found["l1"] = (filled.mel - batch.mel)[batch.masked].abs().mean()
        return found

    def more_losses(
        self, filled: Filled, batch: Batch, bfloat16: bool, total: Total
    ) -> dict[str, Tensor]:
        """Return a subclass's losses and figures, with their weighted sum, "total".

        There are none here.
        """
        return {}


def reconstruction_loss(
    before: Tensor, after: Tensor, batch: Batch, scale: Tensor | float = 1.0, power: int = 1
) -> Tensor:
    """Average L1 (or L2) of both outputs over the masked frames (equation 4.1).

    ``scale`` (80,) divides the mel first, where the network standardises it.
    """
    time = torch.arange(batch.mel.shape[1], device=batch.mel.device)
    counted = batch.masked & (time < batch.frames[:, None])
    # Not by picking the masked frames out: a GPU would have to tell how many there are.
    values = counted.sum().clamp(min=1) * batch.mel.shape[2]
    off = (((output - batch.mel) / scale).abs() ** power for output in (before, after))
    return sum((each * counted[..., None]).sum() / values for each in off)  # type: ignore[return-value]


@torch.no_grad()
def validate(objective: Objective, batches: Iterable[Batch]) -> dict[str, float]:
    """Average losses and figures over batches, weighted by their masked frames."""
    sums: dict[str, float] = {}
    frames = 0
    objective.eval()
    for batch in batches:
        count = int(batch.masked.sum())
        frames += count
        for name, value in objective(batch).items():
            sums[name] = sums.get(name, 0.0) + count * float(value)
    return {name: value / max(1, frames) for name, value in sums.items()}


def speaker_loss(
    encoder: SpeakerEncoder, filled: Tensor, batch: Batch, total: Total = lambda count: count
) -> tuple[Tensor, Tensor]:
    """Compare the filled voice with the recording's, and a speaker encoder's hidden layers.

    Returns two scalars, 0 if too little is masked. Not in the thesis. L1 weighs every bin alike,
    and a critic of small patches hears texture; what makes a voice is spread thinly over all bins.
    As in zero-shot speech synthesis (the speaker consistency loss of YourTTS, Casanova et al.
    2022), with matched hidden features as in perceptual losses (Johnson et al. 2016).

    filled: (B, T, 80) log10. The target is the voice of the recording's own masked frames and of
    the whole crop, in equal parts. For ``total`` see `a3t.model.variance.adaptors.pitch_loss`.
    """
    time = torch.arange(batch.mel.shape[1], device=batch.mel.device)
    inside = time < batch.frames[:, None]
    counted = batch.masked & inside
    mixed = torch.where(batch.masked[..., None], filled, batch.mel)
    vector, hidden = encoder(mixed, counted)
    with torch.no_grad():
        true, wanted = encoder(batch.mel, counted)
        whole, _ = encoder(batch.mel, inside)
        aim = torch.nn.functional.normalize(true + whole, dim=-1)
    frames = counted.sum(1)
    enough = (frames >= ENOUGH).float() * frames
    apart = (enough * (1 - (vector * aim).sum(-1))).sum() / total(enough.sum()).clamp(min=1.0)
    weight = counted[..., None].float()
    count = total(weight.sum()).clamp(min=1.0)
    differences = [
        ((a - b).abs().float() * weight).sum() / (b.abs().float() * weight).sum().clamp(min=1.0)
        for a, b in zip(hidden, wanted, strict=True)
    ]
    return apart, torch.stack(differences).mean() * (weight.sum() / count)


def use_bfloat16(precision: str, device: torch.device | str = "cpu") -> bool:
    """Return whether ``precision``, one of `PRECISIONS`, means bfloat16; "auto" measures."""
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, not {precision}")
    if precision != "auto":
        return precision == "bfloat16"
    if torch.device(device).type == "cuda":
        return torch.cuda.is_bf16_supported()
    return seconds_of_products(False) > GAIN * seconds_of_products(True)


def seconds_of_products(bfloat16: bool, rounds: int = 5) -> float:
    """Time the fastest of several passes, forward and back, through two layers on the CPU."""
    with torch.random.fork_rng(devices=[]):  # leave the run's random numbers alone
        layers = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH))
        rows = torch.randn(ROWS, WIDTH)
    found = []
    for _ in range(rounds + 1):  # the first one prepares kernels
        start = time.perf_counter()
        with torch.autocast("cpu", torch.bfloat16, bfloat16):
            layers(rows).float().square().mean().backward()
        found.append(time.perf_counter() - start)
    return min(found[1:])


Losses = dict[str, Tensor]


@dataclass(frozen=True)
class Schedule:
    """A schedule for AdamW: warm-up, plateau, linear decay to zero.

    epoch: the number of steps between checkpoints, and between validations. ema: the decay of the
    running average of the weights.
    """

    steps: int = 10_000
    rate: float = 1e-3
    warmup: int = 300
    decay: int = 2000
    weight_decay: float = 0.01
    betas: tuple[float, float] = (0.9, 0.98)
    clip: float = 1.0
    ema: float = 0.999
    seed: int = 0
    epoch: int = 250

    def rate_at(self, step: int, end: int | None = None) -> float:
        """Return the learning rate of a step, if training ends before step ``end`` (``steps``)."""
        rising = min(1.0, (step + 1) / self.warmup)
        left = (self.steps if end is None else end) - step
        return self.rate * min(rising, left / max(1, self.decay), 1.0)


class Run:
    """A network in training, with its optimiser, the average of its weights and its step.

    ``rates`` gives children of the network, by name, a learning rate relative to the schedule's.
    """

    def __init__(
        self,
        model: nn.Module,
        schedule: Schedule,
        folder: Path,
        rates: Mapping[str, float] | None = None,
    ) -> None:
        self.model, self.schedule, self.folder = model, schedule, folder
        self.step = 0
        self.saved: int | None = None  # the step of the last checkpoint written here
        rates = rates or {}
        others = [p for name, p in model.named_parameters() if name.partition(".")[0] not in rates]
        children = [list(model.get_submodule(name).parameters()) for name in rates]
        self.relative = (1.0, *rates.values())  # of each group of parameters
        self.optimiser = torch.optim.AdamW(
            [{"params": group} for group in (others, *children)],
            lr=schedule.rate,
            betas=tuple(schedule.betas),  # type: ignore[arg-type]
            weight_decay=schedule.weight_decay,
            fused=True,  # a third of the time
        )
        self.average = {name: value.clone() for name, value in model.state_dict().items()}

    def resume(self) -> bool:
        """Load the folder's checkpoint, if there is one; returns whether there was."""
        path = self.folder / CHECKPOINT
        if path.exists():
            self.load(torch.load(path, map_location="cpu", weights_only=True))
        return path.exists()

    def load(self, state: Mapping[str, Any]) -> None:
        """Continue from what `state` returned."""
        self.step = int(state["step"])
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.follow_from(state["average"])

    def state(self) -> dict[str, Any]:
        """Return the contents of a checkpoint."""
        return {
            "step": self.step,
            "schedule": asdict(self.schedule),
            "model": self.model.state_dict(),
            "average": self.average,
            "optimiser": self.optimiser.state_dict(),
        }

    def follow_from(self, weights: Mapping[str, Tensor]) -> None:
        """Set the running average, on the network's device."""
        own = self.model.state_dict()
        self.average = {k: v.to(own[k].device, copy=True) for k, v in weights.items()}

    def save(self) -> None:
        """Write the checkpoint completely or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = self.folder / f"{CHECKPOINT}.{os.getpid()}.tmp"
        torch.save(self.state(), temporary)
        temporary.replace(self.folder / CHECKPOINT)
        self.saved = self.step

    @property
    def rate(self) -> float:
        """The learning rate of the next step."""
        return self.schedule.rate_at(self.step)

    def train_step(self, losses: Callable[[int], Losses]) -> Losses:
        """Take one step on ``losses(step)["total"]``, and return its losses, on the device.

        Raises FloatingPointError if training diverges.
        """
        for group, relative in zip(self.optimiser.param_groups, self.relative, strict=True):
            group["lr"] = self.rate * relative
        # So that dropout, too, depends on the seed and the step alone.
        torch.manual_seed(self.schedule.seed * 1_000_003 + self.step)
        self.model.train()
        found = losses(self.step)
        self.optimiser.zero_grad(set_to_none=True)
        found["total"].backward()
        self.gather_gradients()
        norms = [
            torch.nn.utils.clip_grad_norm_(group["params"], self.schedule.clip)
            for group in self.optimiser.param_groups
            if any(parameter.grad is not None for parameter in group["params"])
        ]
        norm = torch.stack(norms).max()
        self.check(~torch.isfinite(norm))
        self.optimiser.step()
        self.step += 1
        self._follow()
        return {name: loss.detach() for name, loss in found.items()} | {"norm": norm}

    def gather_gradients(self) -> None:
        """Combine the gradients of several processes, where a training has them."""

    def check(self, infinite: Tensor) -> None:
        """Raise FloatingPointError if a gradient is not finite."""
        if infinite:
            raise FloatingPointError(f"the gradient is not finite at step {self.step}")

    @property
    def done(self) -> bool:
        """Whether the schedule has ended."""
        return self.step >= self.schedule.steps

    @torch.no_grad()
    def _follow(self) -> None:
        # A shorter memory early on, or the average would hold on to the random initial weights.
        keep = min(self.schedule.ema, (1 + self.step) / (10 + self.step))
        moving, there = [], []
        for name, value in self.model.state_dict().items():
            if value.is_floating_point():
                moving.append(self.average[name])
                there.append(value)
            else:
                self.average[name].copy_(value)
        torch._foreach_lerp_(moving, there, 1.0 - keep)

    def train(
        self, losses: Callable[[int], Losses], validate: Callable[[], dict[str, float]]
    ) -> None:
        """Train until `done`.

        ``validate`` returns named figures; it is called with the averaged weights in place.
        Checkpoints are written on the way, and one at the end, however that comes.
        """
        try:
            while not self.done:
                self.train_step(losses)
                if self.step % self.schedule.epoch == 0 or self.done:
                    # Judged first: a run that resumes has then judged every state it passed.
                    self.judge(validate)
                    self.save()
        finally:
            if self.saved != self.step:
                self.save()

    def judge(self, validate: Callable[[], dict[str, float]]) -> dict[str, float]:
        """Validate the averaged weights, since these are the ones that ship."""
        own = {name: value.clone() for name, value in self.model.state_dict().items()}
        self.model.load_state_dict(self.average)
        self.model.eval()
        try:
            return {f"valid_{name}": round(value, 5) for name, value in validate().items()}
        finally:
            self.model.load_state_dict(own)
