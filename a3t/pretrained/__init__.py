"""Model folders: config.yaml, model.safetensors and a model card, README.md.

``config.yaml`` holds constructor arguments and the sha256 of ``model.safetensors``, which is
checked on every load. Nothing is ever unpickled. A model folder may contain another model's, as
A3T's may contain its duration predictor's.

Models come from the Hugging Face Hub by name: ORG/NAME, or ORG/NAME@PIN. A pin of 64 hexadecimal
digits is the sha256 that the weights must have, whatever the Hub serves; any other pin is a branch,
tag or commit. Files are downloaded once, then read from huggingface_hub's cache.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from a3t.audio.output.files import atomic_path
from a3t.errors import InputError
from a3t.user_folders import model_folders

LARGEST_CONFIG, LARGEST_WEIGHTS = 1_000_000, 8_000_000_000  # bytes
MOST_LAYERS, LARGEST_SIZE = 256, 65_536  # of a network; any one is far smaller
CONFIG, WEIGHTS = "config.yaml", "model.safetensors"
NAME = re.compile(r"([A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(?:@([\w.-]+))?", re.ASCII)
SHA256 = re.compile(r"[0-9a-f]{64}")
# Nothing else is downloaded: no code, no pickles. A subfolder may hold the duration predictor.
CHECKPOINT_FILES = ("config.yaml", "model.safetensors")
WANTED = [f"{folder}{file}" for folder in ("", "*/") for file in CHECKPOINT_FILES]


def checkpoint_folder(name_or_path: str | Path) -> Path:
    """Return a model's folder.

    It is that of a known name (`a3t.user_folders`), the path itself, or the download of a name on
    the Hugging Face Hub. Raises InputError if there is none.
    """
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
    """Return the folder of model ``name`` inside a model's folder or beside it; None for none."""
    for place in (folder / name, folder.parent / name):
        if (place / CONFIG).is_file():
            return place
    return None


def load_checkpoint(name_or_path: str | Path) -> tuple[dict[str, Any], dict[str, Tensor], str]:
    """Load configuration, tensors and sha256 of a model folder.

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
    """Return a YAML file's unchecked contents; InputError if it can't be read."""
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
    """Raise InputError if a network's arguments would take memory or time without end."""
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


@dataclass(frozen=True)
class Pinned:
    """A model on the Hub, and its pin."""

    repository: str
    revision: str | None = None
    sha256: str | None = None


def hub_name(name: str) -> Pinned | None:
    """Parse ORG/NAME or ORG/NAME@PIN; None if it can't be a name on the Hub."""
    match = NAME.fullmatch(name)
    if match is None:
        return None
    repository, pin = match.groups()
    if pin is not None and SHA256.fullmatch(pin):
        return Pinned(repository, sha256=pin)
    return Pinned(repository, revision=pin)


def fetch(model: Pinned) -> Path:
    """Download a model's files and return their folder.

    Raises InputError if that fails, or if their sha256 doesn't match the pin.
    """
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise InputError(
            f"There is no folder {model.repository!r}, and fetching that from the Hugging Face Hub "
            "needs huggingface_hub: pip install 'a3t[hub]'."
        ) from None
    try:
        folder = Path(
            snapshot_download(model.repository, revision=model.revision, allow_patterns=WANTED)
        )
    except Exception as error:  # its HTTP, cache and disk errors have no common base class
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(
            f"There is no folder {model.repository!r}, and it can't be fetched from the Hugging "
            f"Face Hub ({first.rstrip('.')}): check its name and the network."
        ) from None
    if model.sha256 is not None:
        weights = folder / "model.safetensors"
        digest = hashlib.sha256(weights.read_bytes() if weights.is_file() else b"").hexdigest()
        if digest != model.sha256:
            raise InputError(
                f"The weights of {model.repository} don't match the pin: their sha256 is {digest}."
            )
    return folder
