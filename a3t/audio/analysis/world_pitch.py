"""Pitch by WORLD's DIO and StoneMask (Morise, Yokomori and Ozawa 2016)."""

from __future__ import annotations

import warnings
from types import ModuleType

import numpy as np

from a3t.grid import HOP, SAMPLE_RATE

FLOOR_HZ, CEILING_HZ = 65.0, 500.0  # Hz, of read speech


def load_world() -> ModuleType:
    """Import pyworld, which is optional; raise ImportError without it."""
    with warnings.catch_warnings():  # its import warns about how it finds its own version
        warnings.simplefilter("ignore")
        import pyworld
    module: ModuleType = pyworld
    return module


def pitch(wave: np.ndarray, period: float, speed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return F0 in Hz every ``period`` ms, 0 where there is no voice, and its times in seconds.

    Both are (T,), of mono samples (n,) at 24 kHz. ``speed``, 1 to 12, is DIO's own: how far it
    decimates before it searches.
    """
    world, wave = load_world(), np.asarray(wave, np.float64)
    coarse, times = world.dio(
        wave, SAMPLE_RATE, f0_floor=FLOOR_HZ, f0_ceil=CEILING_HZ, frame_period=period, speed=speed
    )
    return world.stonemask(wave, coarse, times, SAMPLE_RATE), times


def log_pitch(samples: np.ndarray, frames: int, speed: int = 1) -> np.ndarray:
    """Return log2 of F0 in Hz, 0 where unvoiced, on the first frames of the mel's grid, (frames,).

    ``samples``: mono (n,) at 24 kHz; ``speed`` as for `pitch`.
    """
    hertz, _ = pitch(samples, 1000.0 * HOP / SAMPLE_RATE, speed)
    hertz = np.pad(hertz, (0, max(0, frames - len(hertz))))[:frames]
    voiced = (hertz >= FLOOR_HZ / 1.2) & (hertz <= CEILING_HZ * 1.2)
    return np.where(voiced, np.log2(np.maximum(hertz, 1.0)), 0.0).astype(np.float32)
