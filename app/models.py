"""The models and aligners that an edit may name, and those of this machine."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import lru_cache

import yaml

from a3t.errors import InputError
from a3t.user_folders import model_folders, voice_names
from alignment import ALIGNERS, AlignmentError, load_aligner
from app import texts

VOCODERS = ("builtin", "griffin-lim")


@dataclass(frozen=True)
class Models:
    """The models that an editor is loaded with, by name."""

    model: str = "small"
    vocoder: str = "builtin"
    aligner: str = ALIGNERS[0]
    voice: str = ""  # one that `a3t voice make` made; "" for none


USUAL_MODELS = Models()


def check_offered(models: Models) -> None:
    """Raise InputError for a name that isn't offered, so that none ever becomes a path."""
    offered = (models_here(), VOCODERS, aligners_here(), ("", *voice_names()))
    for name, names in zip(astuple(models), offered, strict=True):
        if name not in names:
            raise InputError(texts.not_offered(name))


@lru_cache(maxsize=1)
def models_here() -> tuple[str, ...]:
    """Return the names of the A3T models, the usual one first."""
    # Without a3t.pretrained, which imports torch: the page stands before that is loaded.
    found = {
        name
        for name, folder in model_folders().items()
        if "model" in yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
    }
    return (USUAL_MODELS.model, *sorted(found - {USUAL_MODELS.model}))


@lru_cache(maxsize=1)
def aligners_here() -> tuple[str, ...]:
    """Return the names of the installed aligners, the usual one first."""
    return tuple(name for name in ALIGNERS if name == USUAL_MODELS.aligner or _is_installed(name))


def _is_installed(aligner: str) -> bool:
    try:
        load_aligner(aligner)
    except AlignmentError:
        return False
    return True
