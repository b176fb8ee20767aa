"""The places where two stretches of sound are joined unheard.

The quietest place is not always best: within a pause it is a hole in the room's tone, and within
speech two quiet places may have nothing to do with each other. So places are weighed: how much the
spectrum changes from the 20 ms before the joint to those after it, how far its level lies from
theirs, how far the places are from those asked for. Where two recorded stretches meet
(`best_places`), how loud the joint is counts as well; where new sound lies over the recording
(`best_seam`), how well the two agree there. Where there is no room for that, the quietest point
nearby has to do (`quietest_point`).

What meets there has the recording's rate, level and channels (`resample_patch`, `gain_match`,
`spread_channels`), and is cross-faded at constant power, however much the two sounds agree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import soxr

from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from a3t.grid import SAMPLE_RATE, ceil_at_rate, floor_at_rate
from a3t.spans import Span

FADE_MS = 15.0
LAG_MS = 6.5  # half a period of 77 Hz either way: any phase of a voice can be met
# Samples mirrored on either side for the resampling filter.
FILTER_CONTEXT_SAMPLES = SAMPLE_RATE // 100
GAIN_LIMIT_DB = 6.0
# A margin further than this below its surroundings says nothing of the level.
TELLING_MARGIN_DB = 25.0
QUIET_MS = 5.0  # how long a quiet place must be
NEAR_DB = 1.0  # places this close to the quietest are as good; the one nearest the edit is taken
PLACE_STEP_S = 0.002  # seconds between two places that are tried
BESIDE_S = 0.02  # seconds on either side that are compared
MIDDLE_S = 0.005  # seconds on either side that make up the joint's own level
JOINT_BANDS, LOWEST_BAND_EDGE_HZ, HIGHEST_BAND_EDGE_HZ = 16, 150.0, 11_000.0  # Hz
# What is weighed against a change of the spectrum by 10 dB in all bands, which costs 0.5:
CUT_LEVEL_COST = 0.06  # a decibel of the joint's level above or below that beside it
CUT_LOUD_COST = 0.02  # a decibel above the quietest joint, from LOUD_DB on
LOUD_DB = 6.0
CUT_PLACE_COST = 2.0  # a second between a place and the one asked for
SILENT_SHARE = 1e-6  # of the mean power; what is quieter is silence
SURROUNDINGS_S = 1.0  # on either side of an edit: its level, spread and offset
FINEST_RATE_HZ = 48_000  # lags are tried in steps of one sample of this rate
PLACES_PER_S = 1000  # a second, at which a cut is tried
QUIET_DB = 40.0  # below the surroundings' level, where a mismatch begins to matter less
# What moving costs, in units of mismatch, whose greatest is 2.
LAG_COST = 80.0  # a second: 0.4 for 5 ms
PLACE_COST = 0.2  # a second
CHANGE_COST = 0.75  # for a spectrum that changes by 10 dB in all bands within 40 ms
COST_PER_DB = 0.04  # for a decibel of the joint's level above or below that beside it …
MAX_JOINT_LEVEL_DB = 5.0  # … up to so many: a pause, however short, is a good place among bad ones


def fade_weights(length: int, correlation: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Return weights (out, in), each (length,), that keep the power of two pieces of equal power.

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
    """Return the agreement, in 0..1, of two mono pieces (n,) where a fade would hear both.

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
    """Raise ``samples`` (n, channels) from silence over their first ``length``."""
    length = min(length, len(samples))
    result = samples.copy()
    result[:length] *= fade_weights(length)[1][:, None]
    return result


def fade_out(samples: np.ndarray, length: int) -> np.ndarray:
    """Bring ``samples`` (n, channels) to silence over their last ``length``."""
    return fade_in(samples[::-1], length)[::-1]


