"""Fits one piece of sound to another: rate, level, channels, a quiet place, the cross-fade."""

from __future__ import annotations

import math

import numpy as np
import soxr

from a3t.grid import SAMPLE_RATE, ceil_at_rate, floor_at_rate

CONTEXT = SAMPLE_RATE // 100  # samples mirrored on either side for the resampling filter
GAIN_LIMIT_DB = 6.0
AUDIBLE_DB = 25.0  # a margin further than this below its surroundings says nothing of the level


def resample_patch(synthesis: np.ndarray, first: int, rate: int) -> tuple[np.ndarray, int]:
    """A sound (n,) at 24 kHz, whose sample 0 lies at sample `first`, on the clock of `rate`.

    Returns (k,) float64 and the sample at which it starts: sample i of the result is the sound
    at (start + i) / rate seconds exactly, so nothing is shifted by a fraction of a sample.
    """
    # Both clocks have a sample at every 1 / gcd seconds. Mirrored sound is put in front, back to
    # such a point, so that the filter neither starts on a step nor runs out of phase.
    meetings = math.gcd(SAMPLE_RATE, rate)
    there, here = SAMPLE_RATE // meetings, rate // meetings
    begin = (first - CONTEXT) // there
    sound = np.pad(
        np.asarray(synthesis, np.float64), (first - begin * there, CONTEXT), mode="reflect"
    )
    if rate != SAMPLE_RATE:
        sound = soxr.resample(sound, SAMPLE_RATE, rate)
    start, stop = ceil_at_rate(first, rate), floor_at_rate(first + len(synthesis), rate)
    return sound[start - begin * here : stop - begin * here], start


def gain_match(
    left: tuple[np.ndarray, np.ndarray],
    right: tuple[np.ndarray, np.ndarray],
    surroundings: float,
) -> tuple[float, float]:
    """Gains in dB that bring a synthesis to the recording's level in either margin, within ±6.

    left, right: (recording, synthesis) over a margin, mono (n,), empty where there is none.
    surroundings: RMS of the recording there. A margin that is a pause (25 dB below) or empty
    takes the other's gain: room noise says nothing of how loud the words should be.
    """
    audible = max(surroundings * 10 ** (-AUDIBLE_DB / 20), 1e-6)
    gains: list[float | None] = []
    for old, new in (left, right):
        gain = None
        if min(rms(old), rms(new)) > audible:
            gain = 20 * math.log10(rms(old) / rms(new))
            gain = min(max(gain, -GAIN_LIMIT_DB), GAIN_LIMIT_DB)
        gains.append(gain)
    first, last = gains
    known = [gain for gain in gains if gain is not None] or [0.0]
    return known[0] if first is None else first, known[-1] if last is None else last


def spread_channels(mono: np.ndarray, surroundings: np.ndarray) -> np.ndarray:
    """A mono sound (n,) on the channels as the speech around it is spread: (n, channels).

    surroundings: (m, channels). Each channel's gain is the least-squares one of the channel on
    the mono mix, <channel, mix> / <mix, mix>; the gains average to 1. A silent channel gets 0 and
    stays silent; sound that only one channel has, such as another person's microphone, takes no
    part in the patch. Delays between channels are not modelled.
    """
    mix = surroundings.mean(axis=1)
    power = float(np.einsum("i,i", mix, mix))  # BLAS would sum by the number of threads
    shared = np.einsum("ic,i->c", surroundings, mix)
    gains = shared / power if power > 0 else np.ones(surroundings.shape[1])
    return mono[:, None] * gains


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
