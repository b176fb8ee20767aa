"""Griffin-Lim: a waveform from a mel without any training; the floor for every other vocoder."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import torch
from torch import Tensor

from a3t.audio.analysis.mel import FMAX, N_FFT, WINDOW, mel_filters
from a3t.grid import SAMPLE_RATE
from a3t.spans import Span
from a3t.vocoder.base import check_mel, placed_uniform
from a3t.vocoder.stft import REACH, griffin_lim


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
        self._window = torch.hann_window(WINDOW)

    @property
    def receptive_frames(self) -> int:
        return REACH * (self.iterations + 1)

    @torch.no_grad()
    def __call__(
        self,
        mel: Tensor,
        first_frame: int = 0,
        seed: int = 0,
        finished: Sequence[Span] | None = None,
    ) -> Tensor:
        mel = check_mel(mel.detach().cpu())
        magnitude = extend(magnitude_of(mel, self.inversion_steps))[None]  # 1, T, 1025
        turns = placed_uniform(seed, first_frame, *magnitude.shape[1:])
        angles = torch.from_numpy(turns).float()[None] * (2 * math.pi)
        phase = torch.polar(torch.ones_like(angles), angles)
        return griffin_lim(magnitude, phase, self._window, self.iterations, self.momentum, N_FFT)[0]


def magnitude_of(mel: Tensor, steps: int) -> Tensor:
    """Non-negative magnitudes (T, 1025) whose mel is nearest to 10 ** mel (T, 80).

    Projected gradient with Nesterov's momentum from the pseudo-inverse, a fixed number of steps:
    each frame on its own, so a span gives what the whole gives.
    """
    filters, inverse, rate = _inversion()
    target = torch.pow(10.0, mel)
    # Gradient steps see frames of all levels alike if each is scaled to one.
    level = target.amax(dim=1, keepdim=True).clamp(min=1e-10)
    target = target / level
    found = (target @ inverse).clamp(min=0.0)
    ahead, pace = found, 1.0
    for _ in range(steps):
        error = ahead @ filters.T - target  # T, 80
        new = (ahead - rate * (error @ filters)).clamp(min=0.0)
        next_pace = (1 + math.sqrt(1 + 4 * pace * pace)) / 2
        ahead = new + (pace - 1) / next_pace * (new - found)
        found, pace = new, next_pace
    return found * level


def extend(magnitude: Tensor) -> Tensor:
    """Magnitudes (T, 1025) with the band above the mels filled in.

    Each frame's mean from 7 kHz to the mels' end continues, falling by 1.5 dB per kHz, the average
    of 24 kHz recordings; dark tops sound muffled.
    """
    hertz = torch.linspace(0.0, SAMPLE_RATE / 2, magnitude.shape[1])
    above = hertz >= FMAX
    level = magnitude[:, (hertz > 7000) & ~above].mean(dim=1, keepdim=True)
    fall = 10.0 ** (-1.5 * (hertz[above] - FMAX) / 1000 / 20)
    return torch.cat([magnitude[:, ~above], level * fall], dim=1)


@lru_cache(maxsize=1)
def _inversion() -> tuple[Tensor, Tensor, float]:
    """The filters (80, 1025), their pseudo-inverse transposed (80, 1025), and a safe step."""
    filters = mel_filters()
    inverse = torch.linalg.pinv(filters.double()).T.float().contiguous()
    largest = float(torch.linalg.matrix_norm(filters.double(), 2))
    return filters, inverse, 1.0 / largest**2
