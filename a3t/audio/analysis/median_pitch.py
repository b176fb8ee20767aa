"""A voice's median pitch, good enough to compare one stretch with another."""

from __future__ import annotations

import math

import numpy as np
import soxr

RATE = 8_000
FRAME, HOP = 400, 160  # 50 ms, so that the lowest voice has three periods in it; every 20 ms
LOWEST, HIGHEST = 65.0, 420.0  # Hz
VOICED = 0.5  # of a frame's energy that comes back a period later
AUDIBLE = 10 ** (-25 / 10)  # of the loudest frame's energy
LEAST = 5  # frames


def median_pitch(mono: np.ndarray, sample_rate: int) -> float:
    """The median of log2 F0 (Hz) over the voiced frames of a sound (n,); NaN if they are few.

    By normalised autocorrelation: of the periods that fit about equally well, the shortest.
    """
    sound = np.asarray(soxr.resample(mono, sample_rate, RATE), np.float64)
    if len(sound) < FRAME:
        return math.nan
    frames = np.lib.stride_tricks.sliding_window_view(sound, FRAME)[::HOP]
    frames = frames - frames.mean(axis=1, keepdims=True)
    energy = np.square(frames).sum(axis=1)
    frames = frames[energy > AUDIBLE * energy.max()]
    if len(frames) < LEAST:
        return math.nan
    spectra = np.abs(np.fft.rfft(frames, 2 * FRAME, axis=1)) ** 2
    again = np.fft.irfft(spectra, axis=1)[:, :FRAME]
    lags = np.arange(round(RATE / HIGHEST), round(RATE / LOWEST))
    # What is left of the frame at a lag is shorter: its energy is what there is to compare with.
    again = again[:, lags] / again[:, :1] * FRAME / (FRAME - lags)
    best = again.max(axis=1)
    peaks = again >= 0.9 * best[:, None]
    peaks[:, 1:-1] &= (again[:, 1:-1] >= again[:, :-2]) & (again[:, 1:-1] >= again[:, 2:])
    shortest = lags[np.argmax(peaks, axis=1)]
    voiced = shortest[best > VOICED]
    return float(np.median(np.log2(RATE / voiced))) if len(voiced) >= LEAST else math.nan
