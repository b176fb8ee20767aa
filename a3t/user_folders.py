"""The folders of a person's own: data, caches and models.

`XDG_DATA_HOME` and `XDG_CACHE_HOME` name other places than ~/.local/share and ~/.cache (XDG Base
Directory Specification); `A3T_MODELS` names folders of models beside those that ship.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

SHIPPED_MODELS = Path(__file__).with_name("pretrained")
VOICE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


def data_folder(kind: str) -> Path:
    """Return the folder of some kind of data, such as "projects"."""
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share").expanduser() / "a3t" / kind


def cache_folder(kind: str) -> Path:
    """Return the folder of what can be made or fetched again, such as "vocoders"."""
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "a3t" / kind


def model_folders() -> dict[str, Path]:
    """Return the models that are known by name, with their folders.

    They ship with a3t, or lie in the folders that A3T_MODELS names, separated by ":" (";" on
    Windows).
    """
    named = filter(None, os.environ.get("A3T_MODELS", "").split(os.pathsep))
    homes = (*(Path(home).expanduser() for home in named), SHIPPED_MODELS)
    return {path.parent.name: path.parent for home in homes for path in home.glob("*/config.yaml")}


def voices_folder() -> Path:
    """Return the folder that A3T_VOICES names, else the one for user data."""
    named = os.environ.get("A3T_VOICES")
    return Path(named) if named else data_folder("voices")


def voice_names() -> list[str]:
    """List the names of all saved voices, sorted."""
    named = (path.parent.name for path in voices_folder().glob("*/config.yaml"))
    return sorted(name for name in named if VOICE_NAME.fullmatch(name))
