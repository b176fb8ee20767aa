"""Configurations: one YAML file per model, for the plain loop and for ESPnet.

Its parts are ``model``, ``masking``, ``data``, ``loss`` and ``training``; see
`a3t.model.a3t.A3T`, `training.features.corpus_batches` (`MaskingConfig`, `DataConfig`),
`training.pretraining_objective.PretrainingLosses` and `training.training_runs.TrainingSchedule`. A
file may begin with ``extends: other.yaml`` (a path from its own folder) and then holds only what it
changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import yaml
from torch import Tensor, nn

from a3t.errors import InputError
from a3t.model.a3t import A3T
from training.pretraining_objective import PretrainingLosses, PretrainingObjective

Settings = TypeVar("Settings")
Built = TypeVar("Built")


def read_config(path: Path, *changes: Path) -> dict[str, Any]:
    """Read a configuration with what it extends, then apply ``changes`` in their order.

    Raises InputError if a file can't be read or isn't a configuration.
    """
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path} can't be read: {str(error).splitlines()[0]}.") from None
    if not isinstance(config, dict):
        raise InputError(f"{path} is not a configuration.")
    base = config.pop("extends", None)
    if base:
        config = merge(read_config(path.parent / base), config)
    for change in changes:
        config = merge(config, read_config(change))
    return config


def merge(base: dict[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``base`` updated by ``change``, recursively for mappings."""
    result = dict(base)
    for key, value in change.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = merge(result[key], value) if both else value
    return result


def settings(kind: type[Settings], values: Mapping[str, Any] | None) -> Settings:
    """Read one part of a configuration as a record; InputError if it has an unknown setting."""
    values = values or {}
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    strange = sorted(set(values) - set(known))
    if strange:
        raise InputError(f"There is no setting {strange[0]}; choose from {', '.join(known)}.")
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})


def build(constructor: Callable[[Mapping[str, Any]], Built], config: Mapping[str, Any]) -> Built:
    """Build the object that a configuration describes.

    Raises InputError if a setting of its part ``model`` is missing, unknown or of the wrong type.
    """
    try:
        return constructor(config)
    except (TypeError, KeyError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise InputError(f"The configuration describes no network: {reason}.") from None


def load_fitting(network: nn.Module, weights: Mapping[str, Tensor], name: str) -> None:
    """Give a network its weights; raise InputError if they aren't those of its configuration.

    ``name`` is said there.
    """
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        first = str(error).splitlines()[0]
        raise InputError(f"{name} does not fit its configuration: {first}") from None


def objective_of(config: Mapping[str, Any]) -> PretrainingObjective:
    """Make a network with random weights and its losses, by the parts ``model`` and ``loss``."""
    losses = settings(PretrainingLosses, config.get("loss"))
    return PretrainingObjective(A3T.from_config(config), losses)


def write_config(config: Mapping[str, Any], path: Path) -> None:
    """Write a configuration, and the folders that it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(dict(config), sort_keys=False), encoding="utf-8")