def resample_patch(synthesis: np.ndarray, first: int, rate: int) -> tuple[np.ndarray, int]:
    """Bring a sound (n,) at 24 kHz to the clock of ``rate``.

    Its sample 0 lies at sample ``first``. Returns (k,) float64 and the sample at which it starts:
    sample i of the result is the sound at (start + i) / rate seconds exactly, so nothing is shifted
    by a fraction of a sample.
    """
    # Both clocks have a sample at every 1 / gcd seconds. Mirrored sound is put in front, back to
    # such a point, so that the filter neither starts on a step nor runs out of phase.
    meetings = math.gcd(SAMPLE_RATE, rate)
    there, here = SAMPLE_RATE // meetings, rate // meetings
    begin = (first - FILTER_CONTEXT_SAMPLES) // there
    sound = np.pad(
        np.asarray(synthesis, np.float64),
        (first - begin * there, FILTER_CONTEXT_SAMPLES),
        mode="reflect",
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
    """Return gains in dB, within ±6, that bring a synthesis to the recording's level at either end.

    left, right: (recording, synthesis) over a margin, mono (n,), empty where there is none.
    surroundings: RMS of the recording there. A margin that is a pause (25 dB below) or empty
    takes the other's gain: room noise says nothing of how loud the words should be.
    """
    audible = max(surroundings * 10 ** (-TELLING_MARGIN_DB / 20), 1e-6)
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
    """Spread a mono sound (n,) over the channels as the speech around it is: (n, channels).

    surroundings: (m, channels). Each channel's gain is the least-squares one of the channel on the
    mono mix, <channel, mix> / <mix, mix>; the gains average to 1. A silent channel gets 0 and stays
    silent; sound that only one channel has, such as another person's microphone, takes no part in
    the patch. Delays between channels are not modelled.
    """
    mix = surroundings.mean(axis=1)
    power = float(np.einsum("i,i", mix, mix))  # BLAS would sum by the number of threads
    shared = np.einsum("ic,i->c", surroundings, mix)
    gains = shared / power if power > 0 else np.ones(surroundings.shape[1])
    return mono[:, None] * gains


def rms(samples: np.ndarray) -> float:
    """Return the root mean square; 0 for nothing."""
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64)))) if samples.size else 0.0


def best_places(
    left: np.ndarray,
    leave: Span,
    right: np.ndarray,
    enter: Span,
    prefer: tuple[int, int],
    rate: int,
) -> tuple[int, int] | None:
    """Return the sample to leave one sound at and the one to enter the other at, both mono (n,).

    leave, enter: the samples [first, last] of each that may be taken; prefer: those that were asked
    for. None where none has enough sound beside it.
    """
    beside, middle = round(BESIDE_S * rate), round(MIDDLE_S * rate)
    step = max(1, round(PLACE_STEP_S * rate))
    ways = []
    for sound, (first, last), wanted in zip((left, right), (leave, enter), prefer, strict=True):
        places = wanted + step * np.arange((first - wanted) // step, (last - wanted) // step + 1)
        inside = (places >= max(first, beside + middle)) & (
            places <= min(last, len(sound) - beside - middle)
        )
        ways.append(places[inside])
    one, other = ways
    if not len(one) or not len(other):
        return None
    floor = (
        max(float(np.mean(np.square(left))), float(np.mean(np.square(right)))) * SILENT_SHARE
        + 1e-12
    )
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
        + CUT_LEVEL_COST * np.abs(level - around)
        + CUT_LOUD_COST * np.maximum(level - level.min() - LOUD_DB, 0)
        + CUT_PLACE_COST * away / rate
    )
    i, j = np.unravel_index(int(np.argmin(cost)), cost.shape)
    return int(one[i]), int(other[j])


