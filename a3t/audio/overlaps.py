"""Two sounds over the same stretch of a recording, and where in it to go from one to the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from a3t.audio.formats import to_float
from a3t.audio.recording import Recording

SURROUNDINGS_SECONDS = 1.0  # on either side of an edit: its level, spread and offset
FINEST_RATE = 48_000  # lags are tried in steps of one sample of this rate
PLACES = 1000  # a second, at which a cut is tried
QUIET_DB = 40.0  # below the surroundings' level, where a mismatch begins to matter less
# What moving costs, in units of mismatch, whose greatest is 2.
LAG_COST = 80.0  # a second: 0.4 for 5 ms
PLACE_COST = 0.2  # a second


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
    constant: (channels,) what was taken off; ceiling: the level that a patch may reach.
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
    overlap: Overlap, around: Surroundings, sound: np.ndarray, width: int, lag: int, prefer: int
) -> Overlap:
    """The `width` samples in which to go from the recording to the sound (n,), or back.

    They are those in which the two correlate most, with the sound moved by up to `lag` samples:
    at a place where old and new have energies E and F and the product X, what is least is their
    mismatch (E + F - 2 X) / (E + F + e), 1 minus the normalised correlation if E = F. The small e
    lets a quiet place, where nobody hears a mismatch, count as a good one. A lag moves the words
    and a place far from `prefer`, a sample of the recording, keeps less or more of them than was
    asked for: each must be worth it.
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
    found = (np.inf, 0, 0)
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
        if inside[best] and cost[best] < found[0]:
            found = (float(cost[best]), place, int(lags[best]))
    _, place, moved = found
    first = overlap.first + place
    return Overlap(first, first + width, overlap.offset + moved)
