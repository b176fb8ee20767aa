"""The page's pictures of sound: spectrograms as PNGs."""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from a3t.projects.store.pcm_sound import PEAKS, PcmSound
from alignment.network.phone_network import mel

TILE = 512  # columns
PICTURE_ROWS = 96
PICTURE_TOP_HZ = 8000.0
FRAME_SECONDS = 0.025
FLOOR, CEILING = -88.0, -18.0  # dB of the picture's darkest and brightest
# Dark to bright, even in lightness, told apart by any eye: anchors that are interpolated.
ANCHORS = ((8, 8, 24), (52, 22, 84), (120, 36, 100), (192, 62, 76), (240, 126, 50), (252, 238, 170))


def spectrogram_tile(sound: PcmSound, level: int, tile: int) -> bytes:
    """Draw TILE columns, PEAKS / 4 ** level of them a second, as a PNG."""
    rate = PEAKS / 4**level
    centres = (tile * TILE + np.arange(TILE) + 0.5) / rate * sound.sample_rate
    return _png(_columns(sound, centres[centres < sound.samples]))


def take_spectrogram(path: Path, sample_rate: int, channels: int) -> bytes:
    """Draw a whole take, 200 columns a second, as a PNG."""
    sound = PcmSound(path, sample_rate, channels, path.stat().st_size // (2 * channels))
    columns = max(1, min(4000, round(sound.samples / sample_rate * 200)))
    return _png(_columns(sound, (np.arange(columns) + 0.5) / columns * sound.samples))


def _columns(sound: PcmSound, centres: np.ndarray) -> np.ndarray:
    """Return (columns, PICTURE_ROWS) of levels in dB, low frequencies first, evenly in mel."""
    size = max(64, round(FRAME_SECONDS * sound.sample_rate))
    if not len(centres):
        return np.full((1, PICTURE_ROWS), FLOOR)
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
    """Return (bins, PICTURE_ROWS): the mean of the bins of each row, at least the nearest one."""
    top = min(PICTURE_TOP_HZ, rate / 2)
    edges = 700 * (10 ** (np.linspace(0, float(mel(top)), PICTURE_ROWS + 1) / 2595) - 1)
    bins = np.fft.rfftfreq(size, 1 / rate)
    result = np.zeros((len(bins), PICTURE_ROWS))
    for row in range(PICTURE_ROWS):
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
    """Interpolate 256 colours between the anchors."""
    places = np.linspace(0, len(ANCHORS) - 1, 256)
    channels = [
        np.interp(places, range(len(ANCHORS)), [anchor[k] for anchor in ANCHORS]) for k in range(3)
    ]
    return np.stack(channels, 1).round().astype(np.uint8).tobytes()
