"""The systems by name, from the folder that holds their runs.

It has one folder a system, named like its configuration in ``conf/``.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from a3t.errors import InputError
from a3t.learning.loop import CHECKPOINT
from a3t.pretrained import WEIGHTS, checkpoint_folder
from evaluation.systems.editspeech import EditSpeechNetwork, EditSpeechSystem
from evaluation.systems.fastspeech2 import (
    EditedWords,
    FastSpeech2Network,
    FastSpeech2System,
    WholeSentence,
)
from evaluation.systems.interface import System
from evaluation.systems.networks import A3TSystem, load_a3t, read_weights
from evaluation.systems.simple import Interpolation, MeanSpectrum
from training.configuration import build, load_fitting, read_config
from training.export import AVERAGE

# What a table calls the run of each configuration.
RUNS: Mapping[str, str] = {
    "a3t": "A3T (this project's)",
    "a3t_thesis": "A3T (thesis)",
    "no_alignment_embedding": "A3T (thesis) w/o alignment embedding",
    "transformer": "− Conformer",
    "no_postnet": "− Post-Net",
    "fat_mlm": "− L1 (FAT-MLM's shape)",
    "mam": "MAM's shape",
    "mask_20": "A3T (thesis), 20 % masked",
    "mask_50": "A3T (thesis), 50 % masked",
    "editspeech": "EditSpeech",
    "fastspeech2": "FastSpeech 2",
    "fastspeech2_gst": "FastSpeech 2 + GST",
}
PAPER = "a3t_paper"  # the recipes' name of the thesis's configuration
RUN = re.compile(r"([^.]+)(?:\.(\d{1,4}))?")  # a configuration; a further seed of it
DURATIONS = "durations"  # beside the systems: the training of what predicts their durations
# Networks that speak from text, by a configuration's ``system``.
SPEAKING: Mapping[str, type[FastSpeech2Network] | type[EditSpeechNetwork]] = {
    "fastspeech2": FastSpeech2Network,
    "editspeech": EditSpeechNetwork,
}
BASELINES: Mapping[str, type[FastSpeech2System]] = {
    "Baseline 1": WholeSentence,
    "Baseline 2": EditedWords,
    "Baseline 3": FastSpeech2System,
}
SEED = ", seed "  # between a system's name and the number of a further training of it
# The rows of tables 4.2 and 4.3 alone, which have durations given.
ABLATIONS = frozenset(RUNS[name] for name in ("transformer", "no_postnet", "mask_20", "mask_50"))
SHIPPED = "A3T as shipped (trained longer)"
FLOORS: Mapping[str, type[System]] = {
    "mean spectrum": MeanSpectrum,
    "interpolation": Interpolation,
}


def base_name(name: str) -> str:
    """Return a system's name without the seed of a further training."""
    return name.partition(SEED)[0]


def is_run(folder: Path) -> bool:
    """Return whether a folder holds a training by either loop."""
    return any((folder / name).is_file() for name in (CHECKPOINT, AVERAGE))


def runs_in(runs: Path) -> dict[str, Path]:
    """Return the trained systems of a folder by name, those of the thesis's tables first.

    Each is a folder named like its configuration, behind a point the seed of a further training,
    such as ``a3t_thesis.1``; a configuration that `RUNS` lacks is called by its name.
    """
    shown = {**RUNS, PAPER: RUNS["a3t_thesis"]}
    order = list(shown)
    found: dict[str, Path] = {}
    places = []
    for path in runs.iterdir():
        match = RUN.fullmatch(path.name)
        if match and match[1] != DURATIONS and is_run(path):
            rank = order.index(match[1]) if match[1] in shown else len(order)
            places.append((rank, match[1], int(match[2] or 0), path))
    for _, name, seed, path in sorted(places):
        called = shown.get(name, name)
        found.setdefault(f"{called}{SEED}{seed}" if seed else called, path)
    return found


