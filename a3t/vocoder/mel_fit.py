"""Magnitudes made to agree with the mel they come from.

A network blurs: its magnitudes say where the harmonics are, but have not quite the mel that was
asked for. A few multiplicative updates of non-negative matrix factorisation (Lee and Seung 2001,
for the Kullback-Leibler distance, with the filters held fixed) repair that and keep the fine
structure. They are frame by frame, differentiable, and cost next to nothing.
"""

from __future__ import annotations

import torch
from torch import Tensor

from a3t.audio.analysis.mel import N_FFT, mel_filters
from a3t.vocoder.framing import BINS


def mel_filters_at_bins() -> Tensor:
    """The mel filters for spectra of 601 bins, (80, 601).

    The mel is defined on 1025 bins; magnitudes there are read off the 601 by straight lines.
    """
    fine = N_FFT // 2 + 1
    place = torch.arange(fine) * (BINS - 1) / (fine - 1)
    below = place.floor().long().clamp(max=BINS - 2)
    share = place - below
    lines = torch.zeros(fine, BINS)
    lines[torch.arange(fine), below] = 1 - share
    lines[torch.arange(fine), below + 1] += share
    return mel_filters() @ lines


def fit_to_mel(magnitude: Tensor, target: Tensor, filters: Tensor, updates: int) -> Tensor:
    """Magnitudes (B, T, 601) moved towards a mel (B, T, 80), not its log; ``filters`` (80, 601).

    Bins that no filter reaches (above 7600 Hz) stay as they are.
    """
    reach = filters.sum(0)  # 601
    inside = reach > 1e-5
    back = torch.where(inside, filters / reach.clamp(min=1e-5), 0.0)
    outside = (~inside).to(magnitude.dtype)
    for _ in range(updates):
        ratio = target / (magnitude @ filters.T + 1e-8)
        magnitude = magnitude * (ratio @ back + outside)
    return magnitude
