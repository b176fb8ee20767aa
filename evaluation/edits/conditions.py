"""The conditions under which edits are measured: a clip as recorded, and seven degradations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import soundfile
import soxr

from a3t.grid import SAMPLE_RATE
from training.features import sounds

Floats = np.ndarray

CLEAN = "clean"


def _noise(ratio: float) -> Callable[[Floats, np.random.Generator], Floats]:
    def add(samples: Floats, rng: np.random.Generator) -> Floats:
        noise = sounds.coloured_noise(len(samples), rng, slope=-3.0)
        return sounds.with_noise(samples, noise, ratio)

    return add


def _telephone(samples: Floats, rng: np.random.Generator) -> Floats:
    return sounds.band(samples, 300.0, 3400.0)


CONDITIONS: Mapping[str, Callable[[Floats, np.random.Generator], Floats]] = {
    CLEAN: lambda samples, rng: samples,
    "pink noise 20 dB": _noise(20.0),
    "pink noise 10 dB": _noise(10.0),
    "room": lambda samples, rng: sounds.reverberant(samples, rng, seconds=0.5, direct=3.0),
    "telephone": _telephone,
    "clipped": lambda samples, rng: sounds.clipped(samples, 0.2),
    "music": lambda samples, rng: sounds.with_noise(samples, sounds.music(len(samples), rng), 10.0),
    "8 kHz": _telephone,
}
RATES = {"8 kHz": 8_000}  # of the files, 24 kHz for all others; as telephone networks send them


def under(condition: str, samples: Floats, seed: int) -> Floats:
    """Put mono samples (n,) at 24 kHz under a condition: (n,), scaled down if they would clip."""
    wave = CONDITIONS[condition](np.asarray(samples, np.float64), np.random.default_rng(seed))
    return np.asarray(wave / max(1.0, float(np.abs(wave).max(initial=0.0))), np.float32)


def write_under(condition: str, samples: Floats, seed: int, path: Path) -> None:
    """Write the samples under a condition (`under`) to a WAV file: 16 bits, or mu-law at 8 kHz."""
    wave, rate = under(condition, samples, seed), RATES.get(condition, SAMPLE_RATE)
    if rate != SAMPLE_RATE:
        wave = np.clip(soxr.resample(wave, SAMPLE_RATE, rate), -1.0, 1.0)
    soundfile.write(path, wave, rate, subtype="PCM_16" if rate == SAMPLE_RATE else "ULAW")
