"""Decode recordings of any kind to one channel at 24 kHz."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import soundfile
import soxr

from a3t.grid import SAMPLE_RATE


def decode(path: Path) -> tuple[np.ndarray, int]:
    """Decode mono int16 samples at 24 kHz, and return the recording's own rate too."""
    samples, rate = soundfile.read(str(path), dtype="float32", always_2d=True)
    mono = samples.mean(axis=1)
    if rate != SAMPLE_RATE:
        mono = soxr.resample(mono, rate, SAMPLE_RATE, quality="VHQ")
    return np.round(np.clip(mono, -1.0, 1.0) * 32767).astype(np.int16), rate


def decode_floats(path: Path) -> tuple[np.ndarray, int]:
    """Decode mono float32 samples in [-1, 1) at 24 kHz, and return the recording's own rate too."""
    samples, rate = decode(path)
    return samples.astype(np.float32) / 32768.0, rate


@dataclass(frozen=True)
class SoundFile:
    """A sound file of which any part can be read, as `alignment.aligner.Readable` wants it."""

    path: Path
    sample_rate: int = SAMPLE_RATE

    @cached_property
    def samples(self) -> int:
        """The samples at 24 kHz; 0 if the file can't be read."""
        try:
            return round(soundfile.info(str(self.path)).duration * SAMPLE_RATE)
        except (OSError, RuntimeError):  # soundfile's errors are RuntimeErrors
            return 0

    def mono(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Return samples [start, stop) of the channels' mean at 24 kHz."""
        return decode_floats(self.path)[0][start:stop]
