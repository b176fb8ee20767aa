"""Models from the Hugging Face Hub by name: ORG/NAME, or ORG/NAME@PIN.

A pin of 64 hexadecimal digits is the sha256 that the weights must have, whatever the Hub serves;
any other pin is a branch, tag or commit. Files are downloaded once, then read from
huggingface_hub's cache.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from a3t.errors import InputError

NAME = re.compile(r"([A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)(?:@([\w.-]+))?", re.ASCII)
SHA256 = re.compile(r"[0-9a-f]{64}")
# Nothing else is downloaded: no code, no pickles. A subfolder may hold the duration predictor.
FILES = ("config.yaml", "model.safetensors")
WANTED = [f"{folder}{file}" for folder in ("", "*/") for file in FILES]


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
    """The folder of the model's files; InputError if they can't be downloaded or their sha256
    doesn't match the pin."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise InputError(
            f"There is no folder {model.repository!r}: to download it from the Hugging Face Hub, "
            "run pip install 'a3t[hub]' first."
        ) from None
    try:
        folder = Path(
            snapshot_download(model.repository, revision=model.revision, allow_patterns=WANTED)
        )
    except Exception as error:  # its HTTP, cache and disk errors have no common base class
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(
            f"There is no folder {model.repository!r}, and it can't be downloaded from the Hugging "
            f"Face Hub: {first}"
        ) from None
    if model.sha256 is not None:
        weights = folder / "model.safetensors"
        digest = hashlib.sha256(weights.read_bytes() if weights.is_file() else b"").hexdigest()
        if digest != model.sha256:
            raise InputError(
                f"The weights of {model.repository} don't match the pin: their sha256 is {digest}."
            )
    return folder
