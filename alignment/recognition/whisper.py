"""Recognition by Whisper, through faster-whisper (CTranslate2), once a model of it is fetched.

Nothing is downloaded here: `a3t fetch-recogniser` and the page do that, when they are told to, and
put a model where `find_whisper` looks. Its times are not used: its text is aligned like any other.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from alignment.errors import AlignmentError
from alignment.waveform import model_waveform

MODELS = ("small.en", "base.en", "tiny.en")  # that a CPU runs faster than speech, the best first
LONGEST = 30.0  # seconds that it hears at once
PACKAGE = "faster_whisper"
INSTALL = "Whisper needs faster-whisper: pip install 'a3t[whisper]'."


def is_installed() -> bool:
    """True if there is a package that can read a model."""
    return find_spec(PACKAGE) is not None


def fetched_model(name: str) -> Path:
    """The folder in which a fetched model of that name is."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "a3t" / "recognisers" / name


def find_whisper(name: str | None = None) -> Path | None:
    """The folder of the model of that name, or the folder itself; by default the first of MODELS
    that was fetched. None if it isn't there or no package can read it."""
    if not is_installed():
        return None
    folders = [fetched_model(each) for each in ([name] if name in MODELS else MODELS)]
    if name is not None and name not in MODELS:
        folders = [Path(name)]
    return next((folder for folder in folders if (folder / "model.bin").is_file()), None)


def require_whisper(name: str | None = None) -> Path:
    """As `find_whisper`; AlignmentError, saying what to do, when there is none."""
    found = find_whisper(name)
    if found is None and not is_installed():
        raise AlignmentError(INSTALL)
    if found is None:
        which = f" {name}" if name in MODELS else ""
        where = "" if name is None or which else f" in {name}"
        raise AlignmentError(
            f"There is no Whisper model{which}{where} here: a3t fetch-recogniser{which}."
        )
    return found


def transcribe(samples: np.ndarray, sample_rate: int, model: Path) -> str:
    """The text that Whisper hears in English, with punctuation and capitals, or ""; `samples` mono,
    float, (n,), at most LONGEST seconds.

    Raises AlignmentError when the samples can't be used or the model can't be read.
    """
    if len(samples) > LONGEST * sample_rate:
        raise AlignmentError(f"Whisper hears {LONGEST:.0f} s at once: cut the recording up.")
    waveform = model_waveform(samples, sample_rate).astype(np.float32) / 32768
    return load_whisper(model)(waveform)


@cache
def load_whisper(model: Path) -> Callable[[np.ndarray], str]:
    """A function from 16 kHz mono, float32, (n,), to its text; AlignmentError if the model can't be
    read."""
    import ctranslate2
    import faster_whisper

    threads = min(4, os.cpu_count() or 1)
    options = {"device": "cpu", "compute_type": "int8", "cpu_threads": threads}
    try:
        whisper = faster_whisper.WhisperModel(str(model), local_files_only=True, **options)
    except (RuntimeError, OSError, ValueError, KeyError, TypeError) as error:
        raise AlignmentError(
            f"Whisper's model in {model} can't be used: delete that folder and fetch it again."
        ) from error

    def listen(waveform: np.ndarray) -> str:
        # What it repeats without end it draws anew, at random: the same for the same sound.
        ctranslate2.set_random_seed(0)
        # Without the new text as a prompt: with it, Whisper would write that text.
        segments, _ = whisper.transcribe(waveform, language="en", condition_on_previous_text=False)
        return " ".join(segment.text.strip() for segment in segments).strip()

    return listen
