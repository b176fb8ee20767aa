"""Tones that go on through an edit, such as a hum: found beside it, and carried across it.

A tone counts as steady if it stands at one frequency on both sides of the edit, above what is
beside it in the spectrum, and is at much the same level and in phase with itself throughout; a
voice's harmonics do none of that. Pauses tell most of it, so quiet moments weigh more than loud
ones. Across the edit it goes on from its left side's phase to its right side's, so that at both
joints it meets itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import soxr

from a3t.audio.formats import to_float
from a3t.audio.recording import Recording

SIDE = 4.0  # seconds on either side
PARTS = 2  # of a side, which are compared
FITTED = 2.0  # seconds of a side, the nearest, to which a tone's level and phase are fitted
LOW_RATE = 16_000  # Hz, at which tones are looked for
LEAST_SIDE = 1.0  # seconds
HIGHEST = 6000.0  # Hz
LOWEST = 30.0
NEIGHBOURHOOD = 25.0  # Hz on either side, which a tone must stand out of
ABOVE = 8.0  # dB
STEADY = 0.7  # by how much the parts may differ: standard deviation of their levels over the mean
SAME = 0.4  # Hz by which the two sides may differ
MOST = 24  # tones
AROUND = 0.05  # seconds whose level weighs a moment
QUIETEST = 1e-4  # of the mean power; what is below weighs no more
PADDING = 4  # times as many points of the spectrum


@dataclass(frozen=True, eq=False)
class SteadyTones:
    """Tones beside an edit.

    rate: Hz. frequencies: (n,) Hz. left, right: (n, channels) complex amplitudes: a side's tone is
    the real part of amplitude · exp(2πi · frequency · sample / rate), by the recording's samples.
    """

    rate: int
    frequencies: np.ndarray
    left: np.ndarray
    right: np.ndarray

    def __len__(self) -> int:
        return len(self.frequencies)

    def across(self, samples: int, leave: int, enter: int) -> np.ndarray:
        """(samples, channels): the tones, whose sample s follows the left side's sample s - leave
        at its start and the right side's sample s - enter at its end."""
        place = np.arange(samples)
        share = (0.5 - 0.5 * np.cos(np.pi * place / max(samples, 1)))[:, None]
        result = np.zeros((samples, self.left.shape[1]))
        for frequency, one, other in zip(self.frequencies, self.left, self.right, strict=True):
            step = 2j * np.pi * frequency / self.rate
            begin, end = one * np.exp(-step * leave), other * np.exp(-step * enter)
            turn = np.angle(end * np.conj(begin))
            level = np.abs(begin) * (1 - share) + np.abs(end) * share
            phase = np.angle(begin) + turn * share
            result += level * np.cos(np.imag(step) * place[:, None] + phase)
        return result

    def without(self, sound: np.ndarray) -> np.ndarray:
        """The sound (n, channels) without what it has of these frequencies itself."""
        if not len(self) or len(sound) < 2 * len(self):
            return sound
        basis = _basis(self.frequencies, np.arange(len(sound)), self.rate)
        return np.asarray(sound - np.einsum("si,ic->sc", basis, _fitted(basis, sound)))


def find_steady_tones(recording: Recording, first: int, last: int) -> SteadyTones:
    """The steady tones beside the recording's samples [first, last); eight seconds are read.

    None are found where a side has less than a second, nor in a recording of so little.
    """
    rate, reach = recording.sample_rate, round(SIDE * recording.sample_rate)
    spans = [(max(0, first - reach), first), (last, min(recording.samples, last + reach))]
    nothing = np.zeros((0, recording.channels), complex)
    none = SteadyTones(rate, np.zeros(0), nothing, nothing)
    if any(end - start < LEAST_SIDE * rate for start, end in spans):
        return none
    sides = [to_float(recording.read(*span)) for span in spans]
    sides = [side - side.mean(axis=0) for side in sides]
    low = min(rate, LOW_RATE)
    monos = [soxr.resample(side.mean(axis=1), rate, low) for side in sides]
    monos = [mono * _weights(mono, low) for mono in monos]
    if not all(mono.any() for mono in monos):
        return none
    one, other = (_peaks(mono, low) for mono in monos)
    pairs = [(x, other[np.abs(other - x).argmin()]) for x in one if len(other)]
    both = [(x + y) / 2 for x, y in pairs if abs(x - y) <= SAME]
    found = [_refined(frequency, monos, low) for frequency in both]
    frequencies = np.array([x for x in found if all(_is_steady(x, mono, low) for mono in monos)])
    if not len(frequencies):
        return none
    fitted = round(FITTED * rate)
    left = _amplitudes(frequencies, sides[0][-fitted:], max(first - fitted, spans[0][0]), rate)
    right = _amplitudes(frequencies, sides[1][:fitted], last, rate)
    return SteadyTones(rate, frequencies, left, right)


