"""Drawn texture: where speech is noise its spectrum scatters, and a network's is a mean.

Asked for one spectrum, a network gives the mean of all that there may be. So where no harmonic
stands out, its magnitudes shape white noise instead: harmonics plus noise (Stylianou 2001,
"Applying the harmonic plus noise model in concatenative speech synthesis"). The noise is a sound:
neighbouring frames agree in it as they do in speech.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from a3t.audio.analysis.mel import WINDOW
from a3t.grid import SAMPLE_RATE
from a3t.vocoder.framing import BINS

# The mean magnitude of white noise of power one in a Hann window: the window's energy is 3/8 of its
# length, and magnitudes are Rayleigh's.
MEAN = math.sqrt(3 / 8 * WINDOW * math.pi / 4)


def aperiodicity(periodicity: Tensor, limits: tuple[float, float]) -> Tensor:
    """The share of noise in each bin's power (B, T, 601): none below the first limit, Hz, and above
    the second what ``periodicity`` (B, T, 601), how far harmonics stand out, leaves."""
    hertz = torch.linspace(0, SAMPLE_RATE / 2, BINS, device=periodicity.device)
    rise = ((hertz - limits[0]) / (limits[1] - limits[0])).clamp(0, 1)
    return (1 - periodicity) * rise


def textured(phase: Tensor, aperiodic: Tensor, drawn: Tensor) -> Tensor:
    """Factors (B, T, 601) of mean magnitude about one, for a network's magnitudes: its ``phase``,
    of modulus one, and the spectrum ``drawn`` of white noise of power one; all three complex, or of
    twice the width, real parts first."""
    repeats = phase.shape[-1] // BINS
    share = aperiodic.repeat(1, 1, repeats)
    # Of 0 a root has no gradient.
    steady, noise = (part.clamp(min=1e-8).sqrt() * (part > 0) for part in (1 - share, share))
    return steady * phase + noise * (drawn / MEAN)
