"""The conditions under which edits are measured: a clip as recorded, and six degradations."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from training import sounds

Floats = np.ndarray

CLEAN = "clean"


def _noise(ratio: float) -> Callable[[Floats, np.random.Generator], Floats]:
    def add(samples: Floats, rng: np.random.Generator) -> Floats:
        noise = sounds.coloured_noise(len(samples), rng, slope=-3.0)
        return sounds.with_noise(samples, noise, ratio)

    return add


CONDITIONS: Mapping[str, Callable[[Floats, np.random.Generator], Floats]] = {
    CLEAN: lambda samples, rng: samples,
    "pink noise 20 dB": _noise(20.0),
    "pink noise 10 dB": _noise(10.0),
    "room": lambda samples, rng: sounds.reverberant(samples, rng, seconds=0.5, direct=3.0),
    "telephone": lambda samples, rng: sounds.band(samples, 300.0, 3400.0),
    "clipped": lambda samples, rng: sounds.clipped(samples, 0.2),
    "music": lambda samples, rng: sounds.with_noise(samples, sounds.music(len(samples), rng), 10.0),
}


def under(condition: str, samples: Floats, seed: int) -> Floats:
    """Mono samples (n,) at 24 kHz under a condition: (n,), scaled down if they would clip."""
    wave = CONDITIONS[condition](np.asarray(samples, np.float64), np.random.default_rng(seed))
    return np.asarray(wave / max(1.0, float(np.abs(wave).max(initial=0.0))), np.float32)
