"""Model folders: config.yaml, model.safetensors and a model card, README.md.

``config.yaml`` holds constructor arguments and the sha256 of ``model.safetensors``, which is
checked on every load. Nothing is ever unpickled. A model folder may contain another model's, as
A3T's may contain its duration predictor's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from a3t.audio.output.files import atomic_path
from a3t.errors import InputError
from a3t.pretrained.hub import fetch, hub_name
from a3t.user_folders import model_folders

LARGEST_CONFIG, LARGEST_WEIGHTS = 1_000_000, 8_000_000_000  # bytes
MOST_LAYERS, LARGEST_SIZE = 256, 65_536  # of a network; any one is far smaller
CONFIG, WEIGHTS = "config.yaml", "model.safetensors"


def checkpoint_folder(name_or_path: str | Path) -> Path:
    """The folder of a model that is known by name (`a3t.user_folders`), the path itself, or the
    download of a name on the Hugging Face Hub (`a3t.pretrained.hub`); InputError without one."""
    known = model_folders()
    if str(name_or_path) in known:
        return known[str(name_or_path)]
    folder = Path(name_or_path)
    if not (folder / CONFIG).is_file():
        on_hub = None if folder.is_dir() else hub_name(str(name_or_path))
        if on_hub is not None:
            return fetch(on_hub)
        names = ", ".join(
            name
            for name, place in sorted(known.items())
            if "model" in read_config(place / CONFIG)  # others are parts of one
        )
        raise InputError(
            f"There is no model {str(name_or_path)!r}: use {names or '(none shipped)'}, or a path "
            f"to a folder with {CONFIG} and {WEIGHTS}."
        )
    return folder


def part_of(folder: Path, name: str) -> Path | None:
    """The folder of model ``name`` inside a model's folder, or beside it; None if there is none."""
    for place in (folder / name, folder.parent / name):
        if (place / CONFIG).is_file():
            return place
    return None


def load_checkpoint(name_or_path: str | Path) -> tuple[dict[str, Any], dict[str, Tensor], str]:
    """Configuration, tensors and sha256 of a model folder.

    Raises InputError if files are missing or corrupt, or if the weights don't have the sha256 given
    in the configuration.
    """
    folder = checkpoint_folder(name_or_path)
    config = read_config(folder / CONFIG)
    try:
        if (folder / WEIGHTS).stat().st_size > LARGEST_WEIGHTS:
            raise InputError(f"{folder / WEIGHTS} is too large for a model of this program.")
        data = (folder / WEIGHTS).read_bytes()
    except OSError as error:
        raise InputError(f"The model in {folder} can't be read: {error.strerror}.") from None
    digest = hashlib.sha256(data).hexdigest()
    if not isinstance(config, dict) or config.get("sha256") != digest:
        raise InputError(
            f"{folder / WEIGHTS} doesn't match its {CONFIG} (the sha256 differs): download the "
            "model again."
        )
    try:
        return config, load(data), digest
    except SafetensorError as error:
        raise InputError(f"{folder / WEIGHTS} is not a safetensors file: {error}.") from None


def read_config(path: Path) -> Any:
    """A YAML file's contents, which nobody has checked; InputError if it can't be read."""
    try:
        if path.stat().st_size > LARGEST_CONFIG:
            raise InputError(f"{path} is too large for a configuration.")
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.") from None
    except (ValueError, yaml.YAMLError, TypeError, RecursionError) as error:
        first = (str(error) or repr(error)).splitlines()[0]
        raise InputError(f"{path} can't be read: {first}.") from None


def check_sizes(model: Mapping[str, Any], path: Path) -> None:
    """InputError if a network's constructor arguments would take memory or time without end."""
    for name, value in model.items():
        is_count = any(part in str(name) for part in ("blocks", "layers", "iterations", "steps"))
        if isinstance(value, int | float) and not abs(value) <= (
            MOST_LAYERS if is_count else LARGEST_SIZE
        ):
            raise InputError(f"{path} asks for a {name} that no model of this program has.")


def save_checkpoint(
    folder: Path, config: Mapping[str, Any], tensors: Mapping[str, Tensor], card: str
) -> str:
    """Write a folder that `load_checkpoint` reads; returns the sha256 of its weights."""
    folder.mkdir(parents=True, exist_ok=True)
    data = save({name: tensor.contiguous() for name, tensor in tensors.items()})
    digest = hashlib.sha256(data).hexdigest()
    text = yaml.safe_dump({**config, "sha256": digest}, sort_keys=False)
    for name, content in (
        (WEIGHTS, data),
        ("README.md", card.encode()),
        (CONFIG, text.encode()),  # last: a folder without it is not a model
    ):
        with atomic_path(folder / name) as temporary:
            temporary.write_bytes(content)
    return digest
