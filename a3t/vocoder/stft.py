"""The short-time Fourier transform on the one frame grid, its inverse, and Griffin-Lim by both.

Frame t is centred on sample 300 t, so with T frames there are exactly 300 T samples and the block
[300 t, 300 t + 300) belongs to frame t. Windows of 1200 samples overlap four deep, which makes
overlap-add a sum of four shifted blocks: no fold, and the same arithmetic for a span as for the
whole. `GriffinLim` is a vocoder without any training: the floor for every other one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import torch
from torch import Tensor
from torch.nn import functional

from a3t.audio.analysis.mel import FMAX_HZ, MEL_WINDOW_SAMPLES, N_FFT, mel_filters
from a3t.grid import HOP, SAMPLE_RATE
from a3t.spans import Span
from a3t.vocoder.base import check_mel, placed_uniform

BINS = MEL_WINDOW_SAMPLES // 2 + 1  # 601
WINDOWS_OVER_SAMPLE = MEL_WINDOW_SAMPLES // HOP  # 4 windows over every sample
SHARED_FRAMES = WINDOWS_OVER_SAMPLE - 1  # frames on either side that share samples with a frame


def spectrum(samples: Tensor, window: Tensor, size: int = MEL_WINDOW_SAMPLES) -> Tensor:
    """Return the complex spectrum, (B, T, size // 2 + 1), of samples (B, 300 T), zeros around them.

    ``size`` is the Fourier transform's: 1200 samples, with zeros behind them if it is larger.
    """
    padded = functional.pad(samples, (MEL_WINDOW_SAMPLES // 2, MEL_WINDOW_SAMPLES // 2 - HOP))
    return torch.fft.rfft(padded.unfold(-1, MEL_WINDOW_SAMPLES, HOP) * window, n=size)


def waveform(
    spectra: Tensor, window: Tensor, size: int = MEL_WINDOW_SAMPLES, energy: Tensor | None = None
) -> Tensor:
    """Return the samples (B, 300 T) whose spectrum is nearest to ``spectra`` (B, T, size // 2 + 1).

    Least squares (Griffin and Lim 1984): windowed again, added, divided by the windows' ``energy``,
    as `windows_energy` gives it.
    """
    batch, frames, _ = spectra.shape
    energy = windows_energy(window, frames) if energy is None else energy
    pieces = torch.fft.irfft(spectra, n=size)[..., :MEL_WINDOW_SAMPLES] * window  # (B, T, 1200)
    return (_own(_overlap_add(pieces)) / energy).reshape(batch, frames * HOP)


def windows_energy(window: Tensor, frames: int) -> Tensor:
    """Return the energy (1, frames, 300) of all the windows that lie over each sample."""
    return _own(_overlap_add((window * window).expand(1, frames, MEL_WINDOW_SAMPLES)))


def _own(blocks: Tensor) -> Tensor:
    """Return the T frames' blocks among the (B, T + 3, 300) blocks of a sum.

    Block t of the sum starts WINDOW / 2 = two blocks before frame t's centre; at the very ends the
    windows' energy is zero.
    """
    first = MEL_WINDOW_SAMPLES // 2 // HOP
    return blocks[:, first : blocks.shape[1] - SHARED_FRAMES + first]


def _overlap_add(pieces: Tensor) -> Tensor:
    """Sum (B, T, 1200) windows, a hop apart, into (B, T + 3, 300) blocks."""
    batch, frames, _ = pieces.shape
    blocks = pieces.reshape(batch, frames, WINDOWS_OVER_SAMPLE, HOP)
    total = functional.pad(blocks[:, :, 0], (0, 0, 0, SHARED_FRAMES))
    for shift in range(1, WINDOWS_OVER_SAMPLE):
        total = total + functional.pad(blocks[:, :, shift], (0, 0, shift, SHARED_FRAMES - shift))
    return total


def griffin_lim(
    magnitude: Tensor,
    phase: Tensor,
    window: Tensor,
    iterations: int,
    momentum: float,
    size: int = MEL_WINDOW_SAMPLES,
    settle: Callable[[Tensor], Tensor] | None = None,
) -> Tensor:
    """Return samples (B, 300 T) with the given magnitude (B, T, size // 2 + 1), made consistent.

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
    """Return each complex number's distance from 0, differentiable there too."""
    return torch.sqrt(values.real**2 + values.imag**2 + 1e-16)


def unit(values: Tensor) -> Tensor:
    """Return each complex number's direction, on the unit circle; 0 where it is 0.

    It is differentiable there too.
    """
    return values / modulus(values)


class GriffinLim:
    """Non-negative least squares from mel to magnitude, then fast Griffin-Lim.

    Deterministic: the first phases are random but drawn by the seed and the frame's place.
    """

    name = "griffin-lim"
    sha256: str | None = None

    def __init__(
        self, iterations: int = 32, momentum: float = 0.99, inversion_steps: int = 60
    ) -> None:
        self.iterations = iterations
        self.momentum = momentum
        self.inversion_steps = inversion_steps
        self._window = torch.hann_window(MEL_WINDOW_SAMPLES)

    @property
    def receptive_frames(self) -> int:
        """Frames on either side that a frame's samples depend on."""
        return SHARED_FRAMES * (self.iterations + 1)

    @torch.no_grad()
    def __call__(
        self,
        mel: Tensor,
        first_frame: int = 0,
        seed: int = 0,
        finished: Sequence[Span] | None = None,
        pulse_gain: Tensor | None = None,
    ) -> Tensor:
        """Turn a mel (T, 80) into samples (300 T,), as `Vocoder` has it."""
        mel = check_mel(mel.detach().cpu())
        magnitude = extend(magnitude_of(mel, self.inversion_steps))[None]  # 1, T, 1025
        turns = placed_uniform(seed, first_frame, *magnitude.shape[1:])
        angles = torch.from_numpy(turns).float()[None] * (2 * math.pi)
        phase = torch.polar(torch.ones_like(angles), angles)
        return griffin_lim(magnitude, phase, self._window, self.iterations, self.momentum, N_FFT)[0]


def magnitude_of(mel: Tensor, steps: int) -> Tensor:
    """Return non-negative magnitudes (T, 1025) whose mel is nearest to 10 ** mel (T, 80).

    Projected gradient with Nesterov's momentum from the pseudo-inverse, a fixed number of steps:
    each frame on its own, so a span gives what the whole gives.
    """
    filters, inverse, rate = _inversion()
    target = torch.pow(10.0, mel)
    # Gradient steps see frames of all levels alike if each is scaled to one.
    level = target.amax(dim=1, keepdim=True).clamp(min=1e-10)
    target = target / level
    magnitude = (target @ inverse).clamp(min=0.0)
    ahead, pace = magnitude, 1.0
    for _ in range(steps):
        error = ahead @ filters.T - target  # T, 80
        new = (ahead - rate * (error @ filters)).clamp(min=0.0)
        next_pace = (1 + math.sqrt(1 + 4 * pace * pace)) / 2
        ahead = new + (pace - 1) / next_pace * (new - magnitude)
        magnitude, pace = new, next_pace
    return magnitude * level


def extend(magnitude: Tensor) -> Tensor:
    """Fill in the band above the mels of magnitudes (T, 1025).

    Each frame's mean from 7 kHz to the mels' end continues, falling by 1.5 dB per kHz, the average
    of 24 kHz recordings; dark tops sound muffled.
    """
    hertz = torch.linspace(0.0, SAMPLE_RATE / 2, magnitude.shape[1])
    above = hertz >= FMAX_HZ
    level = magnitude[:, (hertz > 7000) & ~above].mean(dim=1, keepdim=True)
    fall = 10.0 ** (-1.5 * (hertz[above] - FMAX_HZ) / 1000 / 20)
    return torch.cat([magnitude[:, ~above], level * fall], dim=1)


@lru_cache(maxsize=1)
def _inversion() -> tuple[Tensor, Tensor, float]:
    """Return the filters (80, 1025), their pseudo-inverse transposed, and a safe step."""
    filters = mel_filters()
    inverse = torch.linalg.pinv(filters.double()).T.float().contiguous()
    largest = float(torch.linalg.matrix_norm(filters.double(), 2))
    return filters, inverse, 1.0 / largest**2
