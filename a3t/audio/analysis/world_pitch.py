"""The pitch of a recording on the mel's frame grid: frame t has the pitch at sample 300 t.

WORLD's DIO and StoneMask (Morise, Yokomori and Ozawa 2016): what pitch is measured with, and what
losses hear.
"""

from __future__ import annotations

import warnings

import numpy as np

from a3t.grid import HOP, SAMPLE_RATE

FLOOR, CEILING = 65.0, 500.0  # Hz, of read speech


def log_pitch(samples: np.ndarray, frames: int, speed: int = 1) -> np.ndarray:
    """log2 of F0 in Hz, 0 where unvoiced, (frames,), for mono samples (n,) at 24 kHz.

    ``speed``, 1 to 12, is DIO's own: how far it decimates before it searches.
    """
    with warnings.catch_warnings():  # its import warns about how it finds its own version
        warnings.simplefilter("ignore")
        import pyworld

    wave = np.asarray(samples, dtype=np.float64)
    period = 1000.0 * HOP / SAMPLE_RATE
    coarse, times = pyworld.dio(
        wave, SAMPLE_RATE, f0_floor=FLOOR, f0_ceil=CEILING, frame_period=period, speed=speed
    )
    hertz = pyworld.stonemask(wave, coarse, times, SAMPLE_RATE)
    hertz = np.pad(hertz, (0, max(0, frames - len(hertz))))[:frames]
    voiced = (hertz >= FLOOR / 1.2) & (hertz <= CEILING * 1.2)
    return np.where(voiced, np.log2(np.maximum(hertz, 1.0)), 0.0).astype(np.float32)
