"""Two sounds over the same stretch of a recording, and where in it to go from one to the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from a3t.audio.formats import to_float
from a3t.audio.joints import nearest_least
from a3t.audio.recording import Recording

SURROUNDINGS_SECONDS = 1.0  # on either side of an edit: its level, spread and offset
FINEST_RATE = 48_000  # lags are tried in steps of one sample of this rate
LAG_IS_WORTH = 0.7  # the mismatch that a lag must come below, as a share of the one without


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

    They are those in which the two differ least in energy, with the sound moved by up to `lag`
    samples. That is the quietest place where the two have nothing to do with each other, and in
    a voice one where they run in phase. Among equally good places the one nearest `prefer`, a
    sample of the recording, is taken. A lag moves the words and must be worth it.
    """
    width = min(width, len(overlap))
    if not width:
        return overlap
    old, there = around.mono[around.here(overlap)], overlap.there

    def mismatch(shift: int) -> np.ndarray:
        """The mean squared difference at each place, infinite where the sound does not reach."""
        begin = max(0, -(there.start + shift))
        end = max(begin, min(len(old), len(sound) - there.start - shift))
        new = sound[there.start + shift + begin : there.start + shift + end]
        total = np.concatenate([[0.0], np.cumsum((old[begin:end] - new) ** 2)])
        places = np.full(len(old) - width + 1, np.inf)
        if end - begin >= width:
            differences = np.maximum(total[width:] - total[:-width], 0.0) / width
            places[begin : begin + len(differences)] = differences
        return places

    steps = range(1, lag + 1, max(1, around.rate // FINEST_RATE))
    shifts = [shift * way for shift in steps for way in (1, -1)]
    best, moved = mismatch(0), 0
    other = min(shifts, key=lambda shift: mismatch(shift).min(), default=0)
    if mismatch(other).min() < LAG_IS_WORTH * best.min():
        best, moved = mismatch(other), other
    first = overlap.first + nearest_least(best, prefer - overlap.first)
    return Overlap(first, first + width, overlap.offset + moved)
