"""Sound as overlapping frames of spectra, and back: what time-varying filters work on."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.signal import ShortTimeFFT

FRAME_SECONDS = 0.025
OVERLAP = 4  # frames over every sample
EMPTY_DB = -120.0  # of full scale; quieter counts as this
FIRST = 2 - OVERLAP + 1  # the first frame, counted from the one whose middle is sample 0


def frame_size(rate: int) -> int:
    """Samples of a frame at a rate: 25 ms, a multiple of 4."""
    return OVERLAP * round(FRAME_SECONDS * rate / OVERLAP)


def spectra(sound: np.ndarray, rate: int) -> np.ndarray:
    """(n,) or (n, channels) -> (frames, bins[, channels]) complex, Hann windows of mean power 1.

    A frame every quarter of its size; the first and the last reach over the sound's ends, where
    it is silent.
    """
    last = FIRST + frames_of(len(sound), rate)
    lacking = max(0, _least(rate) - len(sound))
    sound = np.pad(sound, [(0, lacking)] + [(0, 0)] * (sound.ndim - 1))
    return np.asarray(np.moveaxis(_transform(rate).stft(sound, FIRST, last, axis=0), -1, 0))


def sound_of(frames: np.ndarray, samples: int, rate: int) -> np.ndarray:
    """The inverse of `spectra`: the sound (samples[, channels]) nearest to the frames."""
    length = max(samples, _least(rate))
    lacking = max(0, frames_of(length, rate) - len(frames))
    frames = np.pad(frames, [(0, lacking)] + [(0, 0)] * (frames.ndim - 1))
    sound = _transform(rate).istft(frames, 0, length, f_axis=1, t_axis=0)
    return np.asarray(np.moveaxis(sound, -1, 0)[:samples])


def frames_of(samples: int, rate: int) -> int:
    """How many frames `spectra` makes of so many samples."""
    return -(-samples // (frame_size(rate) // OVERLAP)) + OVERLAP - 1


def frequencies(rate: int) -> np.ndarray:
    """(bins,) Hz."""
    return np.asarray(_transform(rate).f)


def decibels(power: np.ndarray, rate: int) -> np.ndarray:
    """Mean powers of frames' bins as dB of full scale."""
    return np.asarray(10 * np.log10(power / frame_size(rate) ** 2 + 10 ** (EMPTY_DB / 10)))


def _least(rate: int) -> int:
    """Samples of the shortest sound that SciPy transforms: half a frame."""
    return frame_size(rate) // 2


@cache
def _transform(rate: int) -> ShortTimeFFT:
    size = frame_size(rate)
    window = np.hanning(size + 1)[:-1] / np.sqrt(0.375)
    return ShortTimeFFT(window, size // OVERLAP, rate, phase_shift=None)
