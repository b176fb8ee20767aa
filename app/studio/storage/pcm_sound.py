"""The samples that the page plays, and their pictures: peaks by range, the spectrogram as PNGs."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from alignment.network.phone_network import mel

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


MAX_PAIRS = 20_000  # in one answer
TILE = 512  # columns
ROWS = 96
TOP_HZ = 8000.0
FRAME_SECONDS = 0.025
FLOOR, CEILING = -88.0, -18.0  # dB of the picture's darkest and brightest

# Dark to bright, even in lightness, told apart by any eye: anchors that are interpolated.
ANCHORS = ((8, 8, 24), (52, 22, 84), (120, 36, 100), (192, 62, 76), (240, 126, 50), (252, 238, 170))


def peaks_range(path: Path, sound: PcmSound, level: int, first: int, count: int) -> bytes:
    """Pairs (lowest, highest) of signed bytes: `count` of a level from `first` on, or fewer."""
    sizes = level_sizes(sound.samples, sound.sample_rate)
    if not 0 <= level < LEVELS or first < 0:
        return b""
    count = max(0, min(count, MAX_PAIRS, sizes[level] - first))
    with path.open("rb") as file:
        file.seek(2 * (sum(sizes[:level]) + first))
        return file.read(2 * count)


def spectrogram_tile(sound: PcmSound, level: int, tile: int) -> bytes:
    """TILE columns of PEAKS / 4 ** level columns a second, as a PNG."""
    rate = PEAKS / 4**level
    centres = (tile * TILE + np.arange(TILE) + 0.5) / rate * sound.sample_rate
    return _png(_columns(sound, centres[centres < sound.samples]))


def take_spectrogram(path: Path, sample_rate: int, channels: int) -> bytes:
    """A whole take, 200 columns a second, as a PNG."""
    sound = PcmSound(path, sample_rate, channels, path.stat().st_size // (2 * channels))
    columns = max(1, min(4000, round(sound.samples / sample_rate * 200)))
    return _png(_columns(sound, (np.arange(columns) + 0.5) / columns * sound.samples))


def _columns(sound: PcmSound, centres: np.ndarray) -> np.ndarray:
    """(columns, ROWS) of levels in dB, low frequencies first, evenly in mel."""
    size = max(64, round(FRAME_SECONDS * sound.sample_rate))
    if not len(centres):
        return np.full((1, ROWS), FLOOR)
    first = max(0, int(centres[0]) - size)
    last = min(sound.samples, int(centres[-1]) + size)
    if (last - first) / sound.sample_rate < 90:
        samples = np.pad(sound.mono(first, last), size)
        starts = centres.astype(int) - first + size // 2
        frames = samples[starts[:, None] + np.arange(size)[None, :]]
    else:  # far out: a glance at each column is enough
        frames = np.stack([_frame(sound, int(centre), size) for centre in centres])
    power = np.square(np.abs(np.fft.rfft(frames * np.hanning(size), axis=1)) / (size / 4))
    levels = 10 * np.log10(power @ _mel_rows(size, sound.sample_rate) + 1e-12)
    return np.asarray(levels)


def _frame(sound: PcmSound, centre: int, size: int) -> np.ndarray:
    first = max(0, min(centre - size // 2, sound.samples - size))
    found = sound.mono(first, min(first + size, sound.samples))
    return np.pad(found, (0, size - len(found)))


@lru_cache(maxsize=16)
def _mel_rows(size: int, rate: int) -> np.ndarray:
    """(bins, ROWS): the mean of the bins of each row, at least the nearest one."""
    top = min(TOP_HZ, rate / 2)
    edges = 700 * (10 ** (np.linspace(0, float(mel(top)), ROWS + 1) / 2595) - 1)
    bins = np.fft.rfftfreq(size, 1 / rate)
    result = np.zeros((len(bins), ROWS))
    for row in range(ROWS):
        inside = (bins >= edges[row]) & (bins < edges[row + 1])
        if not inside.any():
            inside[np.abs(bins - edges[row : row + 2].mean()).argmin()] = True
        result[inside, row] = 1 / inside.sum()
    return result


def _png(levels: np.ndarray) -> bytes:
    grey = np.clip((levels - FLOOR) / (CEILING - FLOOR) * 255, 0, 255).astype(np.uint8)
    image = Image.fromarray(np.ascontiguousarray(grey.T[::-1]), mode="P")
    image.putpalette(palette())
    with io.BytesIO() as file:
        image.save(file, "PNG")
        return file.getvalue()


@lru_cache(maxsize=1)
def palette() -> bytes:
    """256 colours interpolated between the anchors."""
    places = np.linspace(0, len(ANCHORS) - 1, 256)
    channels = [
        np.interp(places, range(len(ANCHORS)), [anchor[k] for anchor in ANCHORS]) for k in range(3)
    ]
    return np.stack(channels, 1).round().astype(np.uint8).tobytes()
