"""The samples that the page plays and draws."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

PEAKS = 500  # pairs a second at the finest of the LEVELS, each a quarter of the one before
LEVELS = 5


@dataclass(frozen=True)
class PcmSound:
    """16-bit samples as `ingest` leaves them, readable by windows like a recording."""

    path: Path
    sample_rate: int
    channels: int
    samples: int

    def mono(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Samples [start, stop), the mean of the channels, float32 with full scale at 1."""
        stop = self.samples if stop is None else stop
        count = max(0, stop - start) * self.channels
        raw = np.fromfile(self.path, "<i2", count, offset=2 * start * self.channels)
        mixed: np.ndarray = raw.reshape(-1, self.channels).mean(axis=1) / 32768
        return mixed.astype(np.float32)


def played(samples: np.ndarray) -> bytes:
    """Samples (n, channels), full scale at 1, as the page plays them; of more than two channels
    their mean."""
    if samples.shape[1] > 2:
        samples = samples.mean(axis=1, keepdims=True)
    return np.clip(np.round(samples * 32768), -32768, 32767).astype("<i2").tobytes()


def level_sizes(samples: int, rate: int) -> list[int]:
    """The number of pairs in each level of peaks.bin."""
    sizes = [-(-samples * PEAKS // rate)]
    while len(sizes) < LEVELS:
        sizes.append(-(-sizes[-1] // 4))
    return sizes
