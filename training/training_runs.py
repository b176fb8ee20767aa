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
from torch import Tensor, nn
from tqdm import tqdm

from a3t.errors import InputError
from a3t.learning.loop import Losses, Run, Schedule
from training.configuration import write_config
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
        """The learning rate of a step, before which ``spent`` seconds, of ``minutes``, have gone
        into training, which ends before step ``end`` (``steps``)."""
        if self.noam is not None:
            count = step + 1
            return self.rate * self.noam**-0.5 * min(count**-0.5, count * self.warmup**-1.5)
        rate = super().rate_at(step, end)
        if self.minutes is None:
            return rate
        return min(rate, self.rate * max(0.0, 3.0 * (1.0 - spent / (60.0 * self.minutes))))


class TrainingRun(Run):
    """A training that may end by time or early, logs its losses, and makes no GPU wait."""

    schedule: TrainingSchedule

    def __init__(
        self,
        model: nn.Module,
        schedule: TrainingSchedule,
        folder: Path,
        rates: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(model, schedule, folder, rates)
        self.spent = 0.0  # seconds in training steps, of the processor or by the clock
        self.end = schedule.steps
        self.best = (math.inf, 0)  # the lowest total of a validation, and its step
        # Reading a number makes a GPU wait, so there it is only looked at now and then.
        self.deferred = any(parameter.is_cuda for parameter in model.parameters())
        self._diverged: Tensor | None = None  # () bool

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        self.spent = float(state.get("spent", 0.0))
        self.end = state.get("end") or self.end
        self.best = state.get("best", self.best)

    def state(self) -> dict[str, Any]:
        end = self.end if self.end < self.schedule.steps else None
        return super().state() | {"spent": self.spent, "end": end, "best": self.best}

    def save(self) -> None:
        """Write the checkpoint; not if training has diverged."""
        self.verify()
        super().save()

    def check(self, infinite: Tensor) -> None:
        """On a GPU the gradient is looked at by `verify`, before the next checkpoint."""
        if self.deferred:
            self._diverged = infinite if self._diverged is None else self._diverged | infinite
        else:
            super().check(infinite)

    def verify(self) -> None:
        """FloatingPointError if a gradient was not finite since the last time."""
        if self._diverged is not None and bool(self._diverged):
            raise FloatingPointError(f"the gradient was not finite before step {self.step}")
        self._diverged = None

    @property
    def rate(self) -> float:
        return self.schedule.rate_at(self.step, self.end, self.spent)

    def train_step(self, losses: Callable[[int], Losses]) -> Losses:
        now = time.monotonic if self.schedule.by_clock else time.process_time
        started = now()
        found = super().train_step(losses)
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


def initial_weights(name_or_path: str) -> dict[str, Tensor]:
    """The averaged weights of a checkpoint, or those of a packed model."""
    if Path(name_or_path).is_file():
        state = torch.load(name_or_path, map_location="cpu", weights_only=True)
        return dict(state["average"])
    from a3t.pretrained import load_checkpoint

    return {name: value.float() for name, value in load_checkpoint(name_or_path)[1].items()}


class Work(Protocol):
    """A training, as the loop needs it."""

    @property
    def model(self) -> nn.Module: ...
    @property
    def schedule(self) -> TrainingSchedule: ...
    def losses(self, step: int) -> Losses: ...
    def validate(self) -> dict[str, float]: ...


def carry_out(
    work: Work,
    out: Path,
    config: Mapping[str, Any] | None = None,
    *,
    split: SplitList | None = None,
    begin: Callable[[TrainingRun], None] | None = None,
    minutes: float = math.inf,
    rates: Mapping[str, float] | None = None,
    **facts: Any,
) -> TrainingRun:
    """Train in a folder, or go on there.

    ``split`` is kept there, and its digest in the configuration; ``begin`` is called with a run
    that is new; ``facts`` are printed at the beginning, with the step and the number of parameters.
    Raises InputError if the folder's training had other clips.
    """
    if split is not None:
        config = {**(config or {}), "split": keep_split(split, out)}
    trained = TrainingRun(work.model, work.schedule, out, rates)
    if not trained.resume() and begin is not None:
        begin(trained)
    if config is not None:
        write_config(config, out / "config.yaml")
    facts = {"parameters": sum(p.numel() for p in work.model.parameters())} | facts
    print(json.dumps({"step": trained.step} | facts), flush=True)
    trained.train(work.losses, work.validate, minutes=minutes, stopping=stop_signals())
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


def require_done(trained: TrainingRun) -> None:
    """InputError if a training was stopped before its end, so that its recipe stops there, too."""
    if not trained.done:
        raise InputError(f"Stopped at step {trained.step}: the same command goes on from there.")
