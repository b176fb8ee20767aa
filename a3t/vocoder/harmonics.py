"""The harmonics of a pitch in a spectrum, for a network too narrow to draw them.

A spectrum of 601 bins that is a linear map of 256 features can't have sharp harmonics for every
pitch: each pitch needs a comb of its own. So the combs are computed, one for each of many pitches;
the network says how likely each pitch is, and for each bin how far the comb stands out there.
Neural source-filter models (Wang, Takaki and Yamagishi 2019) do the same in the waveform.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from a3t.audio.analysis.mel import WINDOW
from a3t.grid import SAMPLE_RATE
from a3t.vocoder.framing import BINS

LOWEST, HIGHEST = 60.0, 500.0  # Hz, of the classes of pitch
VALLEY = 0.1  # of a harmonic's magnitude, between two of them: no voice is perfectly steady


def class_pitches(classes: int) -> Tensor:
    """The pitch of each class in Hz, (classes,), evenly spaced by their logarithms."""
    return torch.exp(torch.linspace(math.log(LOWEST), math.log(HIGHEST), classes))


def class_of(log_pitch: Tensor, classes: int) -> Tensor:
    """The class, int64, nearest to each log2 of a pitch in Hz; ``classes`` where that is 0: no
    voice."""
    low, high = math.log2(LOWEST), math.log2(HIGHEST)
    nearest = ((log_pitch - low) / (high - low) * (classes - 1)).round().clamp(0, classes - 1)
    return torch.where(log_pitch > 0, nearest, classes).long()


def combs(classes: int) -> Tensor:
    """Log magnitude (classes, 601) of steady harmonics in a Hann window, each of mean zero."""
    bins = torch.arange(BINS, dtype=torch.float64)
    rows = []
    for pitch in class_pitches(classes).double() * WINDOW / SAMPLE_RATE:  # in bins
        # Harmonics beyond the last bin still reach it.
        harmonics = pitch * torch.arange(1, int(BINS / pitch) + 3)
        power = hann_response(bins[:, None] - harmonics).square().sum(1)
        rows.append((power + VALLEY**2).log() / 2)
    table = torch.stack(rows)
    return (table - table.mean(1, keepdim=True)).float()


def hann_response(offset: Tensor) -> Tensor:
    """A Hann window's response ``offset`` bins away from a sine, relative to that at the sine."""
    # At one bin the quotient is 0 / 0, and its limit a half.
    distance = torch.where(offset.abs() == 1, offset + 1e-6, offset)
    return torch.sinc(distance) / (1 - distance.square())


class Harmonics(nn.Module):
    """Features (B, T, width) -> a comb to add to log magnitudes (B, T, 601), scores of pitches, and
    how far harmonics stand out (B, T, 601), 0 to 1.

    The scores (B, T, classes + 1) are logits; the last is that of no voice, whose comb is flat. A
    network trained without this is unchanged at first: the comb's strength begins at zero.
    """

    shapes: Tensor

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.classes = classes
        self.pitch = nn.Linear(width, classes + 1)
        self.strength = nn.Linear(width, BINS)
        self.register_buffer("shapes", combs(classes), persistent=False)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        scores = self.pitch(features)
        likely = scores.softmax(-1)[..., : self.classes]
        strength = self.strength(features)
        periodicity = (strength * likely.sum(-1, keepdim=True)).clamp(0, 1)
        return strength * (likely @ self.shapes), scores, periodicity

    def begin_silent(self) -> None:
        """Let the combs have no strength yet."""
        nn.init.zeros_(self.strength.weight)
        nn.init.zeros_(self.strength.bias)
