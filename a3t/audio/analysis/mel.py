"""The log-mel spectrogram that everything shares, of a sound or of some frames of a recording.

The features of ESPnet's VCTK recipes: base-10 log of the Slaney mel of the magnitude spectrum, so
that vocoders released for those features fit as they are. Frames are those of `a3t.grid`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from a3t.grid import HOP, SAMPLE_RATE, grid_samples

if TYPE_CHECKING:  # training computes mels on machines that read no recordings
    from a3t.audio.reading.recording import Recording

N_FFT = 2048
MEL_WINDOW_SAMPLES = 1200
MELS = 80
FMIN_HZ = 80.0
FMAX_HZ = 7600.0
MAGNITUDE_FLOOR = 1e-10
# Frames on either side that a frame's Fourier transform reaches into, and one to be sure.
MEL_REACH_FRAMES = N_FFT // 2 // HOP + 2


def hz_to_mel(hz: np.ndarray) -> np.ndarray:
    """Convert to Slaney's scale: linear (3 mel per 200 Hz) below 1 kHz, logarithmic above."""
    log_part = 15.0 + 27.0 * np.log(np.maximum(hz, 1000.0) / 1000.0) / np.log(6.4)
    return np.where(hz < 1000.0, hz * 3.0 / 200.0, log_part)


def mel_to_hz(mel: np.ndarray) -> np.ndarray:
    """Invert `hz_to_mel`."""
    return np.where(mel < 15.0, mel * 200.0 / 3.0, 1000.0 * 6.4 ** ((mel - 15.0) / 27.0))


def _edges() -> np.ndarray:
    """Return the filters' edges, (82,) Hz: each rises from one to the next and falls to a third."""
    limits = hz_to_mel(np.array([FMIN_HZ, FMAX_HZ]))
    return mel_to_hz(np.linspace(limits[0], limits[1], MELS + 2))


def bin_centres() -> np.ndarray:
    """Return where each bin's filter is highest, (80,) Hz."""
    return _edges()[1:-1]


@lru_cache(maxsize=1)
def mel_filters() -> Tensor:
    """Return triangular Slaney filters of unit area, (80, 1025), as ``librosa.filters.mel`` does.

    Ours because importing librosa costs the editor more than a second of its cold start; a test
    holds the two together.
    """
    bins = np.linspace(0.0, SAMPLE_RATE / 2, N_FFT // 2 + 1)
    edges = _edges()
    widths = np.diff(edges)
    ramps = edges[:, None] - bins[None, :]
    rising = -ramps[:-2] / widths[:-1, None]
    falling = ramps[2:] / widths[1:, None]
    filters = np.maximum(0.0, np.minimum(rising, falling))
    filters *= (2.0 / (edges[2:] - edges[:-2]))[:, None]
    return torch.from_numpy(filters.astype(np.float32))


@lru_cache(maxsize=1)
def _window() -> Tensor:
    return torch.hann_window(MEL_WINDOW_SAMPLES)


def log_mel(samples: Tensor | np.ndarray) -> Tensor:
    """Compute the log10 mel, (1 + n // 300, 80) float32, of mono samples (n,) at 24 kHz in [-1, 1].

    Of a batch (B, n) it is (B, 1 + n // 300, 80).
    """
    wave = torch.as_tensor(samples, dtype=torch.float32)
    single = wave.dim() == 1
    wave = wave[None] if single else wave
    # Reflection needs more samples than it mirrors; very short pieces are mirrored in zeros.
    pad_mode = "reflect" if wave.shape[-1] > N_FFT // 2 else "constant"
    spectrum = torch.stft(
        wave,
        N_FFT,
        HOP,
        MEL_WINDOW_SAMPLES,
        _window(),
        center=True,
        pad_mode=pad_mode,
        return_complex=True,
    ).abs()  # (B, 1025, T)
    mel = torch.matmul(mel_filters(), spectrum).clamp(min=MAGNITUDE_FLOOR).log10()
    mel = mel.transpose(1, 2)
    return mel[0] if single else mel


def mel_window(recording: Recording, first: int, last: int) -> Tensor:
    """Compute frames [first, last) of the whole recording's log10 mel, (last - first, 80).

    Only the samples that they depend on are read; they equal those of the whole.
    """
    begin, end = max(0, first - MEL_REACH_FRAMES), last + MEL_REACH_FRAMES
    stop = min(end * HOP, grid_samples(recording.samples, recording.sample_rate))
    samples = recording.resampled(begin * HOP, stop, SAMPLE_RATE)
    if recording.sample_rate < 2 * FMAX_HZ:
        # The upper bins would hold nothing at all, which no recording does that the network has
        # learnt from: there, telephone lines end in the noise of 16 bits.
        samples = np.round(samples * 32768).astype(np.float32) / 32768
    mel = log_mel(samples)
    return mel[first - begin : last - begin]
