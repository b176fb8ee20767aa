"""The vocoder's losses: spectra at several resolutions, mel, magnitude and harmonics.

Every loss stops at the recording's highest frequency: a 16 kHz recording has nothing to compare
with above 8 kHz.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from a3t.audio.analysis.mel import MAGNITUDE_FLOOR, MEL_WINDOW_SAMPLES, N_FFT, mel_filters
from a3t.audio.analysis.world_pitch import log_pitch
from a3t.grid import HOP, SAMPLE_RATE
from a3t.vocoder.stft import BINS, spectrum
from a3t.vocoder.texture import class_of

RESOLUTIONS = (256, 512, 1024, 2048)
HARMONICS_WINDOW, HARMONICS_TOP = 4096, 1000.0  # samples, Hz
MEL_FLOOR = 1e-4  # of magnitude: below is the codecs' and microphones' noise


@dataclass(frozen=True)
class VocoderLossConfig:
    """The ``loss:`` part of a vocoder's configuration: weights.

    With them how many Griffin-Lim steps the spectral losses may hear (drawn anew from
    0..``unrolled`` at each step). ``heard``: that of the mel of what the discriminators hear. With
    no weight but that, the refinement alone learns.
    """

    spectral: float = 1.0
    mel: float = 3.0
    amplitude: float = 0.5
    harmonics: float = 0.0
    pitch: float = 0.1
    heard: float = 0.0
    unrolled: int = 2

    @property
    def refines(self) -> bool:
        """Whether the refinement alone learns."""
        return not (self.spectral or self.mel or self.amplitude or self.harmonics or self.pitch)


def known_bins(top: Tensor, bins: int) -> Tensor:
    """Return weights (B, 1, bins): 1 where a bin is safely below ``top`` (B,) Hz, else 0."""
    hertz = torch.linspace(0.0, SAMPLE_RATE / 2, bins, device=top.device)
    top = top[:, None]
    known = (hertz <= 0.97 * top) | (top >= SAMPLE_RATE / 2)
    return known[:, None].float()


def multi_resolution_loss(
    made: Tensor, true: Tensor, top: Tensor, resolutions: Sequence[int] = RESOLUTIONS
) -> Tensor:
    """Return spectral convergence plus mean absolute difference of log magnitudes (natural log).

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
    """Return magnitudes (B, T, size // 2 + 1), never zero: their log and gradient stay finite."""
    spectra = torch.stft(samples, size, size // 4, size, window, center=True, return_complex=True)
    power = spectra.real.square() + spectra.imag.square()
    return (power + 1e-7).sqrt().transpose(1, 2)


def mel_loss(made: Tensor, true_mel: Tensor) -> Tensor:
    """Return the mean absolute difference of natural-log mels; ``true_mel`` (B, T, 80) is log10."""
    window = torch.hann_window(MEL_WINDOW_SAMPLES, device=made.device)
    spectra = torch.stft(
        made, N_FFT, HOP, MEL_WINDOW_SAMPLES, window, center=True, return_complex=True
    )
    power = spectra.real.square() + spectra.imag.square()
    mel = (power + MAGNITUDE_FLOOR).sqrt().transpose(1, 2) @ mel_filters().T.to(made.device)
    true = true_mel.clamp(min=math.log10(MEL_FLOOR)) * math.log(10.0)
    return (mel.clamp(min=MEL_FLOOR).log()[:, : true.shape[1]] - true).abs().mean()


def amplitude_loss(magnitude: Tensor, true: Tensor, top: Tensor) -> Tensor:
    """Compare the network's own magnitudes (B, T, 601) with the recording's, natural log."""
    known = known_bins(top, BINS)
    difference = (magnitude + 3e-4).log() - (true.abs() + 3e-4).log()
    return (difference.abs() * known).sum() / (known.sum() * magnitude.shape[1])


def harmonics_loss(made: Tensor, true: Tensor) -> Tensor:
    """Return ``multi_resolution_loss`` in windows of 171 ms, below 1 kHz; (B, n) samples.

    In so long a window the harmonics of the lowest voices are apart.
    """
    top = torch.full((len(made),), HARMONICS_TOP, device=made.device)
    return multi_resolution_loss(made, true, top, (HARMONICS_WINDOW,))


def pitch_loss(scores: Tensor, samples: Tensor) -> Tensor:
    """Cross-entropy of scores of pitches (B, T, classes + 1) with what samples (B, 300 T) have."""
    pitch = measured_pitch(samples)
    logs = torch.where(pitch > 0, pitch.clamp(min=1.0).log2(), 0.0)
    true = class_of(logs, scores.shape[2] - 1)
    return functional.cross_entropy(scores.float().flatten(0, 1), true.flatten())


def measured_pitch(samples: Tensor) -> Tensor:
    """Return the pitch (B, T) in Hz, 0 where unvoiced, of samples (B, 300 T)."""
    frames = samples.shape[1] // HOP
    pitch = [log_pitch(window, frames, speed=4) for window in samples.cpu().numpy()]
    logs = torch.from_numpy(np.stack(pitch)).to(samples.device)
    return torch.where(logs > 0, torch.exp2(logs), 0.0)


def true_spectrum(samples: Tensor) -> Tensor:
    """Return the recording's complex spectrum (B, T, 601) on the vocoder's own grid."""
    return spectrum(samples, torch.hann_window(MEL_WINDOW_SAMPLES, device=samples.device))
