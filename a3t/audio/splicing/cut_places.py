"""The places where two stretches of recorded sound are joined unheard.

The quietest place is not always best: within a pause it is a hole in the room's tone, and within
speech two quiet places may have nothing to do with each other. So pairs of places are weighed: how
much the spectrum changes from the 20 ms before the joint to those after it, how far its level lies
from theirs, how much louder it is than need be, and how far the places are from those asked for.
"""

from __future__ import annotations

import numpy as np

STEP = 0.002  # seconds between two places that are tried
BESIDE = 0.02  # seconds on either side that are compared
MIDDLE = 0.005  # seconds on either side that make up the joint's own level
BANDS, LOWEST, HIGHEST = 16, 150.0, 11_000.0  # Hz
# What is weighed against a change of the spectrum by 10 dB in all bands, which costs 0.5:
LEVEL_COST = 0.06  # a decibel of the joint's level above or below that beside it
LOUD_COST = 0.02  # a decibel above the quietest joint, from LOUD on
LOUD = 6.0
PLACE_COST = 2.0  # a second between a place and the one asked for
FLOOR = 1e-6  # of the mean power; what is quieter is silence


def best_places(
    left: np.ndarray,
    leave: tuple[int, int],
    right: np.ndarray,
    enter: tuple[int, int],
    prefer: tuple[int, int],
    rate: int,
) -> tuple[int, int] | None:
    """The sample to leave one sound at and the one to enter the other at, both mono (n,).

    leave, enter: the samples [first, last] of each that may be taken; prefer: those that were asked
    for. None where none has enough sound beside it.
    """
    beside, middle = round(BESIDE * rate), round(MIDDLE * rate)
    step = max(1, round(STEP * rate))
    ways = []
    for sound, (first, last), wanted in zip((left, right), (leave, enter), prefer, strict=True):
        own = wanted + step * np.arange((first - wanted) // step, (last - wanted) // step + 1)
        inside = (own >= max(first, beside + middle)) & (
            own <= min(last, len(sound) - beside - middle)
        )
        ways.append(own[inside])
    one, other = ways
    if not len(one) or not len(other):
        return None
    floor = max(float(np.mean(np.square(left))), float(np.mean(np.square(right)))) * FLOOR + 1e-12
    before = band_powers(np.stack([left[k - beside : k] for k in one]), rate)
    after = band_powers(np.stack([right[k : k + beside] for k in other]), rate)
    change = np.abs(np.log10(before + floor)[:, None] - np.log10(after + floor)[None]).mean(axis=2)
    here = _power(left, one - middle, one)[:, None] + _power(right, other, other + middle)[None]
    level = 10 * np.log10(here / 2 + floor)
    around = (
        10 * np.log10(_power(left, one - beside - middle, one - middle) + floor)[:, None]
        + 10 * np.log10(_power(right, other + middle, other + middle + beside) + floor)[None]
    ) / 2
    away = np.abs(one - prefer[0])[:, None] + np.abs(other - prefer[1])[None]
    cost = (
        change / 2
        + LEVEL_COST * np.abs(level - around)
        + LOUD_COST * np.maximum(level - level.min() - LOUD, 0)
        + PLACE_COST * away / rate
    )
    i, j = np.unravel_index(int(np.argmin(cost)), cost.shape)
    return int(one[i]), int(other[j])


def _power(sound: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """(n,) mean power of stretches."""
    total = np.concatenate([[0.0], np.cumsum(np.square(sound, dtype=np.float64))])
    return np.asarray(np.maximum(total[last] - total[first], 0.0) / (last - first))


def band_powers(pieces: np.ndarray, rate: int) -> np.ndarray:
    """(n, bands) mean power in bands of pieces (n, samples)."""
    size = pieces.shape[1]
    power = np.square(np.abs(np.fft.rfft(pieces * np.hanning(size), axis=1))) / size
    hertz = np.fft.rfftfreq(size, 1 / rate)
    edges = np.geomspace(LOWEST, min(rate / 2, HIGHEST), BANDS)
    band = np.searchsorted(edges, hertz, side="right")
    found = [power[:, band == k].mean(axis=1) for k in range(BANDS) if (band == k).any()]
    return np.stack(found, axis=1)