def _power(sound: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Return the mean power of stretches, (n,)."""
    total = np.concatenate([[0.0], np.cumsum(np.square(sound, dtype=np.float64))])
    return np.asarray(np.maximum(total[last] - total[first], 0.0) / (last - first))


def band_powers(pieces: np.ndarray, rate: int) -> np.ndarray:
    """Return the mean power in bands, (n, bands), of pieces (n, samples)."""
    size = pieces.shape[1]
    power = np.square(np.abs(np.fft.rfft(pieces * np.hanning(size), axis=1))) / size
    hertz = np.fft.rfftfreq(size, 1 / rate)
    edges = np.geomspace(LOWEST_BAND_EDGE_HZ, min(rate / 2, HIGHEST_BAND_EDGE_HZ), JOINT_BANDS)
    band = np.searchsorted(edges, hertz, side="right")
    powers = [power[:, band == k].mean(axis=1) for k in range(JOINT_BANDS) if (band == k).any()]
    return np.stack(powers, axis=1)


@dataclass(frozen=True)
class Overlap:
    """Samples [first, last) of the recording; sample s of it meets sample s + offset of `sound`."""

    first: int
    last: int
    offset: int

    def __len__(self) -> int:
        """Count the seam's samples."""
        return self.last - self.first

    @property
    def there(self) -> slice:
        """The stretch in the other sound."""
        return slice(self.first + self.offset, self.last + self.offset)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The recording from a second before an edit to a second after it, without its constant part.

    start: its first sample; rate: Hz. samples: (m, channels) float64; mono: (m,), their mean;
    constant: (channels,) the offset that was removed; ceiling: the level that a patch may reach.
    """

    start: int
    rate: int
    samples: np.ndarray
    mono: np.ndarray
    constant: np.ndarray
    ceiling: float

    @classmethod
    def read(cls, recording: Recording, first: int, last: int) -> Surroundings:
        """Read the surroundings of samples [first, last)."""
        reach = round(SURROUNDINGS_S * recording.sample_rate)
        start = max(0, first - reach)
        samples = to_float(recording.read(start, min(recording.samples, last + reach)))
        constant = samples.mean(axis=0)
        ceiling = max(1.0, float(np.abs(samples).max())) - float(np.abs(constant).max())
        samples -= constant
        return cls(start, recording.sample_rate, samples, samples.mean(axis=1), constant, ceiling)

    def here(self, overlap: Overlap) -> slice:
        """Return the stretch of the recording, as a slice of ``samples`` and ``mono``."""
        return slice(overlap.first - self.start, overlap.last - self.start)


def best_seam(
    overlap: Overlap,
    around: Surroundings,
    sound: np.ndarray,
    width: int,
    lag: int,
    prefer: int,
    entering: bool = True,
) -> Overlap:
    """Return the ``width`` samples in which to go from the recording to the sound (n,), or back.

    Back if ``entering`` is false. They are those in which the two correlate most, with the sound
    moved by up to ``lag`` samples: at a place where old and new have energies E and F and the
    product X, what is least is their mismatch (E + F - 2 X) / (E + F + e), 1 minus the normalised
    correlation if E = F. The small e lets a quiet place, where nobody hears a mismatch, count as a
    good one. A spectrum that changes from the 20 ms before the joint to those after it costs as
    well. A lag moves the words and a place far from ``prefer``, a sample of the recording, keeps
    less or more of them than was asked for: each must be worth it.
    """
    width = min(width, len(overlap))
    if not width:
        return overlap
    stride = max(1, around.rate // FINEST_RATE_HZ)
    steps = lag // stride
    lags = stride * np.arange(-steps, steps + 1)
    old, start = around.mono[around.here(overlap)], overlap.first + overlap.offset
    # Lags may reach beyond the sound: zeros there, and a cost that is never the least.
    reach = 2 * lag + stride
    padded = np.pad(sound, reach)
    quiet = max(float(np.mean(np.square(around.mono))) * 10 ** (-QUIET_DB / 10), 1e-12)
    quiet *= len(range(0, width, stride))
    worth = LAG_COST * np.abs(lags) / around.rate
    seams: list[tuple[float, int, int]] = []
    for place in range(0, len(old) - width + 1, max(1, around.rate // PLACES_PER_S)):
        one = old[place : place + width : stride]
        begin = start + place + lags[0]
        other = padded[begin + reach : begin + reach + width + lags[-1] - lags[0] : stride]
        energies = np.concatenate([[0.0], np.cumsum(np.square(other))])
        both = one @ one + energies[len(one) :][: len(lags)] - energies[: len(lags)]
        cost = (both - 2 * np.correlate(other, one, "valid")[: len(lags)]) / (both + quiet) + worth
        cost += PLACE_COST * abs(overlap.first + place - prefer) / around.rate
        inside = (begin - lags[0] + lags >= 0) & (begin - lags[0] + lags + width <= len(sound))
        best = int(np.argmin(np.where(inside, cost, np.inf)))
        if inside[best]:
            seams.append((float(cost[best]), place, int(lags[best])))
    if not seams:
        return Overlap(overlap.first, overlap.first + width, overlap.offset)
    costs, places, moves = (np.array(values) for values in zip(*seams, strict=True))
    middles = overlap.first + places + width // 2
    here, there = middles - around.start, middles + overlap.offset + moves
    changes, levels = _changes(around, here, sound, there, entering)
    levels = np.minimum(levels, MAX_JOINT_LEVEL_DB)
    best = int(np.argmin(costs + CHANGE_COST * changes + COST_PER_DB * levels))
    first = overlap.first + int(places[best])
    return Overlap(first, first + width, overlap.offset + int(moves[best]))


def _changes(
    around: Surroundings, here: np.ndarray, sound: np.ndarray, there: np.ndarray, entering: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return how much the spectrum changes over the joints, and how their level differs, (n,) each.

    The first is the mean change of the log10 power in bands from before to after the joints that go
    from the recording's samples ``here`` to the sound's ``there``, or back; the second by how many
    dB the joint itself is louder or quieter than that.
    """
    beside, middle = round(BESIDE_S * around.rate), round(MIDDLE_S * around.rate)
    floor = float(np.mean(np.square(around.mono))) * SILENT_SHARE + 1e-12
    before, after = (around.mono, here), (sound, there)
    if not entering:
        before, after = after, before
    reach = beside + middle
    parts, levels, inside = [], [], []
    for (wave, places), sign in ((before, -1), (after, 1)):
        padded = np.pad(wave, reach)
        pieces = np.stack([padded[place : place + 2 * reach] for place in places])[:, ::sign]
        near = pieces[:, reach : reach + beside][:, ::sign]  # from the joint, away from it
        parts.append(np.log10(band_powers(near, around.rate) + floor))
        levels.append(10 * np.log10(np.square(pieces[:, reach + middle :]).mean(axis=1) + floor))
        inside.append(np.square(pieces[:, reach - middle : reach + middle]).mean(axis=1))
    joint = 10 * np.log10((inside[0] + inside[1]) / 2 + floor)
    change = np.abs(parts[1] - parts[0]).mean(axis=1)
    return np.asarray(change), np.abs(joint - (levels[0] + levels[1]) / 2)


def nearest_least(power: np.ndarray, prefer: int) -> int:
    """Return the place nearest ``prefer`` within 1 dB of the least power; power: (n,) >= 0."""
    equals = np.flatnonzero(power <= power.min() * 10 ** (NEAR_DB / 10) + 1e-12)
    return int(equals[np.argmin(np.abs(equals - prefer))])


def quietest_point(mono: np.ndarray, centre: int, radius: int, rate: int) -> int:
    """Return the centre of the quietest 5 ms within ``radius`` of ``centre``; mono: (n,)."""
    width = max(1, min(len(mono), round(QUIET_MS * rate / 1000)))
    half = width // 2
    first = min(max(0, centre - radius - half), len(mono) - width)
    last = max(min(len(mono), centre + radius + width - half), first + width)
    total = np.concatenate([[0.0], np.cumsum(np.square(mono[first:last], dtype=np.float64))])
    power = np.maximum(total[width:] - total[:-width], 0.0) / width
    return first + nearest_least(power, centre - half - first) + half
