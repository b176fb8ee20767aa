"""Carries a training out: begun or resumed, its configuration kept beside its checkpoint."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from torch import nn

from a3t.voice.kernel.loop import Losses, Run, Schedule, stop_signals
from training.configuration import write_config


class Work(Protocol):
    """A training, as the loop needs it."""

    @property
    def model(self) -> nn.Module: ...
    @property
    def schedule(self) -> Schedule: ...
    def losses(self, step: int) -> Losses: ...
    def validate(self) -> dict[str, float]: ...


def carry_out(
    work: Work,
    out: Path,
    config: Mapping[str, Any] | None = None,
    *,
    begin: Callable[[Run], None] | None = None,
    rates: Mapping[str, float] | None = None,
    minutes: float = math.inf,
    **facts: Any,
) -> Run:
    """Train in a folder, or go on there. ``begin`` is called with a run that is new; ``facts`` are
    printed at the beginning, with the step and the number of parameters."""
    trained = Run(work.model, work.schedule, out, rates or {})
    if not trained.resume() and begin is not None:
        begin(trained)
    if config is not None:
        write_config(config, out / "config.yaml")
    facts = {"parameters": sum(p.numel() for p in work.model.parameters())} | facts
    print(json.dumps({"step": trained.step} | facts), flush=True)
    trained.train(work.losses, work.validate, minutes=minutes, stopping=stop_signals())
    return trained
