"""Models by their names on Hugging Face's hub: ORG/NAME, or ORG/NAME@PIN.

A pin of 64 hexadecimal digits is the sha256 that the weights must have, whatever the hub says; any
other is a branch, a tag or a commit. Fetched once, then read from huggingface_hub's cache.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from a3t.errors import InputError

NAME = re.compile(r"([A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(?:@([\w.-]+))?", re.ASCII)
SHA256 = re.compile(r"[0-9a-f]{64}")
# Nothing else is fetched: no code, no pickles. The folder inside may hold the duration predictor.
FILES = ("config.yaml", "model.safetensors")
WANTED = [f"{folder}{file}" for folder in ("", "*/") for file in FILES]


@dataclass(frozen=True)
class Pinned:
    """A model on the hub, and what it is pinned to."""

    repository: str
    revision: str | None = None
    sha256: str | None = None


def hub_name(name: str) -> Pinned | None:
    """None if it can't be a name on the hub."""
    found = NAME.fullmatch(name)
    if found is None:
        return None
    repository, pin = found.groups()
    if pin is not None and SHA256.fullmatch(pin):
        return Pinned(repository, sha256=pin)
    return Pinned(repository, revision=pin)


def fetch(model: Pinned) -> Path:
    """The folder of the model's files; InputError if they can't be had or aren't those pinned."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise InputError(
            f"There is no folder {model.repository!r}; to fetch it from Hugging Face's hub, "
            "pip install 'a3t[hub]'."
        ) from None
    try:
        folder = Path(
            snapshot_download(model.repository, revision=model.revision, allow_patterns=WANTED)
        )
    except Exception as error:  # its errors share no class: of HTTP, of the cache, of the disk
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(
            f"There is no folder {model.repository!r}, and Hugging Face's hub does not give it: "
            f"{first}"
        ) from None
    if model.sha256 is not None:
        weights = folder / "model.safetensors"
        found = hashlib.sha256(weights.read_bytes() if weights.is_file() else b"").hexdigest()
        if found != model.sha256:
            raise InputError(
                f"The weights of {model.repository} are not those that were asked for: their "
                f"sha256 is {found}."
            )
    return folder
