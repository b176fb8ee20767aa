"""Cross-fades at constant power, however much the two sounds agree."""

from __future__ import annotations

import numpy as np

FADE_MS = 15.0
LAG_MS = 6.5  # half a period of 77 Hz either way: any phase of a voice can be met


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
