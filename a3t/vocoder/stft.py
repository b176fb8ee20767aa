"""The short-time Fourier transform on the one frame grid, and its inverse.

Frame t is centred on sample 300 t, so with T frames there are exactly 300 T samples and the block
[300 t, 300 t + 300) belongs to frame t. Windows of 1200 samples overlap four deep, which makes
overlap-add a sum of four shifted blocks: no fold, and the same arithmetic for a span as for the
whole.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from a3t.audio.analysis.mel import WINDOW
from a3t.grid import HOP

BINS = WINDOW // 2 + 1  # 601
OVERLAP = WINDOW // HOP  # 4 windows over every sample
REACH = OVERLAP - 1  # frames on either side that share samples with a frame


def spectrum(samples: Tensor, window: Tensor, size: int = WINDOW) -> Tensor:
    """Complex spectrum (B, T, size // 2 + 1) of samples (B, 300 T), zeros beyond both ends.

    ``size`` is the Fourier transform's: 1200 samples, with zeros behind them if it is larger.
    """
    padded = functional.pad(samples, (WINDOW // 2, WINDOW // 2 - HOP))
    return torch.fft.rfft(padded.unfold(-1, WINDOW, HOP) * window, n=size)


def waveform(
    spectra: Tensor, window: Tensor, size: int = WINDOW, energy: Tensor | None = None
) -> Tensor:
    """The samples (B, 300 T) whose spectrum is nearest to ``spectra`` (B, T, size // 2 + 1).

    Least squares (Griffin and Lim 1984): windowed again, added, divided by the windows'
    ``energy``, as ``windows_energy`` gives it.
    """
    batch, frames, _ = spectra.shape
    energy = windows_energy(window, frames) if energy is None else energy
    pieces = torch.fft.irfft(spectra, n=size)[..., :WINDOW] * window  # (B, T, 1200)
    return (_own(_overlap_add(pieces)) / energy).reshape(batch, frames * HOP)


def windows_energy(window: Tensor, frames: int) -> Tensor:
    """The energy (1, frames, 300) of all the windows that lie over each sample."""
    return _own(_overlap_add((window * window).expand(1, frames, WINDOW)))


def _own(blocks: Tensor) -> Tensor:
    """The T frames' blocks among the (B, T + 3, 300) blocks of a sum. Block t of the sum starts
    WINDOW / 2 = two blocks before frame t's centre; at the very ends the windows' energy is zero.
    """
    first = WINDOW // 2 // HOP
    return blocks[:, first : blocks.shape[1] - REACH + first]


def _overlap_add(pieces: Tensor) -> Tensor:
    """(B, T, 1200) windows, a hop apart -> (B, T + 3, 300) blocks of their sum."""
    batch, frames, _ = pieces.shape
    blocks = pieces.reshape(batch, frames, OVERLAP, HOP)
    total = functional.pad(blocks[:, :, 0], (0, 0, 0, REACH))
    for shift in range(1, OVERLAP):
        total = total + functional.pad(blocks[:, :, shift], (0, 0, shift, REACH - shift))
    return total


def griffin_lim(
    magnitude: Tensor,
    phase: Tensor,
    window: Tensor,
    iterations: int,
    momentum: float,
    size: int = WINDOW,
    settle: Callable[[Tensor], Tensor] | None = None,
) -> Tensor:
    """Samples (B, 300 T) with the given magnitude (B, T, size // 2 + 1), made consistent.

    ``phase`` (B, T, size // 2 + 1), complex of modulus one, is where it starts; fast Griffin-Lim
    (Perraudin, Balazs and Søndergaard 2013) with ``momentum`` in [0, 1). With no iterations it is
    the plain inverse. Each iteration lets a sample hear three frames more on either side.
    ``settle`` says, frame by frame, what magnitude to ask for next, given the one that the last
    samples have; without it the first is asked for again and again.
    """
    energy = windows_energy(window, magnitude.shape[1])
    samples = waveform(magnitude * phase, window, size, energy)
    previous: Tensor | None = None
    for _ in range(iterations):
        consistent = spectrum(samples, window, size)
        leap = consistent
        if previous is not None and momentum:
            leap = consistent + momentum * (consistent - previous)
        previous = consistent
        if settle is not None:
            magnitude = settle(modulus(consistent))
        samples = waveform(magnitude * unit(leap), window, size, energy)
    return samples


def modulus(values: Tensor) -> Tensor:
    """Each complex number's distance from 0, differentiable there too."""
    return torch.sqrt(values.real**2 + values.imag**2 + 1e-16)


def unit(values: Tensor) -> Tensor:
    """Each complex number's direction: on the unit circle, differentiable, 0 where it is 0."""
    return values / modulus(values)
