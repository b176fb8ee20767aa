"""Recognition by Whisper, if it is installed and has a model: nothing is ever downloaded.

Either of faster-whisper (`pip install 'a3t[asr]'`; `a3t fetch-recogniser` gets a model when it is
asked to) and openai-whisper. The model is the one that
A3T_WHISPER names (a name such as "small.en", or a path), else the first of MODELS that is
installed. Its times are not used: its text is aligned like any other.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from alignment.errors import AlignmentError
from alignment.waveform import model_waveform

# Those that a CPU runs in about real time first, the best of them at the head.
MODELS = (
    "small.en", "small", "base.en", "base", "tiny.en", "tiny",
    "medium.en", "medium", "large-v3-turbo", "large-v3",
)  # fmt: skip

FASTER, OPENAI = "faster_whisper", "whisper"


@dataclass(frozen=True, slots=True)
class WhisperModel:
    """An installed model: the package that reads it, and its folder or file."""

    package: str
    path: str


def find_whisper() -> WhisperModel | None:
    """The model that would be used; None when no package or no model is there.

    Raises AlignmentError when A3T_WHISPER names a model that is not there.
    """
    named = os.environ.get("A3T_WHISPER")
    packages = [package for package in (FASTER, OPENAI) if find_spec(package) is not None]
    for package in packages:
        lookup = _faster if package == FASTER else _openai
        for name in [named] if named else MODELS:
            path = lookup(name)
            if path is not None:
                return WhisperModel(package, path)
    if named and packages:
        raise AlignmentError(
            f'A3T_WHISPER names "{named}", which is not on this machine: download it, or unset it.'
        )
    return None


def fetched_model(name: str) -> Path:
    """The folder in which `a3t fetch-recogniser` puts the model of that name."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "a3t" / "recognisers" / name


def require_whisper() -> WhisperModel:
    """The model that is used; AlignmentError, saying what to do, when there is none."""
    found = find_whisper()
    if found is None:
        raise AlignmentError(
            "No Whisper package or model is installed on this machine: "
            "pip install 'a3t[asr]', then a3t fetch-recogniser."
        )
    return found


def transcribe(samples: np.ndarray, sample_rate: int, model: WhisperModel) -> str:
    """What Whisper hears in English, with punctuation; `samples` mono, float, (n,).

    Raises AlignmentError when the recording can't be used, the model can't be read, or nothing is
    heard.
    """
    waveform = model_waveform(samples, sample_rate).astype(np.float32) / 32768
    try:
        text = _loaded(model)(waveform)
    except (RuntimeError, OSError, ValueError) as error:
        raise AlignmentError(
            f"Whisper's model in {model.path} can't be used: download it again."
        ) from error
    if not text:
        raise AlignmentError("No word is heard in the recording: give its text.")
    return text


def _faster(name: str) -> str | None:
    """The folder of a model of faster-whisper, its own or Hugging Face's cache; None if missing."""
    if Path(name).is_dir():
        return name
    if name in MODELS and (fetched_model(name) / "model.bin").is_file():
        return str(fetched_model(name))
    from faster_whisper.utils import download_model

    try:
        return str(download_model(name, local_files_only=True))
    except (OSError, ValueError):  # not in the cache; not a model's name
        return None


def _openai(name: str) -> str | None:
    """The file of a model of openai-whisper; None if missing."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    for path in (Path(name), Path(caches, OPENAI, f"{name}.pt")):
        if path.is_file():
            return str(path)
    return None


@cache
def _loaded(model: WhisperModel) -> Callable[[np.ndarray], str]:
    """From 16 kHz mono, float32, to its text; loaded once."""
    if model.package == FASTER:
        import faster_whisper

        # Without the new text as a prompt: with it, Whisper would write that text.
        faster = faster_whisper.WhisperModel(model.path, device="cpu", compute_type="int8")

        def listen(waveform: np.ndarray) -> str:
            segments, _ = faster.transcribe(
                waveform, language="en", condition_on_previous_text=False
            )
            return " ".join(segment.text.strip() for segment in segments).strip()

        return listen

    import whisper

    openai = whisper.load_model(model.path, device="cpu")

    def hear(waveform: np.ndarray) -> str:
        result: dict[str, Any] = openai.transcribe(
            waveform, language="en", condition_on_previous_text=False, fp16=False
        )
        return str(result["text"]).strip()

    return hear
