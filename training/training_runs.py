"""Carries a training out: begun or resumed, its configuration kept beside its checkpoint."""

from __future__ import annotations

import json
import math
import signal
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
import torch.distributed
from torch import Tensor, nn
from tqdm import tqdm

from a3t.errors import InputError
from a3t.learning.loop import Losses, Run, Schedule
from training.configuration import write_config
from training.devices import CPU, Place
from training.features.split_list import SplitList, read_split


@dataclass(frozen=True)
class TrainingSchedule(Schedule):
    """The ``training:`` part of a configuration.

    With ``noam`` set to the model's width, the learning rate is that of Vaswani et al. (2017), as
    in the thesis: ``rate`` × width^-½ × min(step^-½, step × warmup^-1.5).

    With ``minutes``, which are the processor's, training ends when they are spent, or at ``steps``,
    and the rate decays over the last third of them: so networks of different cost are trained for
    the same time on machines however busy. With ``by_clock`` they are the clock's, for a GPU that
    one has for so long. What the steps see still depends on the seed and the step alone, but not
    how many there are.

    With ``patience``, training ends early: once the validation's total has not been lower for that
    many steps, the rate decays as it otherwise does before ``steps``.
    """

    noam: int | None = None
    minutes: float | None = None
    by_clock: bool = False
    patience: int | None = None

    def rate_at(self, step: int, end: int | None = None, spent: float = 0.0) -> float:
        """Return the learning rate of a step, before which ``spent`` seconds have gone.

        They are of ``minutes``; training ends before step ``end`` (``steps``).
        """
        if self.noam is not None:
            count = step + 1
            return self.rate * self.noam**-0.5 * min(count**-0.5, count * self.warmup**-1.5)
        rate = super().rate_at(step, end)
        if self.minutes is None:
            return rate
        return min(rate, self.rate * max(0.0, 3.0 * (1.0 - spent / (60.0 * self.minutes))))


class TrainingRun(Run):
    """A training that may end by time or early, logs its losses, and makes no GPU wait.

    In several processes (`training.devices.Place`) each computes its share of every batch. A share
    counts by its losses' "weight", 1 without one; the weights of the network are the same in all.
    The first process alone validates, logs and saves.
    """

    schedule: TrainingSchedule

    def __init__(
        self,
        model: nn.Module,
        schedule: TrainingSchedule,
        folder: Path,
        rates: Mapping[str, float] | None = None,
        place: Place = CPU,
    ) -> None:
        super().__init__(model, schedule, folder, rates)
        self.place = place
        self._curves: Any = None  # TensorBoard's writer
        self.spent = 0.0  # seconds in training steps, of the processor or by the clock
        self.end = schedule.steps
        self.best = (math.inf, 0)  # the lowest total of a validation, and its step
        # Reading a number makes a GPU wait, so there it is only looked at now and then.
        self.deferred = any(parameter.is_cuda for parameter in model.parameters())
        self._diverged: Tensor | None = None  # () bool

    def load(self, state: Mapping[str, Any]) -> None:
        """Load a state, and where the training was to end."""
        super().load(state)
        self.spent = float(state.get("spent", 0.0))
        self.end = state.get("end") or self.end
        self.best = state.get("best", self.best)

    def state(self) -> dict[str, Any]:
        """Return the state, and where the training is to end."""
        end = self.end if self.end < self.schedule.steps else None
        return super().state() | {"spent": self.spent, "end": end, "best": self.best}

    def save(self) -> None:
        """Write the checkpoint; not if training has diverged."""
        self.verify()
        if self.place.rank:
            self.saved = self.step
        else:
            super().save()

    def gather_gradients(self) -> None:
        """Sum the processes' gradients; a parameter that none has a gradient of has none."""
        if self.place.processes == 1:
            return
        parameters = list(self.model.parameters())
        there = torch.tensor([float(p.grad is not None) for p in parameters])
        there = self.place.sum(there.to(self.place.device))
        used = [p for p, count in zip(parameters, there.tolist(), strict=True) if count]
        parts = [torch.zeros_like(p) if p.grad is None else p.grad for p in used]
        summed = self.place.sum(torch.cat([part.flatten() for part in parts]))
        pieces = summed.split([part.numel() for part in parts])
        for parameter, piece in zip(used, pieces, strict=True):
            parameter.grad = piece.view_as(parameter)

    def _share(self, losses: Callable[[int], Losses], step: int) -> Losses:
        """Scale the losses of this process so that their sum over the processes is the batch's."""
        found = losses(step)
        weight = found.pop("weight", torch.ones((), device=found["total"].device)).detach()
        if self.place.processes == 1:
            return found
        share = weight / self.place.sum(weight.clone()).clamp(min=1e-9)
        # An idle process has means of nothing: no number, and no share.
        return {name: value.nan_to_num() * share for name, value in found.items()}

    def _over(self, stopping: threading.Event, end: float) -> bool:
        """Return whether training ends here; the first process decides for all."""
        over = self.done or stopping.is_set() or time.monotonic() > end
        if self.place.processes > 1:
            facts = torch.tensor([over, self.end, self.spent], dtype=torch.float64)
            facts = facts.to(self.place.device)
            torch.distributed.broadcast(facts, 0)
            over, self.end, self.spent = bool(facts[0]), int(facts[1]), float(facts[2])
        return over

    def check(self, infinite: Tensor) -> None:
        """Leave the gradient on a GPU to `verify`, before the next checkpoint."""
        if self.deferred:
            self._diverged = infinite if self._diverged is None else self._diverged | infinite
        else:
            super().check(infinite)

    def verify(self) -> None:
        """Raise FloatingPointError if a gradient was not finite since the last time."""
        if self._diverged is not None and bool(self._diverged):
            raise FloatingPointError(f"the gradient was not finite before step {self.step}")
        self._diverged = None

    @property
    def rate(self) -> float:
        """The learning rate of the step."""
        return self.schedule.rate_at(self.step, self.end, self.spent)

    def train_step(self, losses: Callable[[int], Losses]) -> Losses:
        """Take one step."""
        now = time.monotonic if self.schedule.by_clock else time.process_time
        started = now()
        found = super().train_step(lambda step: self._share(losses, step))
        if self.place.processes > 1:
            names = sorted(found.keys() - {"norm"})  # the norm is already of all
            found |= zip(names, self.place.sum(torch.stack([found[n] for n in names])), strict=True)
        self.spent += now() - started
        return found

    @property
    def done(self) -> bool:
        """True if the schedule's steps or minutes are over, or training has ended early."""
        minutes = self.schedule.minutes
        over = minutes is not None and self.spent >= 60.0 * minutes
        return over or self.step >= self.end

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
        quiet = None if self.place.rank == 0 else True
        bar = tqdm(total=self.schedule.steps, initial=self.step, unit="step", disable=quiet)
        try:
            while not self._over(stopping, end):
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
                    if self.place.rank == 0:
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

    def _log(self, row: dict[str, float]) -> None:
        if self.place.rank:
            return
        if self.place.tensorboard and self._curves is None:
            from torch.utils.tensorboard import SummaryWriter

            self._curves = SummaryWriter(str(self.folder / "tensorboard"))  # type: ignore[no-untyped-call]
        if self._curves is not None:
            for name, value in row.items():
                self._curves.add_scalar(name, value, row["step"])
            self._curves.flush()
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "log.jsonl", "a") as file:
            file.write(json.dumps(row) + "\n")


