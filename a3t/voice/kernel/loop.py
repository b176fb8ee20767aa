"""The training loop of the acoustic model, the duration predictor and the vocoder.

Plain and resumable: all random numbers depend on the seed and the step, so an interrupted run
continues exactly as if it had not been interrupted.
"""

from __future__ import annotations

import json
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType

import torch
from torch import Tensor, nn
from tqdm import tqdm

CHECKPOINT = "checkpoint.pt"

Losses = dict[str, Tensor]
Rates = Mapping[str, float]  # learning rates of parts by name, relative to the schedule's


@dataclass(frozen=True)
class Schedule:
    """The ``training:`` part of a configuration: AdamW, warm-up, plateau, linear decay to zero.

    With ``noam`` set to the model's width, the learning rate is that of Vaswani et al. (2017), as
    in the thesis: ``rate`` × width^-½ × min(step^-½, step × warmup^-1.5). ``epoch`` is the number
    of steps between checkpoints, and between validations; ``ema`` is the decay of the running
    average of the weights.

    With ``minutes``, which are the processor's, training ends when they are spent, or at ``steps``,
    and the rate decays over the last third of them: so networks of different cost are trained for
    the same time on machines however busy. What the steps see still depends on the seed and the
    step alone, but not how many there are.

    With ``patience``, training ends early: once the validation's total has not been lower for that
    many steps, the rate decays as it otherwise does before ``steps``.
    """

    steps: int = 10_000
    rate: float = 1e-3
    warmup: int = 300
    decay: int = 2000
    noam: int | None = None
    weight_decay: float = 0.01
    betas: tuple[float, float] = (0.9, 0.98)
    clip: float = 1.0
    ema: float = 0.999
    seed: int = 0
    epoch: int = 250
    minutes: float | None = None
    patience: int | None = None

    def rate_at(self, step: int, spent: float = 0.0, end: int | None = None) -> float:
        """The learning rate of a step, before which ``spent`` seconds of the processor have gone
        into training, which ends before step ``end`` (``steps``)."""
        if self.noam is not None:
            count = step + 1
            return self.rate * self.noam**-0.5 * min(count**-0.5, count * self.warmup**-1.5)
        rising = min(1.0, (step + 1) / self.warmup)
        left = (self.steps if end is None else end) - step
        falling = min(1.0, left / max(1, self.decay))
        if self.minutes is not None:
            falling = min(falling, max(0.0, 3.0 * (1.0 - spent / (60.0 * self.minutes))))
        return self.rate * min(rising, falling)


