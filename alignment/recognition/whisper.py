"""Recognition by Whisper, through faster-whisper (CTranslate2), once a model of it is fetched.

Nothing is downloaded here: `a3t fetch-recogniser` and the page do that on request, and
put a model where `find_whisper` looks. Its times are not used: its text is aligned like any other.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from alignment.errors import AlignmentError
from alignment.waveform import model_waveform

MODELS = ("small.en", "base.en", "tiny.en")  # that a CPU runs faster than speech, the best first
RECOGNISERS = ("auto", "network", "whisper", *MODELS)
LONGEST_S = 30.0  # seconds that it hears at once
MAX_ENCODED = 8  # encoded windows; some MB each
# The probability from which another language is believed: in German, French and Spanish of
# espeak-ng's (5) Whisper base has .64 to .97 for it, and in English (2) .90 and more for English.
OTHER_LANGUAGE = 0.5
PACKAGE = "faster_whisper"
INSTALL = "Whisper needs faster-whisper: pip install 'a3t[whisper]'."


def is_installed() -> bool:
    """Return whether there is a package that can read a model."""
    return find_spec(PACKAGE) is not None


def fetched_model(name: str) -> Path:
    """Return the folder in which a fetched model of that name is."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "a3t" / "recognisers" / name


def find_whisper(name: str | None = None) -> Path | None:
    """Return the folder of a model, by its name or the folder itself; None if it can't be used.

    By default it is the first of MODELS that was fetched. None if it isn't there or no package can
    read it.
    """
    if not is_installed():
        return None
    folders = [fetched_model(each) for each in ([name] if name in MODELS else MODELS)]
    if name is not None and name not in MODELS:
        folders = [Path(name)]
    return next((folder for folder in folders if (folder / "model.bin").is_file()), None)


def whisper_model(recogniser: str) -> Path | None:
    """Return the folder of the model that one of RECOGNISERS, or a folder, means.

    None for the network. "auto" is what A3T_RECOGNISER names, else Whisper if a model of it was
    fetched. Raises AlignmentError, saying what to do, for a recogniser that isn't here.
    """
    if recogniser == "auto":
        recogniser = os.environ.get("A3T_RECOGNISER") or "auto"
    if recogniser in ("auto", "network"):
        return find_whisper() if recogniser == "auto" else None
    if recogniser not in RECOGNISERS and not Path(recogniser).is_dir():
        raise AlignmentError(
            f'There is no recogniser "{recogniser}": choose {", ".join(RECOGNISERS)}, or the '
            "folder of a Whisper model."
        )
    folder = find_whisper(None if recogniser == "whisper" else recogniser)
    if folder is None and not is_installed():
        raise AlignmentError(INSTALL)
    if folder is None:
        which = f" {recogniser}" if recogniser in MODELS else ""
        where = "" if recogniser in RECOGNISERS else f" in {recogniser}"
        raise AlignmentError(
            f"There is no Whisper model{which}{where} here: a3t fetch-recogniser{which}."
        )
    return folder


class Whisper:
    """The model in a folder, loaded; AlignmentError if it can't be read."""

    def __init__(self, folder: Path) -> None:
        import faster_whisper
        from faster_whisper.tokenizer import Tokenizer

        options = {"device": "cpu", "compute_type": "int8", "local_files_only": True}
        try:
            self._whisper = faster_whisper.WhisperModel(str(folder), **options)
            several = self._whisper.model.is_multilingual
            self._tokenizer = Tokenizer(
                self._whisper.hf_tokenizer, several, task="transcribe", language="en"
            )
            # Hearing a part, hearing it again and scoring texts each encode it anew: half the time.
            self._encode, self._kept, self._lock = self._whisper.encode, dict[bytes, Any](), Lock()
            self._whisper.encode = self._encoded
        except (RuntimeError, OSError, ValueError, KeyError, TypeError) as error:
            raise AlignmentError(
                f"Whisper's model in {folder} can't be used: delete that folder and fetch it again."
            ) from error

    def hear(self, samples: np.ndarray, sample_rate: int, hotwords: Sequence[str] = ()) -> str:
        """Return the text heard in English, with punctuation and capitals, or "".

        ``samples``: mono, float, (n,), at most `LONGEST_S` seconds; ``hotwords``: rare words that
        may be said. Raises AlignmentError when they can't be used.
        """
        import ctranslate2

        # If it repeats itself without end, it samples again, with a fixed seed.
        ctranslate2.set_random_seed(0)
        # Without the new text as a prompt: with it, Whisper would write that text. With its times,
        # which nobody uses: without them it leaves out the last sentence of some parts.
        segments, _ = self._whisper.transcribe(
            _waveform(samples, sample_rate),
            language="en",
            condition_on_previous_text=False,
            hotwords=" ".join(hotwords) or None,
        )
        return " ".join(segment.text.strip() for segment in segments).strip()

    def require_english(self, samples: np.ndarray, sample_rate: int) -> None:
        """Raise AlignmentError if a model that knows other languages hears one of them."""
        if not self._whisper.model.is_multilingual:
            return
        language, probability, _ = self._whisper.detect_language(_waveform(samples, sample_rate))
        if language != "en" and probability >= OTHER_LANGUAGE:
            raise AlignmentError(
                f"The recording seems to be in another language ({language}, {probability:.0%}), "
                "and a3t knows English only: if it is in English, give its text."
            )

    def encode(self, samples: np.ndarray, sample_rate: int) -> EncodedSound:
        """Score `pieces`; samples and errors as for `hear`."""
        features = self._whisper.feature_extractor(_waveform(samples, sample_rate))
        whole = self._whisper.feature_extractor.nb_max_frames
        frames = min(features.shape[1] - 1, whole)
        padded = np.pad(features[:, :frames], ((0, 0), (0, whole - frames)))
        return EncodedSound(self._whisper.encode(padded), frames)

    def _encoded(self, features: np.ndarray) -> Any:
        """Return the model's encoding of features, kept for the latest of them."""
        key = sha256(features.tobytes()).digest()
        with self._lock:
            if key not in self._kept:
                if len(self._kept) == MAX_ENCODED:
                    del self._kept[next(iter(self._kept))]
                self._kept[key] = self._encode(features)
            return self._kept[key]

    def pieces(self, sound: EncodedSound, text: str) -> list[tuple[str, float]]:
        """Return the pieces of a text, with the spaces before them, and each one's probability.

        It is the probability behind the pieces before it.
        """
        numbers = self._tokenizer.encode(f" {text.strip()}")
        if not numbers:
            return []
        (result,) = self._whisper.model.align(
            sound.encoded, self._tokenizer.sot_sequence, [numbers], sound.frames
        )
        names = [self._tokenizer.decode([number]) for number in numbers]
        return list(zip(names, result.text_token_probs, strict=True))


def _waveform(samples: np.ndarray, sample_rate: int) -> np.ndarray:
    if len(samples) > LONGEST_S * sample_rate:
        raise AlignmentError(f"Whisper takes {LONGEST_S:.0f} s at once: cut the recording.")
    return model_waveform(samples, sample_rate).astype(np.float32) / 32768


class EncodedSound(NamedTuple):
    """A recording as a model has encoded it, and its frames of 10 ms, without the padding."""

    encoded: Any
    frames: int


load_whisper = cache(Whisper)