def stop_signals() -> threading.Event:
    """Yield an event that SIGTERM and Ctrl-C set, so that a run can finish its step and save."""
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    return stopping


def initial_weights(name_or_path: str) -> dict[str, Tensor]:
    """Return the averaged weights of a checkpoint, or those of a packed model, as whole floats."""
    if Path(name_or_path).is_file():
        weights = torch.load(name_or_path, map_location="cpu", weights_only=True)["average"]
    else:
        from a3t.pretrained import load_checkpoint

        weights = load_checkpoint(name_or_path)[1]
    return {k: v.float() if v.is_floating_point() else v for k, v in weights.items()}


class Work(Protocol):
    """A training, as the loop needs it."""

    @property
    def model(self) -> nn.Module:
        """The network that is trained."""
        ...

    @property
    def schedule(self) -> TrainingSchedule:
        """The steps and the rates."""
        ...

    def losses(self, step: int) -> Losses:
        """Return the losses of a step."""
        ...

    def validate(self) -> dict[str, float]:
        """Return the losses of what is held out."""
        ...


def carry_out(
    work: Work,
    out: Path,
    config: Mapping[str, Any] | None = None,
    *,
    split: SplitList | None = None,
    begin: Callable[[TrainingRun], None] | None = None,
    minutes: float = math.inf,
    rates: Mapping[str, float] | None = None,
    place: Place = CPU,
    **facts: Any,
) -> TrainingRun:
    """Train in a folder, or go on there; return the run, done or at the end of its ``minutes``.

    ``split`` is kept there, and its digest in the configuration; ``begin`` is called with a run
    that is new; ``facts`` are printed at the beginning, with the step and the number of parameters.
    ``place``: where it computes. Raises InputError if the folder's training had other clips, or if
    a signal stopped it before its end, so that its recipe stops there, too.
    """
    if split is not None:
        config = {**(config or {}), "split": keep_split(split, out)}
    trained = TrainingRun(work.model, work.schedule, out, rates, place)
    if not trained.resume() and begin is not None:
        begin(trained)
    if config is not None and place.rank == 0:
        write_config(config, out / "config.yaml")
    facts = {"parameters": sum(p.numel() for p in work.model.parameters())} | facts
    if place.rank == 0:
        print(json.dumps({"step": trained.step} | facts), flush=True)
    stopping = stop_signals()
    trained.train(work.losses, work.validate, minutes=minutes, stopping=stopping)
    if stopping.is_set() and not trained.done:
        raise InputError(f"Stopped at step {trained.step}: the same command goes on from there.")
    return trained


def keep_split(split: SplitList, out: Path) -> str:
    """Write a training's list of clips into its folder; return the list's digest.

    Raises InputError if the folder has another list, of what it was trained on before.
    """
    before = read_split(out)
    if before is not None and before.digest != split.digest:
        raise InputError(f"{out} was trained with another list of clips: choose another --out.")
    split.write(out)
    return split.digest