def systems_in(runs: Path | None) -> dict[str, Path | None]:
    """Return the systems that a folder of runs allows, each with its network's folder, if any."""
    found: dict[str, Path | None] = {**runs_in(runs)} if runs else {}
    if "FastSpeech 2" in found:
        found |= dict.fromkeys(BASELINES, found["FastSpeech 2"])
    return found | dict.fromkeys(FLOORS)


def load_run(folder: Path) -> tuple[nn.Module, dict[str, Any], dict[str, float]]:
    """Load a run's network with its averaged weights, its configuration and its training's length.

    The last is ``steps`` and ``minutes``. Raises InputError if the folder holds no such run.
    """
    config = read_config(folder / "config.yaml")
    system = config.get("system", "a3t")
    if not is_run(folder):
        raise InputError(f"{folder} has no {CHECKPOINT}: train it first.")
    if not (folder / CHECKPOINT).is_file():
        unknown = {"steps": math.nan, "minutes": math.nan}
        return load_a3t(folder)[0], dict(read_weights(folder)[0]), unknown
    state = torch.load(folder / CHECKPOINT, map_location="cpu", weights_only=True)
    facts = {"steps": state["step"], "minutes": state.get("spent", 0.0) / 60}
    if system == "a3t":
        return load_a3t(folder)[0], config, facts
    if system not in SPEAKING:
        raise InputError(f"{folder} is a run of an unknown system, {system}.")
    network = build(SPEAKING[system].from_config, config)
    load_fitting(network, state["average"], str(folder))
    return network.eval(), config, facts


def load_system(name: str, folder: Path | None) -> System:
    """Load a system by the name that a table gives it, and the folder of its network."""
    if folder is None:
        return FLOORS[name]()
    if name in BASELINES:
        network, _, _ = load_run(folder)
        assert isinstance(network, FastSpeech2Network)
        return BASELINES[name](network, name)
    return system_at(folder, name)


def version_of(folder: Path | None) -> str:
    """Return a string that changes with the weights in a folder; "" without any."""
    files = [folder / name for name in (WEIGHTS, CHECKPOINT, AVERAGE)] if folder else []
    found = b"".join(path.read_bytes() for path in files if path.is_file())
    return hashlib.sha256(found).hexdigest() if found else ""


def system_at(where: str | Path, name: str | None = None) -> System:
    """Load the system of a run's folder, whichever it is, or A3T of a shipped model or a folder.

    ``name``: what to call it, if not by its run.
    """
    folder = checkpoint_folder(where)
    shown = name or RUNS.get(folder.name, folder.name)
    if is_run(folder):
        network, config, _ = load_run(folder)
    else:
        network, config = load_a3t(folder)[0], dict(read_weights(folder)[0])
    if isinstance(network, EditSpeechNetwork):
        return EditSpeechSystem(network)
    if isinstance(network, FastSpeech2Network):
        return FastSpeech2System(network, shown)
    data = config.get("data") or {}
    longest = (data.get("crop") or (None, None))[1]
    if data.get("shift_rows"):  # all rows are trained, whatever the length
        longest = None
    speech_only = data.get("speech_only") is not None
    return A3TSystem(network, shown, speech_only, longest)  # type: ignore[arg-type]


def facts_of(name: str, folder: Path) -> str:
    """Describe a model or a run in a line, or say why it can't be loaded.

    The line has its weights, or how long it was trained and how large it is.
    """
    try:
        if not (folder / CHECKPOINT).is_file():
            return f"{name}: {read_weights(folder)[2]}"
        network, config, facts = load_run(folder)
    except InputError as error:
        return f"{name}: {error}"
    whose = "" if (config.get("training") or {}).get("by_clock") else " of one core"
    size = sum(parameter.numel() for parameter in network.parameters())
    return (
        f"{name}: {facts['minutes']:.1f} minutes{whose}, {facts['steps']:,} steps,"
        f" {size:,} parameters"
    )