def _weights(mono: np.ndarray, rate: int) -> np.ndarray:
    """(n,): the reciprocal of the level around each sample."""
    width = max(round(AROUND * rate), 1)
    total = np.concatenate([[0.0], np.cumsum(np.square(mono, dtype=np.float64))])
    place = np.arange(len(mono))
    last, start = np.minimum(place + width // 2 + 1, len(mono)), np.maximum(place - width // 2, 0)
    power = (total[last] - total[start]) / (last - start)
    mean = float(power.mean())
    return np.asarray(1 / np.sqrt(power + mean * QUIETEST + 1e-20))


def _peaks(mono: np.ndarray, rate: int) -> np.ndarray:
    """The frequencies, Hz, that stand out of their neighbourhood, the strongest `MOST`."""
    size = PADDING * len(mono)
    power = np.square(np.abs(np.fft.rfft(mono * np.hanning(len(mono)), size)))
    width = rate / size
    first, last = round(LOWEST / width), min(round(HIGHEST / width), len(power) - 2)
    if last <= first:
        return np.zeros(0)
    count = max(round(NEIGHBOURHOOD / width), 1)
    blocks = -(-len(power) // count)
    padded = np.pad(power, (0, blocks * count - len(power)), mode="edge").reshape(blocks, count)
    medians = np.median(padded, axis=1)
    beside = np.maximum(np.maximum(medians, np.r_[medians[1:], 0]), np.r_[0, medians[:-1]])
    floor = np.repeat(beside, count)[: len(power)]
    place = np.arange(first, last)
    tops = place[(power[place] >= power[place - 1]) & (power[place] > power[place + 1])]
    tops = tops[power[tops] > floor[tops] * 10 ** (ABOVE / 10) + 1e-12]
    tops = tops[np.argsort(-power[tops])][:MOST]
    return np.sort(tops * width)


def _refined(frequency: float, monos: list[np.ndarray], rate: int) -> float:
    """The frequency at which the phase goes on evenly from each part of a side to the next."""
    drifts = []
    for mono in monos:
        parts = _parts(frequency, mono, rate)
        turns = np.angle(parts[1:] * np.conj(parts[:-1]))
        drifts.append(turns.mean() / (2 * np.pi * len(mono) / len(parts) / rate))
    return frequency + float(np.mean(drifts))


def _is_steady(frequency: float, mono: np.ndarray, rate: int) -> bool:
    parts = _parts(frequency, mono, rate)
    levels = np.abs(parts)
    return bool(levels.std() <= STEADY * levels.mean()) and bool(
        abs(parts.sum()) >= (1 - STEADY) * levels.sum()  # and in phase
    )


def _parts(frequency: float, mono: np.ndarray, rate: int) -> np.ndarray:
    """(PARTS,) the complex amplitude of a frequency in each part of a side."""
    size = len(mono) // PARTS
    place = np.arange(PARTS * size)
    turned = mono[: PARTS * size] * np.exp(-2j * np.pi * frequency / rate * place)
    return np.asarray((turned.reshape(PARTS, size) * np.hanning(size)).sum(axis=1))


def _amplitudes(frequencies: np.ndarray, side: np.ndarray, start: int, rate: int) -> np.ndarray:
    """(n, channels) complex, by weighted least squares; side: (samples, channels) from `start`."""
    weight = _weights(side.mean(axis=1), rate)
    basis = _basis(frequencies, start + np.arange(len(side)), rate)
    found = _fitted(basis, side, np.square(weight))
    return np.asarray(found[: len(frequencies)] - 1j * found[len(frequencies) :])


def _fitted(basis: np.ndarray, sound: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """(2 n, channels): least squares by the normal equations; a trace is added, for tones that are
    one within so little sound."""
    weighted = basis if weight is None else basis * weight[:, None]
    own = np.einsum("si,sj->ij", weighted, basis)  # products of so few columns need no threads
    own += np.eye(len(own)) * np.trace(own) * 1e-6
    return np.asarray(np.linalg.solve(own, np.einsum("si,sc->ic", weighted, sound)))


def _basis(frequencies: np.ndarray, place: np.ndarray, rate: int) -> np.ndarray:
    """(samples, 2 n): cosines and sines."""
    angle = 2 * np.pi / rate * np.outer(place, frequencies)
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=1)
