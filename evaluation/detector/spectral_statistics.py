"""Simple statistics of a stretch of sound, by bands of its log spectrum, within its recording."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from a3t.errors import InputError

Floats = np.ndarray

RATE = 16_000  # Hz
SIZE, HOP = 512, 160  # samples of a frame, and from one frame to the next: 10 ms
EDGES = (0, 600, 1300, 2500, 4100, 5600, 7000, 7600, 8000)  # Hz, of the bands
FLOOR = 1e-9  # of the recording's mean power, to which silence is raised
STATISTICS = (
    "level",  # dB, the mean
    "spread",  # of the frames' levels
    "pace",  # mean change of the level from frame to frame
    "roughness",  # mean difference of neighbouring bins, dB
    "roughness, spread",
    "contrast",  # the bins' standard deviation within a frame, dB
    "contrast, spread",
    "agreement",  # correlation of a frame's bins with the next one's
    "agreement, 20 ms",
    "valleys",  # dB by which a frame's lowest tenth lies below its mean
)
LEAST_FRAMES = 4  # of a stretch, and of what surrounds it


@dataclass(frozen=True)
class Feature:
    """A statistic of a band, Hz; ``relative``: the stretch's minus its surroundings'."""

    band: tuple[int, int]
    statistic: str
    relative: bool


FEATURES = tuple(
    Feature(band, statistic, relative)
    for relative in (False, True)
    for band in zip(EDGES, EDGES[1:], strict=False)
    for statistic in STATISTICS
)


def log_spectrum(samples: Floats) -> Floats:
    """Transform (n,) at 16 kHz into (T, 257) dB; frame t is centred on sample 160 t.

    The mean power is 0 dB, so that no recording's level tells.
    """
    padded = np.pad(np.asarray(samples, np.float64), SIZE // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, SIZE)[::HOP]
    power = np.square(np.abs(np.fft.rfft(frames * np.hanning(SIZE))))
    mean = max(float(power.mean()), 1e-20)
    return np.asarray(10 * np.log10(power / mean + FLOOR))


def stretch_features(spectrum: Floats, first: int, last: int) -> Floats:
    """Return the ``FEATURES`` (160,) of samples [first, last) at 16 kHz of a `log_spectrum`.

    Frames that reach over the stretch's ends are neither inside nor outside. Raises InputError if
    it, or what is around it, is too short.
    """
    centre = np.arange(len(spectrum)) * HOP
    half = SIZE // 2
    inside = (centre >= first + half // 2) & (centre < last - half // 2)
    outside = (centre < first - half) | (centre >= last + half)
    if min(inside.sum(), outside.sum()) < LEAST_FRAMES:
        raise InputError(f"Samples {first} to {last} are too few, or all of their recording.")
    own, others = _statistics(spectrum, inside), _statistics(spectrum, outside)
    return np.concatenate([own, own - others])


def _statistics(spectrum: Floats, chosen: Floats) -> Floats:
    """Return every statistic of every band over the chosen frames (T,), (80,)."""
    frames = np.flatnonzero(chosen)
    bins = np.arange(spectrum.shape[1]) * RATE / SIZE
    found = []
    for low, high in zip(EDGES, EDGES[1:], strict=False):
        band = spectrum[:, (bins >= low) & (bins < high)]
        level = band.mean(axis=1)
        shape = band - level[:, None]
        contrast = np.sqrt(np.square(shape).mean(axis=1))
        unit = shape / np.maximum(contrast, 1e-6)[:, None]
        rough = np.abs(np.diff(band[frames], axis=1)).mean(axis=1)
        one, two = (np.flatnonzero(chosen[:-lag] & chosen[lag:]) for lag in (1, 2))
        found.append(
            (
                level[frames].mean(),
                level[frames].std(),
                np.abs(level[one + 1] - level[one]).mean(),
                rough.mean(),
                rough.std(),
                contrast[frames].mean(),
                contrast[frames].std(),
                (unit[one] * unit[one + 1]).mean(),
                (unit[two] * unit[two + 2]).mean(),
                -np.percentile(shape[frames], 10, axis=1).mean(),
            )
        )
    return np.asarray(found).ravel()
