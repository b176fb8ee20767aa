"""The vocoder's losses: spectra at several resolutions, mel, magnitude and phase.

Every loss stops at the recording's highest frequency: a 16 kHz recording has nothing to compare
with above 8 kHz.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from a3t.audio.analysis.mel import FLOOR, N_FFT, WINDOW, mel_filters
from a3t.audio.world_pitch import log_pitch
from a3t.grid import HOP, SAMPLE_RATE
from a3t.vocoder.framing import BINS, spectrum
from a3t.vocoder.texture import class_of

RESOLUTIONS = (256, 512, 1024, 2048)
MEL_RESOLUTIONS = {256: 16, 512: 32, 1024: 64, 2048: 80}  # window in samples: bands
HARMONICS_WINDOW, HARMONICS_TOP = 4096, 1000.0  # samples, Hz
MEL_FLOOR = 1e-4  # of magnitude: below is the codecs' and microphones' noise


@dataclass(frozen=True)
class VocoderLossConfig:
    """The ``loss:`` part of a vocoder's configuration: weights, and how many Griffin-Lim steps the
    spectral losses may hear (drawn anew from 0..``unrolled`` at each step)."""

    spectral: float = 1.0
    mel: float = 3.0
    amplitude: float = 0.5
    multi_mel: float = 0.0
    phase: float = 0.0
    harmonics: float = 0.0
    pitch: float = 0.1
    unrolled: int = 2


def known_bins(top: Tensor, bins: int) -> Tensor:
    """Weights (B, 1, bins): 1 where a bin's frequency is safely below ``top`` (B,) Hz, else 0."""
    hertz = torch.linspace(0.0, SAMPLE_RATE / 2, bins, device=top.device)
    top = top[:, None]
    known = (hertz <= 0.97 * top) | (top >= SAMPLE_RATE / 2)
    return known[:, None].float()


