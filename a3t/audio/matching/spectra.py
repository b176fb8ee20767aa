"""Sound as overlapping frames of spectra, and back, for time-varying filters.

What SciPy's ShortTimeFFT computes, to the last bit, without the half second that it takes to import
scipy.signal.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np

SPECTRUM_FRAME_S = 0.025
OVERLAPPING = 4  # frames over every sample
EMPTY_DB = -120.0  # of full scale; quieter counts as this
LOWEST_BAND_HZ = 100.0  # Hz; bands of a third of an octave above
FIRST_FRAME = 2 - OVERLAPPING + 1  # the first frame, counted from the one whose middle is sample 0


def frame_size(rate: int) -> int:
    """Return a frame's samples at a rate: 25 ms, a multiple of 4."""
    return OVERLAPPING * round(SPECTRUM_FRAME_S * rate / OVERLAPPING)


def spectra(sound: np.ndarray, rate: int) -> np.ndarray:
    """Transform (n,) or (n, channels) into (frames, bins[, channels]) complex.

    The windows are Hann's, of mean power 1. A frame begins every quarter of its size; the first
    and the last reach over the sound's ends, where it is silent.
    """
    size, hop = frame_size(rate), frame_size(rate) // OVERLAPPING
    count = frames_of(len(sound), rate)
    padded = np.pad(sound, [_around(count, hop, len(sound))] + [(0, 0)] * (sound.ndim - 1))
    frames = np.lib.stride_tricks.sliding_window_view(padded, size, axis=0)[::hop][:count]
    return np.moveaxis(np.fft.rfft(frames * _windows(size)[0]), -1, 1)


def sound_of(frames: np.ndarray, samples: int, rate: int) -> np.ndarray:
    """Invert `spectra`: return the sound (samples[, channels]) nearest to the frames."""
    size, hop = frame_size(rate), frame_size(rate) // OVERLAPPING
    before = -_start(hop)
    dual = _windows(size)[1].reshape(-1, *[1] * (frames.ndim - 2))
    lengths = max(before + samples, (len(frames) - 1) * hop + size)
    sound = np.zeros((lengths, *frames.shape[2:]))
    for k, frame in enumerate(frames):
        sound[k * hop : k * hop + size] += np.fft.irfft(frame, size, axis=0) * dual
    return sound[before : before + samples]


def frames_of(samples: int, rate: int) -> int:
    """Return the number of frames that `spectra` makes of so many samples."""
    return -(-samples // (frame_size(rate) // OVERLAPPING)) + OVERLAPPING - 1


def frequencies(rate: int) -> np.ndarray:
    """Return the bins' frequencies, (bins,) Hz."""
    return np.fft.rfftfreq(frame_size(rate), 1 / rate)


def decibels(power: np.ndarray, rate: int) -> np.ndarray:
    """Express mean powers of frames' bins as dB of full scale."""
    return np.asarray(10 * np.log10(power / frame_size(rate) ** 2 + 10 ** (EMPTY_DB / 10)))


def thirds_of_octaves(rate: int) -> np.ndarray:
    """Return where each third of an octave begins and ends, (bands, 2) Hz."""
    count = int(3 * np.log2(rate / 2 / LOWEST_BAND_HZ))
    edges = LOWEST_BAND_HZ * 2 ** (np.arange(count + 1) / 3)
    edges = np.concatenate([[0.0], edges[edges < rate / 2 - 200], [rate / 2 + 1]])
    return np.stack([edges[:-1], edges[1:]], axis=1)


def band_power(power: np.ndarray, bands: np.ndarray) -> np.ndarray:
    """Average each band's bins, or take the nearest one: (frames, bins) -> (frames, bands)."""
    hertz = np.linspace(0.0, bands[-1, 1] - 1, power.shape[1])
    means = []
    for low, high in bands:
        inside = (hertz >= low) & (hertz < high)
        if not inside.any():
            inside[np.abs(hertz - (low + high) / 2).argmin()] = True
        means.append(power[:, inside].mean(axis=1))
    return np.stack(means, axis=1)


def inner_power(pieces: Iterable[np.ndarray], rate: int) -> np.ndarray:
    """Return the power of pieces of sound (n,) without frames that reach over their ends.

    (frames, bins); none of a piece that is shorter than that.
    """
    powers = [np.empty((0, len(frequencies(rate))))]
    powers += [
        np.square(np.abs(spectra(piece, rate)[OVERLAPPING:-OVERLAPPING])) for piece in pieces
    ]
    return np.concatenate(powers)


def nearby(values: np.ndarray, size: int, axis: int) -> np.ndarray:
    """Show each value with its neighbours along an axis, `size` of them along a new last one."""
    pads = [(0, 0)] * values.ndim
    pads[axis] = (size // 2, size // 2)
    padded = np.pad(values, pads, mode="edge")
    return np.lib.stride_tricks.sliding_window_view(padded, size, axis=axis % values.ndim)


def on_bins(values: np.ndarray, bands: np.ndarray, rate: int) -> np.ndarray:
    """Give each bin its band's value: (frames, bands) -> (frames, bins)."""
    place = np.searchsorted(bands[:, 1], frequencies(rate), "right").clip(max=len(bands) - 1)
    return np.asarray(values[:, place])


def _start(hop: int) -> int:
    """Return the first sample of the first frame: the middle of frame 0 is sample 0."""
    return (FIRST_FRAME - OVERLAPPING // 2) * hop


def _around(count: int, hop: int, samples: int) -> tuple[int, int]:
    """Return the silence before and after so many samples that so many frames reach over."""
    before = -_start(hop)
    return before, max(0, (count - 1 + OVERLAPPING) * hop - before - samples)


@cache
def _windows(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a Hann window of mean power 1 and its canonical dual, (size,) each."""
    window = np.hanning(size + 1)[:-1] / np.sqrt(0.375)
    power = window**2
    whole = power.copy()
    for shift in range(size // OVERLAPPING, size, size // OVERLAPPING):
        whole[shift:] += power[:-shift]
        whole[:-shift] += power[shift:]
    return window, window / whole
