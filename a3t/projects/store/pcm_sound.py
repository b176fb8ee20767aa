"""The samples that the page plays (sound.pcm), and their peaks (peaks.bin)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

PEAKS = 500  # pairs a second at the finest of the LEVELS, each a quarter of the one before
LEVELS = 5
MAX_PAIRS = 20_000  # in one answer
PAIRS_AT_ONCE = 50_000  # 100 s


@dataclass(frozen=True)
class PcmSound:
    """16-bit samples as `ingest` leaves them, readable by windows like a recording.

    heard: the channels [first, last) whose mean `mono` is, None for all.
    """

    path: Path
    sample_rate: int
    channels: int
    samples: int
    heard: tuple[int, int] | None = None

    def read(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Return samples [start, stop) as they are kept, (n, channels) int16."""
        stop = self.samples if stop is None else stop
        count = max(0, stop - start) * self.channels
        raw = np.fromfile(self.path, "<i2", count, offset=2 * start * self.channels)
        return raw.reshape(-1, self.channels)

    def mono(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Return samples [start, stop), the mean of the channels: float32, full scale at 1."""
        first, last = self.heard or (0, self.channels)
        mixed: np.ndarray = self.read(start, stop)[:, first:last].mean(axis=1) / 32768
        return mixed.astype(np.float32)


def channels_played(channels: int, has_tracks: bool) -> int:
    """Return how many channels of a file the page plays: of joined tracks all."""
    return channels if channels <= 2 or has_tracks else 1


def played(samples: np.ndarray, channels: int) -> bytes:
    """Return samples (n, of the file), full scale at 1, as the page plays so many channels.

    One channel of several is their mean.
    """
    if samples.shape[1] != channels:
        samples = samples.mean(axis=1, keepdims=True)
    return np.clip(np.round(samples * 32768), -32768, 32767).astype("<i2").tobytes()


def level_sizes(samples: int, rate: int) -> list[int]:
    """Return the number of pairs in each level of peaks.bin."""
    sizes = [-(-samples * PEAKS // rate)]
    while len(sizes) < LEVELS:
        sizes.append(-(-sizes[-1] // 4))
    return sizes


def peaks_of(sound: PcmSound) -> bytes:
    """Return the lowest and highest sample of each 1/PEAKS s, of four such, and so on.

    All levels are there, the finest first, as bytes from -127 to 127; each has ceil(n / 4) pairs of
    the one before.
    """
    rate, count = sound.sample_rate, level_sizes(sound.samples, sound.sample_rate)[0]
    found = [np.zeros((0, 2), np.int8)]
    for first in range(0, count, PAIRS_AT_ONCE):
        edges = np.arange(first, min(first + PAIRS_AT_ONCE, count)) * rate // PEAKS
        last = min((first + PAIRS_AT_ONCE) * rate // PEAKS, sound.samples)
        samples = sound.mono(int(edges[0]), last)
        low, high = (each.reduceat(samples, edges - edges[0]) for each in (np.minimum, np.maximum))
        pairs = np.round(np.stack([low, high], axis=1) * 127)
        found.append(np.clip(pairs, -127, 127).astype(np.int8))
    levels = [np.concatenate(found)]
    while len(levels) < LEVELS:
        padded = np.pad(levels[-1], ((0, -len(levels[-1]) % 4), (0, 0)), mode="edge")
        grouped = padded.reshape(-1, 4, 2)
        levels.append(np.stack([grouped[:, :, 0].min(1), grouped[:, :, 1].max(1)], axis=1))
    return b"".join(level.tobytes() for level in levels)


def peaks_range(path: Path, sound: PcmSound, level: int, first: int, count: int) -> bytes:
    """Return pairs (lowest, highest) of signed bytes: ``count`` of a level, or fewer."""
    sizes = level_sizes(sound.samples, sound.sample_rate)
    if not 0 <= level < LEVELS or first < 0:
        return b""
    count = max(0, min(count, MAX_PAIRS, sizes[level] - first))
    with path.open("rb") as file:
        file.seek(2 * (sum(sizes[:level]) + first))
        return file.read(2 * count)
