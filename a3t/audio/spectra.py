"""Sound as overlapping frames of spectra, and back: what time-varying filters work on."""

from __future__ import annotations

import numpy as np

FRAME_SECONDS = 0.025
OVERLAP = 4  # frames over every sample
EMPTY_DB = -120.0  # of full scale; quieter counts as this


def frame_size(rate: int) -> int:
    """Samples of a frame at a rate: 25 ms, a multiple of 4."""
    return OVERLAP * round(FRAME_SECONDS * rate / OVERLAP)


def spectra(sound: np.ndarray, rate: int) -> np.ndarray:
    """(n,) or (n, channels) -> (frames, bins[, channels]) complex, Hann windows of mean power 1.

    A frame every quarter of its size; the first and the last reach over the sound's ends, where
    it is silent.
    """
    size = frame_size(rate)
    hop = size // OVERLAP
    count = frames_of(len(sound), rate)
    tail = (count - 1) * hop + size - (size - hop) - len(sound)
    padded = np.pad(sound, [(size - hop, tail)] + [(0, 0)] * (sound.ndim - 1))
    pieces = np.lib.stride_tricks.sliding_window_view(padded, size, axis=0)[::hop]
    spectrum = np.fft.rfft(pieces * _window(size), axis=-1)
    return np.moveaxis(spectrum, -1, 1)


def sound_of(frames: np.ndarray, samples: int, rate: int) -> np.ndarray:
    """The inverse of `spectra`: the sound (samples[, channels]) nearest to the frames."""
    size = frame_size(rate)
    hop = size // OVERLAP
    window = _window(size)
    pieces = np.fft.irfft(frames, size, axis=1)
    pieces *= window.reshape(1, -1, *[1] * (frames.ndim - 2))
    blocks = pieces.reshape(len(frames), OVERLAP, hop, *frames.shape[2:])
    total = np.zeros((len(frames) + OVERLAP - 1, hop, *frames.shape[2:]))
    for k in range(OVERLAP):
        total[k : k + len(frames)] += blocks[:, k]
    total /= np.square(window).sum() / hop
    return total.reshape(-1, *frames.shape[2:])[size - hop : size - hop + samples]


def frames_of(samples: int, rate: int) -> int:
    """How many frames `spectra` makes of so many samples."""
    return -(-samples // (frame_size(rate) // OVERLAP)) + OVERLAP - 1


def frequencies(rate: int) -> np.ndarray:
    """(bins,) Hz."""
    return np.fft.rfftfreq(frame_size(rate), 1 / rate)


def decibels(power: np.ndarray, rate: int) -> np.ndarray:
    """Mean powers of frames' bins as dB of full scale."""
    return np.asarray(10 * np.log10(power / frame_size(rate) ** 2 + 10 ** (EMPTY_DB / 10)))


def _window(size: int) -> np.ndarray:
    return np.hanning(size + 1)[:-1] / np.sqrt(0.375)
