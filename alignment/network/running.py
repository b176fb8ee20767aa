"""The phone network's input while the sound still comes: level and spectrum as heard so far.

`phone_network.features` knows the whole recording's loudest frame and mean spectrum before it
begins; here both are of what has been heard, and what is older than MEMORY counts less and less.
"""

from __future__ import annotations

import numpy as np

from alignment.network.phone_network import (
    BANDS,
    FLOOR,
    FRAME_SECONDS,
    HOP,
    STRIDE,
    band_power,
    sequence_scores,
    with_tract,
)
from alignment.waveform import MODEL_RATE, require_usable

MEMORY = 60.0  # seconds
QUIETEST = 0.005  # the least peak that anything is measured against, of 1
NOISE = 10 ** (-70 / 20)  # of the peak: digital silence has no logarithm
EDGE = 3  # frames of the bands that a window needs beside its own
PHASE = 8  # frames of the bands between places where a window may begin, so that strides agree
REACH = 0.92  # seconds that the network looks to either side


class RunningBands:
    """The logarithm of the power in each band, (K, BANDS), as heard; the rows before `first`
    are forgotten."""

    def __init__(self, sample_rate: int) -> None:
        """Raises AlignmentError for a rate that is too low."""
        require_usable(np.zeros(1), sample_rate)
        self.first = 0
        self.rows = np.zeros((0, BANDS), np.float32)
        self._resampler = None
        if sample_rate != MODEL_RATE:
            import soxr

            self._resampler = soxr.ResampleStream(sample_rate, MODEL_RATE, 1, dtype="float32")
        self._samples = np.zeros(EDGE * HOP, np.float32)  # the first frame is centred at 0
        self._peak, self._loudest = QUIETEST, 0.0
        self._sum, self._count = np.zeros(BANDS), 0.0
        self._noise = np.random.default_rng(0)

    @property
    def stop(self) -> int:
        """The number of rows heard."""
        return self.first + len(self.rows)

    def hear(self, samples: np.ndarray, last: bool = False) -> None:
        """More samples, mono, float, (n,); with the `last` ones the rows reach to their end."""
        samples = np.nan_to_num(samples.astype(np.float32), posinf=0.0, neginf=0.0).clip(-1, 1)
        if self._resampler is not None:
            samples = self._resampler.resample_chunk(samples, last=last)
        self._peak = max(self._peak, float(np.abs(samples).max(initial=0.0)))
        noise = self._noise.standard_normal(len(samples), dtype=np.float32)
        samples = samples + noise * np.float32(NOISE * self._peak)
        ending = np.zeros(EDGE * HOP if last else 0, np.float32)
        self._samples = np.concatenate([self._samples, samples, ending])
        count = len(self._samples) // HOP - 2 * EDGE + 1
        if count <= 0:
            return
        used = self._samples[: (count + 2 * EDGE - 1) * HOP]
        power = band_power(used * np.float32(32768))[EDGE : EDGE + count]
        self._samples = self._samples[count * HOP :]
        self._loudest = max(self._loudest, float(power.max()))
        rows = np.log(power + FLOOR * self._loudest + 1e-12)
        self.rows = np.concatenate([self.rows, rows])
        self._sum += rows.sum(axis=0, dtype=np.float64)
        self._count += count
        fade = min(1.0, MEMORY / (self._count * FRAME_SECONDS / STRIDE))
        self._sum, self._count = self._sum * fade, self._count * fade

    def window(self, first: int, stop: int) -> np.ndarray:
        """The network's input, rows [first, stop), by what is known until now."""
        mean = (self._sum / max(self._count, 1.0)).astype(np.float32)
        return (self.rows[first - self.first : stop - self.first] - mean) / np.float32(3.0)

    def forget(self, first: int) -> None:
        """Forget the rows before `first`."""
        if first > self.first:
            self.rows, self.first = self.rows[first - self.first :], first


class RunningScores:
    """`sequence_scores` of what is being said, the mean over `tracts`, in pieces of `chunk` seconds
    that look `ahead` so many, both multiples of 0.04."""

    def __init__(
        self,
        sample_rate: int,
        chunk: float,
        ahead: float,
        tracts: tuple[float, ...],
    ) -> None:
        """Raises AlignmentError for a rate that is too low."""
        self.bands = RunningBands(sample_rate)
        self.done = 0  # frames of 10 ms
        self._chunk, self._ahead = (round(each / FRAME_SECONDS) for each in (chunk, ahead))
        self._tracts = tracts

    def hear(self, samples: np.ndarray, last: bool = False) -> np.ndarray:
        """The scores (T, 40) of what can be told after these samples, mono, float, (n,)."""
        self.bands.hear(samples, last)
        end = -(-self.bands.stop // STRIDE) if last else self.bands.stop // STRIDE
        chunks = (end - self._ahead - self.done) // self._chunk
        stop = end if last else self.done + chunks * self._chunk
        if stop <= self.done:
            return np.zeros((0, 40), np.float32)
        reach = round(REACH / FRAME_SECONDS)
        first = max(self.done - reach, 0) * STRIDE // PHASE * PHASE
        upto = self.bands.stop if last else (stop + self._ahead) * STRIDE
        window = self.bands.window(first, upto)
        here = slice(self.done - first // STRIDE, stop - first // STRIDE)
        each = [sequence_scores(with_tract(window, t))[here] for t in self._tracts]
        self.done = stop
        self.bands.forget((stop - reach) * STRIDE // PHASE * PHASE)
        return np.asarray(np.mean(each, axis=0))
