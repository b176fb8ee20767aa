"""Two sounds over the same part of a recording, and the best place to go from one to the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from a3t.audio.reading.formats import to_float
from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.cut_places import BESIDE, FLOOR, MIDDLE, band_powers

SURROUNDINGS_SECONDS = 1.0  # on either side of an edit: its level, spread and offset
FINEST_RATE = 48_000  # lags are tried in steps of one sample of this rate
PLACES = 1000  # a second, at which a cut is tried
QUIET_DB = 40.0  # below the surroundings' level, where a mismatch begins to matter less
# What moving costs, in units of mismatch, whose greatest is 2.
LAG_COST = 80.0  # a second: 0.4 for 5 ms
PLACE_COST = 0.2  # a second
CHANGE_COST = 0.75  # for a spectrum that changes by 10 dB in all bands within 40 ms
LEVEL_COST = 0.04  # for a decibel of the joint's level above or below that beside it …
MOST_LEVEL = 5.0  # … up to so many: a pause, however short, is a good place among bad ones


@dataclass(frozen=True)
class Overlap:
    """Samples [first, last) of the recording; sample s of it meets sample s + offset of `sound`."""

    first: int
    last: int
    offset: int

    def __len__(self) -> int:
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
        """The surroundings of samples [first, last)."""
        reach = round(SURROUNDINGS_SECONDS * recording.sample_rate)
        start = max(0, first - reach)
        samples = to_float(recording.read(start, min(recording.samples, last + reach)))
        constant = samples.mean(axis=0)
        ceiling = max(1.0, float(np.abs(samples).max())) - float(np.abs(constant).max())
        samples -= constant
        return cls(start, recording.sample_rate, samples, samples.mean(axis=1), constant, ceiling)

    def here(self, overlap: Overlap) -> slice:
        """The stretch of the recording, as a slice of `samples` and `mono`."""
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
    """The `width` samples in which to go from the recording to the sound (n,), or back
    (``entering`` false).

    They are those in which the two correlate most, with the sound moved by up to `lag` samples:
    at a place where old and new have energies E and F and the product X, what is least is their
    mismatch (E + F - 2 X) / (E + F + e), 1 minus the normalised correlation if E = F. The small e
    lets a quiet place, where nobody hears a mismatch, count as a good one. A spectrum that changes
    from the 20 ms before the joint to those after it costs as well. A lag moves the words and a
    place far from `prefer`, a sample of the recording, keeps less or more of them than was asked
    for: each must be worth it.
    """
    width = min(width, len(overlap))
    if not width:
        return overlap
    stride = max(1, around.rate // FINEST_RATE)
    steps = lag // stride
    lags = stride * np.arange(-steps, steps + 1)
    old, start = around.mono[around.here(overlap)], overlap.first + overlap.offset
    # Lags may reach beyond the sound: zeros there, and a cost that is never the least.
    reach = 2 * lag + stride
    padded = np.pad(sound, reach)
    quiet = max(float(np.mean(np.square(around.mono))) * 10 ** (-QUIET_DB / 10), 1e-12)
    quiet *= len(range(0, width, stride))
    worth = LAG_COST * np.abs(lags) / around.rate
    found: list[tuple[float, int, int]] = []
    for place in range(0, len(old) - width + 1, max(1, around.rate // PLACES)):
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
            found.append((float(cost[best]), place, int(lags[best])))
    if not found:
        return Overlap(overlap.first, overlap.first + width, overlap.offset)
    costs, places, moves = (np.array(values) for values in zip(*found, strict=True))
    middles = overlap.first + places + width // 2
    here, there = middles - around.start, middles + overlap.offset + moves
    changes, levels = _changes(around, here, sound, there, entering)
    levels = np.minimum(levels, MOST_LEVEL)
    best = int(np.argmin(costs + CHANGE_COST * changes + LEVEL_COST * levels))
    first = overlap.first + int(places[best])
    return Overlap(first, first + width, overlap.offset + int(moves[best]))


def _changes(
    around: Surroundings, here: np.ndarray, sound: np.ndarray, there: np.ndarray, entering: bool
) -> tuple[np.ndarray, np.ndarray]:
    """(n,) each: the mean change of the log10 power in bands from before to after the joints that
    go from the recording's samples ``here`` to the sound's ``there``, or back; and by how many dB
    the joint itself is louder or quieter than that."""
    beside, middle = round(BESIDE * around.rate), round(MIDDLE * around.rate)
    floor = float(np.mean(np.square(around.mono))) * FLOOR + 1e-12
    before, after = (around.mono, here), (sound, there)
    if not entering:
        before, after = after, before
    reach = beside + middle
    parts, levels, inside = [], [], []
    for (wave, places), sign in ((before, -1), (after, 1)):
        padded = np.pad(wave, reach)
        own = np.stack([padded[place : place + 2 * reach] for place in places])[:, ::sign]
        near = own[:, reach : reach + beside][:, ::sign]  # from the joint, away from it
        parts.append(np.log10(band_powers(near, around.rate) + floor))
        levels.append(10 * np.log10(np.square(own[:, reach + middle :]).mean(axis=1) + floor))
        inside.append(np.square(own[:, reach - middle : reach + middle]).mean(axis=1))
    joint = 10 * np.log10((inside[0] + inside[1]) / 2 + floor)
    change = np.abs(parts[1] - parts[0]).mean(axis=1)
    return np.asarray(change), np.abs(joint - (levels[0] + levels[1]) / 2)