class Run:
    """A network in training, with its optimiser, the average of its weights and its step."""

    def __init__(
        self,
        model: nn.Module,
        schedule: Schedule,
        folder: Path,
        rates: Rates = MappingProxyType({}),
    ) -> None:
        self.model, self.schedule, self.folder = model, schedule, folder
        self.step = 0
        self.spent = 0.0  # seconds of the processor in training steps
        self.end = schedule.steps
        self.best = (math.inf, 0)  # the lowest total of a validation, and its step
        self.saved: int | None = None  # the step of the last checkpoint written here
        groups: dict[float, list[nn.Parameter]] = {}
        for name, parameter in model.named_parameters():
            groups.setdefault(rates.get(name.partition(".")[0], 1.0), []).append(parameter)
        self.optimiser = torch.optim.AdamW(
            [{"params": own, "relative": rate} for rate, own in groups.items()],
            lr=schedule.rate,
            betas=tuple(schedule.betas),  # type: ignore[arg-type]
            weight_decay=schedule.weight_decay,
            fused=True,  # a third of the time
        )
        self.average = {name: value.clone() for name, value in model.state_dict().items()}
        # Reading a number makes a GPU wait, so there it is only looked at now and then.
        self.deferred = any(parameter.is_cuda for parameter in model.parameters())
        self._diverged: Tensor | None = None  # () bool

    def resume(self) -> bool:
        """Load the folder's checkpoint, if there is one; returns whether there was."""
        path = self.folder / CHECKPOINT
        if not path.exists():
            return False
        state = torch.load(path, map_location="cpu", weights_only=True)
        self.step = int(state["step"])
        self.spent = float(state.get("spent", 0.0))
        self.end = state.get("end") or self.end
        self.best = state.get("best", self.best)
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.follow_from(state["average"])
        return True

    def follow_from(self, weights: Mapping[str, Tensor]) -> None:
        """Set the running average, on the network's device."""
        own = self.model.state_dict()
        self.average = {k: v.to(own[k].device, copy=True) for k, v in weights.items()}

    def save(self) -> None:
        """Write the checkpoint completely or not at all; not at all if training has diverged."""
        self.verify()
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = self.folder / f"{CHECKPOINT}.{os.getpid()}.tmp"
        torch.save(
            {
                "step": self.step,
                "spent": self.spent,
                "end": self.end if self.end < self.schedule.steps else None,
                "best": self.best,
                "schedule": asdict(self.schedule),
                "model": self.model.state_dict(),
                "average": self.average,
                "optimiser": self.optimiser.state_dict(),
            },
            temporary,
        )
        temporary.replace(self.folder / CHECKPOINT)
        self.saved = self.step

    def verify(self) -> None:
        """FloatingPointError if a gradient was not finite since the last time."""
        if self._diverged is not None and bool(self._diverged):
            raise FloatingPointError(f"the gradient was not finite before step {self.step}")
        self._diverged = None

    def train_step(self, losses: Callable[[int], Losses]) -> Losses:
        """One step on ``losses(step)["total"]``; raises FloatingPointError if training diverges.

        The losses it returns stay on the device: reading them would make a GPU wait. For the same
        reason training on a GPU goes on with a gradient that is not finite until `verify`, before
        the next checkpoint.
        """
        started = time.process_time()
        for group in self.optimiser.param_groups:
            group["lr"] = self.schedule.rate_at(self.step, self.spent, self.end)
        # So that dropout, too, depends on the seed and the step alone.
        torch.manual_seed(self.schedule.seed * 1_000_003 + self.step)
        self.model.train()
        found = losses(self.step)
        self.optimiser.zero_grad(set_to_none=True)
        found["total"].backward()
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.schedule.clip)
        infinite = ~torch.isfinite(norm)
        if self.deferred:
            self._diverged = infinite if self._diverged is None else self._diverged | infinite
        elif infinite:
            raise FloatingPointError(f"the gradient is not finite at step {self.step}")
        self.optimiser.step()
        self.step += 1
        self._follow()
        self.spent += time.process_time() - started
        return {name: loss.detach() for name, loss in found.items()} | {"norm": norm}

    @property
    def done(self) -> bool:
        """True if the schedule's steps or minutes are over, or training has ended early."""
        minutes = self.schedule.minutes
        over = minutes is not None and self.spent >= 60.0 * minutes
        return over or self.step >= self.end

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
        self,
        losses: Callable[[int], Losses],
        validate: Callable[[], dict[str, float]],
        log_every: int = 50,
        minutes: float = float("inf"),
        stopping: threading.Event | None = None,
    ) -> None:
        """Train until `done`, or for ``minutes`` on the clock, or until ``stopping`` is set.

        ``validate`` returns named figures; it is called with the averaged weights in place. Writes
        log.jsonl and checkpoints, one of them at the end, however that comes.
        """
        sums: Losses = {}
        counted, started = 0, time.monotonic()
        end = started + 60 * minutes
        stopping = stopping or threading.Event()
        bar = tqdm(total=self.schedule.steps, initial=self.step, unit="step", disable=None)
        try:
            while not self.done and not stopping.is_set():
                if time.monotonic() > end:
                    break
                for name, value in self.train_step(losses).items():
                    sums[name] = sums[name] + value if name in sums else value
                counted += 1
                bar.update()
                if self.step % log_every == 0:
                    self.verify()
                    seconds = (time.monotonic() - started) / counted
                    means = {name: round(float(total) / counted, 5) for name, total in sums.items()}
                    self._log({"step": self.step, **means, "seconds_per_step": round(seconds, 3)})
                    bar.set_postfix(total=means["total"])
                    sums, counted, started = {}, 0, time.monotonic()
                if self.step % self.schedule.epoch == 0 or self.done:
                    # Judged first: a run that resumes has then judged every state it passed.
                    found = self.judge(validate)
                    self._log({"step": self.step, **found})
                    self._end_if_stagnant(found.get("valid_total", math.nan))
                    self.save()
        finally:
            bar.close()
            if self.saved != self.step:
                self.save()

    def _end_if_stagnant(self, total: float) -> None:
        patience, whole = self.schedule.patience, self.end == self.schedule.steps
        if total < self.best[0]:
            self.best = (total, self.step)
        elif patience is not None and whole and self.step - self.best[1] >= patience:
            self.end = min(self.end, self.step + self.schedule.decay)

    def judge(self, validate: Callable[[], dict[str, float]]) -> dict[str, float]:
        """Validate the averaged weights, since these are the ones that ship."""
        own = {name: value.clone() for name, value in self.model.state_dict().items()}
        self.model.load_state_dict(self.average)
        self.model.eval()
        try:
            return {f"valid_{name}": round(value, 5) for name, value in validate().items()}
        finally:
            self.model.load_state_dict(own)

    def _log(self, row: dict[str, float]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "log.jsonl", "a") as file:
            file.write(json.dumps(row) + "\n")


def stop_signals() -> threading.Event:
    """An event that SIGTERM and Ctrl-C set, so that a run can finish its step and save."""
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    return stopping
