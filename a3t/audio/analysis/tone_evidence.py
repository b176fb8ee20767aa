"""Evidence that a stretch of sound holds a steady tone, and not a voice or a noise.

In frames of a quarter of a second a tone turns from one to the next as its frequency says. Each
frame is weighed by the noise beside the tone's frequency at that moment, so that pauses tell most:
what adds up is the estimate of a known signal in noise whose level changes (Kay 1998, "Fundamentals
of Statistical Signal Processing: Detection Theory", the generalised matched filter). A voice can
hold a harmonic for half a second, so a tone has to be there without its best half second as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FRAME = 0.25  # seconds
HOP = 0.125
PADDING = 2  # times as many bins
BESIDE = (12.0, 40.0)  # Hz from a tone, where its noise is measured
QUIETEST = 0.08  # the share of frames whose noise counts as much as the loudest of them
SILENT = 1e-8  # of the mean power, or …
EMPTY = 1e-11  # … of full scale: a fifth of a frame below either is a digital silence
LOWEST, HIGHEST = 30.0, 11_000.0  # Hz
STRONG = 15.0  # the least strength of a peak
APART = 2.0  # Hz between two tones
MOST = 30  # tones
BEST = 0.5  # seconds, without which a tone has to be there, too


@dataclass(frozen=True)
class ToneSign:
    """The evidence for a tone at ``frequency``, Hz.

    strength: the squared estimate of the tone over its variance: noise alone has 1 in the mean, and
    more than 10 in one of 20,000 places. lasting: the same without its best half second. agreement:
    how much of what the frames have adds up, 0 to 1. weight: how well the tone would be seen: the
    strength of one of amplitude 1.
    """

    frequency: float
    strength: float
    lasting: float
    agreement: float
    weight: float


class ToneEvidence:
    """All frames of a stretch of sound, mono (n,), at ``rate`` Hz."""

    def __init__(self, mono: np.ndarray, rate: int) -> None:
        size = 2 * round(FRAME * rate / 2)
        hop = round(HOP * rate)
        self.step, self.width = hop / rate, rate / (PADDING * size)
        frames = np.lib.stride_tricks.sliding_window_view(mono, size)[::hop]
        fifths = frames[:, : size // 5 * 5].reshape(len(frames), 5, -1).var(axis=2)
        heard = fifths.min(axis=1) > max(float(mono.var()) * SILENT, EMPTY)
        last = min(round(HIGHEST / self.width), PADDING * size // 2 - 1)
        self.weights = np.zeros((len(frames), last + 1))
        self.products = np.zeros((len(frames), last + 1), complex)
        if heard.any():
            # Each frame's middle comes first, so that its phase is the tone's there.
            around = (PADDING - 1) * size // 2
            middle = np.fft.fftshift(
                np.pad(frames[heard] * np.hanning(size), [(0, 0), (around, around)]), axes=1
            )
            spectrum = np.fft.rfft(middle, axis=1)[:, : last + 1]
            noise = _beside(np.square(np.abs(spectrum)), self.width)
            noise = np.maximum(noise, np.quantile(noise, QUIETEST, axis=0)) + 1e-20
            self.weights[heard] = 1 / noise
            self.products[heard] = spectrum / noise
        self._frequencies, self._strengths = self._all_strengths()

    def _all_strengths(self) -> tuple[np.ndarray, np.ndarray]:
        """Frequencies in steps of less than a tenth of a hertz, and their strengths."""
        count = 1 << (4 * len(self.products) - 1).bit_length()
        turned = np.square(np.abs(np.fft.fft(self.products, count, axis=0)))
        fine = 1 / (count * self.step)
        place = np.arange(
            round(LOWEST / fine), round((self.products.shape[1] - 1) * self.width / fine)
        )
        bins = np.round(place * fine / self.width).astype(int)
        seen = self.weights.sum(axis=0)[bins]
        return place * fine, turned[place % count, bins] / np.maximum(seen, 1e-30)

    def peaks(self) -> list[ToneSign]:
        """The strongest tones that there may be."""
        values = self._strengths
        tops = np.flatnonzero((values[1:-1] >= values[:-2]) & (values[1:-1] > values[2:])) + 1
        tops = tops[values[tops] > STRONG]
        found: list[int] = []
        for top in tops[np.argsort(-values[tops])]:
            hertz = self._frequencies[[*found, top]]
            if len(found) < MOST and (np.abs(hertz[:-1] - hertz[-1]) > APART).all():
                found.append(int(top))
        return [self._sign(top) for top in found]

    def near(self, frequency: float, reach: float) -> ToneSign:
        """The evidence for a tone within ``reach`` Hz of a frequency."""
        inside = np.flatnonzero(np.abs(self._frequencies - frequency) <= reach)
        return self._sign(int(inside[np.argmax(self._strengths[inside])]))

    def _sign(self, place: int) -> ToneSign:
        frequency = self._between(place)
        column = min(round(frequency / self.width), self.products.shape[1] - 1)
        turn = np.exp(-2j * np.pi * frequency * self.step * np.arange(len(self.products)))
        parts, weights = self.products[:, column] * turn, self.weights[:, column]
        whole, weight = parts.sum(), weights.sum()
        count = round(BEST / self.step) + 1
        lasting = 0.0
        if len(parts) > count:
            ones = np.ones(count)
            rest = whole - np.convolve(parts, ones, "valid")
            left = np.maximum(weight - np.convolve(weights, ones, "valid"), 1e-30)
            lasting = float((np.square(np.abs(rest)) / left).min())
        return ToneSign(
            frequency,
            float(np.square(np.abs(whole)) / max(weight, 1e-30)),
            lasting,
            float(np.abs(whole) / max(np.abs(parts).sum(), 1e-30)),
            float(weight),
        )

    def _between(self, place: int) -> float:
        """The frequency of a peak, by a parabola through it and the places beside it."""
        frequency, step = self._frequencies[place], self._frequencies[1] - self._frequencies[0]
        if not 0 < place < len(self._strengths) - 1:
            return float(frequency)
        before, here, after = self._strengths[place - 1 : place + 2]
        bend = before - 2 * here + after
        if bend >= 0 or here < max(before, after):
            return float(frequency)
        return float(frequency + step * 0.5 * (before - after) / bend)


def _beside(power: np.ndarray, width: float) -> np.ndarray:
    """(frames, bins): the mean power on both sides of each bin, within `BESIDE` of it."""
    near, far = (round(hertz / width) for hertz in BESIDE)
    count = power.shape[1]
    total = np.pad(np.cumsum(power, axis=1), [(0, 0), (1, 0)])
    place = np.arange(count)
    edges = [(place - far, place - near + 1), (place + near, place + far + 1)]
    (a, b), (c, d) = (tuple(np.clip(edge, 0, count) for edge in pair) for pair in edges)
    sums = total[:, b] - total[:, a] + total[:, d] - total[:, c]
    return np.asarray(sums / np.maximum(b - a + d - c, 1))
