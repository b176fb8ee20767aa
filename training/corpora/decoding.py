"""Decode recordings of any kind to one channel at 24 kHz."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile
import soxr

from a3t.grid import SAMPLE_RATE


def decode(path: Path) -> tuple[np.ndarray, int]:
    """Mono int16 samples at 24 kHz, and the recording's own rate."""
    samples, rate = soundfile.read(str(path), dtype="float32", always_2d=True)
    mono = samples.mean(axis=1)
    if rate != SAMPLE_RATE:
        mono = soxr.resample(mono, rate, SAMPLE_RATE, quality="VHQ")
    return np.round(np.clip(mono, -1.0, 1.0) * 32767).astype(np.int16), rate


def decode_floats(path: Path) -> tuple[np.ndarray, int]:
    """Mono float32 samples in [-1, 1) at 24 kHz, and the recording's own rate."""
    samples, rate = decode(path)
    return samples.astype(np.float32) / 32768.0, rate