def multi_resolution_loss(
    made: Tensor, true: Tensor, top: Tensor, resolutions: Sequence[int] = RESOLUTIONS
) -> Tensor:
    """Spectral convergence plus mean absolute difference of log magnitudes (natural log).

    Yamamoto, Song and Kim 2020 (Parallel WaveGAN); ``made`` and ``true`` (B, n) samples.
    """
    total = made.new_zeros(())
    for size in resolutions:
        window = torch.hann_window(size, device=made.device)
        known = known_bins(top, size // 2 + 1)
        a, b = _magnitude(made, size, window), _magnitude(true, size, window)
        frames = a.shape[1]
        logs = ((a.log() - b.log()).abs() * known).sum() / (known.sum() * frames)
        error = ((a - b) * known).square().sum((1, 2)).sqrt()
        convergence = (error / (b * known).square().sum((1, 2)).clamp(min=1e-6).sqrt()).mean()
        total = total + logs + convergence
    return total / len(resolutions)


def _magnitude(samples: Tensor, size: int, window: Tensor) -> Tensor:
    """(B, T, size // 2 + 1), never zero, so that its log and its gradient stay finite."""
    spectra = torch.stft(samples, size, size // 4, size, window, center=True, return_complex=True)
    power = spectra.real.square() + spectra.imag.square()
    return (power + 1e-7).sqrt().transpose(1, 2)


def mel_loss(made: Tensor, true_mel: Tensor) -> Tensor:
    """Mean absolute difference of natural-log mels; ``true_mel`` (B, T, 80) is log10."""
    window = torch.hann_window(WINDOW, device=made.device)
    spectra = torch.stft(made, N_FFT, HOP, WINDOW, window, center=True, return_complex=True)
    power = spectra.real.square() + spectra.imag.square()
    mel = (power + FLOOR).sqrt().transpose(1, 2) @ mel_filters().T.to(made.device)
    true = true_mel.clamp(min=math.log10(MEL_FLOOR)) * math.log(10.0)
    return (mel.clamp(min=MEL_FLOOR).log()[:, : true.shape[1]] - true).abs().mean()


def multi_mel_loss(made: Tensor, true: Tensor, top: Tensor) -> Tensor:
    """Mean absolute difference of natural-log mels at several resolutions.

    Kumar et al. 2023 (Descript's codec). Like hearing, it resolves low bands more finely than high
    ones, and brief sounds as well as steady ones; ``made`` and ``true`` (B, n) samples.
    """
    total = made.new_zeros(())
    for size, bands in MEL_RESOLUTIONS.items():
        window = torch.hann_window(size, device=made.device)
        filters, ends = (x.to(made.device) for x in _mel_bands(size, bands))
        known = ((ends <= 0.97 * top[:, None]) | (top[:, None] >= SAMPLE_RATE / 2))[:, None].float()
        a, b = (
            (_magnitude(x, size, window) @ filters).clamp(min=1e-5 * size) for x in (made, true)
        )
        total = total + ((a / b).log().abs() * known).sum() / (known.sum() * a.shape[1])
    return total / len(MEL_RESOLUTIONS)


@lru_cache
def _mel_bands(size: int, bands: int) -> tuple[Tensor, Tensor]:
    """Filters (size // 2 + 1, bands), each of sum one, to 12 kHz; and each band's end in Hz."""
    import librosa

    filters = torch.from_numpy(librosa.filters.mel(sr=SAMPLE_RATE, n_fft=size, n_mels=bands)).T
    ends = torch.from_numpy(librosa.mel_frequencies(bands + 2, fmax=SAMPLE_RATE / 2)[2:]).float()
    return filters / filters.sum(0).clamp(min=1e-8), ends


def amplitude_loss(magnitude: Tensor, true: Tensor, top: Tensor) -> Tensor:
    """The network's own magnitudes (B, T, 601) against the recording's, natural log."""
    known = known_bins(top, BINS)
    difference = (magnitude + 3e-4).log() - (true.abs() + 3e-4).log()
    return (difference.abs() * known).sum() / (known.sum() * magnitude.shape[1])


def phase_loss(phase: Tensor, true: Tensor, top: Tensor) -> Tensor:
    """Anti-wrapping phase losses of APNet (Ai and Ling 2023), weighted by where the energy is.

    Instantaneous phase, group delay (difference along frequency) and instantaneous angular
    frequency (difference along time); ``phase`` (B, T, 601) of modulus one, ``true`` the
    recording's complex spectrum. The distance is 1 - cos, smooth where |wrapped angle| is not.
    """
    magnitude = true.abs()
    weight = magnitude.sqrt() * known_bins(top, BINS)
    weight = weight / weight.mean().clamp(min=1e-8)
    turn = phase * (true / (magnitude + 1e-8)).conj()  # angle: the error of the phase
    instantaneous = (weight * (1 - turn.real)).mean()
    along_bins = turn[:, :, 1:] * turn[:, :, :-1].conj()
    delay = (weight[:, :, 1:] * (1 - along_bins.real)).mean()
    along_time = turn[:, 1:] * turn[:, :-1].conj()
    frequency = (weight[:, 1:] * (1 - along_time.real)).mean()
    return instantaneous + delay + frequency


def harmonics_loss(made: Tensor, true: Tensor) -> Tensor:
    """``multi_resolution_loss`` in windows of 171 ms, below 1 kHz; (B, n) samples.

    In so long a window the harmonics of the lowest voices are apart.
    """
    top = torch.full((len(made),), HARMONICS_TOP, device=made.device)
    return multi_resolution_loss(made, true, top, (HARMONICS_WINDOW,))


def pitch_loss(scores: Tensor, samples: Tensor) -> Tensor:
    """Cross-entropy of scores of pitches (B, T, classes + 1) with what samples (B, 300 T) have."""
    frames, classes = scores.shape[1], scores.shape[2] - 1
    pitch = np.stack([log_pitch(window, frames, speed=4) for window in samples.cpu().numpy()])
    true = class_of(torch.from_numpy(pitch), classes).to(scores.device)
    return functional.cross_entropy(scores.float().flatten(0, 1), true.flatten())


def true_spectrum(samples: Tensor) -> Tensor:
    """The recording's complex spectrum (B, T, 601) on the vocoder's own grid."""
    return spectrum(samples, torch.hann_window(WINDOW, device=samples.device))
