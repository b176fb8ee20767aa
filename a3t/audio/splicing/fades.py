"""Joins of two pieces of sound: the quiet place and the cross-fade."""

from __future__ import annotations

import numpy as np

FADE_MS = 15.0
LAG_MS = 6.5  # half a period of 77 Hz either way: any phase of a voice can be met
QUIET_MS = 5.0  # how long a quiet place must be
NEAR_DB = 1.0  # places this close to the quietest are as good; the one nearest the edit is taken


def rms(samples: np.ndarray) -> float:
    """Root mean square; 0 for nothing."""
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64)))) if samples.size else 0.0


def nearest_least(power: np.ndarray, prefer: int) -> int:
    """The place nearest `prefer` among those within 1 dB of the least power; power: (n,) >= 0."""
    equals = np.flatnonzero(power <= power.min() * 10 ** (NEAR_DB / 10) + 1e-12)
    return int(equals[np.argmin(np.abs(equals - prefer))])


def quietest_point(mono: np.ndarray, centre: int, radius: int, rate: int) -> int:
    """The centre of the quietest 5 ms within `radius` samples of `centre`; mono: (n,)."""
    width = max(1, min(len(mono), round(QUIET_MS * rate / 1000)))
    half = width // 2
    first = min(max(0, centre - radius - half), len(mono) - width)
    last = max(min(len(mono), centre + radius + width - half), first + width)
    total = np.concatenate([[0.0], np.cumsum(np.square(mono[first:last], dtype=np.float64))])
    power = np.maximum(total[width:] - total[:-width], 0.0) / width
    return first + nearest_least(power, centre - half - first) + half


def fade_weights(length: int, correlation: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Weights (out, in), each (length,), that keep the power of two pieces of equal power.

    Two pieces that correlate by c, weighted a and b, have the power a² + b² + 2abc of either. So
    the equal-power pair cos θ, sin θ, right for c = 0, is divided by √(1 + c sin 2θ); at c = 1,
    where equal power would swell by 3 dB, this is a pair that sums to 1. θ runs from 0 to π/2
    along a raised cosine, so both ends are smooth.
    """
    place = (np.arange(length) + 0.5) / length if length else np.empty(0)
    angle = np.pi / 2 * np.sin(np.pi / 2 * place) ** 2
    norm = np.sqrt(1 + correlation * np.sin(2 * angle))
    return np.cos(angle) / norm, np.sin(angle) / norm


def fade_correlation(old: np.ndarray, new: np.ndarray) -> float:
    """The agreement, in 0..1, of two mono pieces (n,) where a fade would hear both.

    Opposition counts as 0: making up for it would need a boost without bound.
    """
    both = np.prod(fade_weights(len(old)), axis=0)
    power = np.sum(both * old**2) * np.sum(both * new**2)
    if power <= 0:
        return 0.0
    return float(np.clip(np.sum(both * old * new) / np.sqrt(power), 0.0, 1.0))


def crossfade(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Cross-fade from `old` to `new`, both (n, channels), at constant power; see fade_weights."""
    correlation = fade_correlation(old.mean(axis=1), new.mean(axis=1))
    out, into = fade_weights(len(old), correlation)
    return old * out[:, None] + new * into[:, None]


def fade_in(samples: np.ndarray, length: int) -> np.ndarray:
    """`samples` (n, channels) risen from silence over their first `length`."""
    length = min(length, len(samples))
    result = samples.copy()
    result[:length] *= fade_weights(length)[1][:, None]
    return result


def fade_out(samples: np.ndarray, length: int) -> np.ndarray:
    """`samples` (n, channels) brought to silence over their last `length`."""
    return fade_in(samples[::-1], length)[::-1]
