"""Fits a synthesis to its recording: rate, level and channels."""

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


def rms(samples: np.ndarray) -> float:
    """Root mean square; 0 for nothing."""
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64)))) if samples.size else 0.0
