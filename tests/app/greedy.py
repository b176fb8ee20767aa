"""Functions that use too much of something, for processes that import little else."""

import ctypes
import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from app.models import Models


def grow(size: int) -> float:
    return float(np.ones(size).sum())


def grow_in_torch(size: int) -> float:
    import torch

    return float(torch.ones(size).sum())


def grow_in_lists(size: int) -> int:
    return len([bytes(1000) for _ in range(size)])


def spin() -> None:
    while True:
        pass


def crash() -> None:
    ctypes.string_at(0)


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class GreedyEditor:
    """Takes as much memory, or time, as the new text says."""

    def __init__(self, models: Models) -> None:
        pass

    def with_progress(self, progress: Any) -> Any:
        return self

    def plan(self, recording: Path, request: Any) -> Any:
        if request.new_text == "spin":
            spin()
        if request.new_text == "grow":
            grow(10**9)
        return Planned()


class Planned:
    """What the service asks of a plan, without what a plan imports."""

    text = new_text = SimpleNamespace(shown=())
    recording, alignment = SimpleNamespace(sample_rate=24_000), SimpleNamespace(spoken=())
    edits = differences = doubts = ()

    def to_json(self) -> dict[str, Any]:
        return {"source": {}, "edits": ["made"]}


def greedy(models: Models) -> GreedyEditor:
    return GreedyEditor(models)
