"""Energy between encoder and decoder, beside the pitch (FastSpeech 2's variance adaptor).

Not in the thesis. How loud each frame is counts from how loud the visible frames are, so that what
is filled follows the recording's own level, whatever it is.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from a3t.model.embeddings import Batch

LOUD = 0.8  # the share of the visible frames that are quieter than the recording's level


def frame_energy(mel: Tensor) -> Tensor:
    """log10 RMS over the bins of a log10 mel, (B, T, 80) -> (B, T)."""
    power = torch.logsumexp(2 * math.log(10.0) * mel, -1) / math.log(10.0)
    return 0.5 * (power - math.log10(mel.shape[-1]))


def visible_level(energy: Tensor, visible: Tensor) -> Tensor:
    """The visible speech's level: the `LOUD` quantile of its frames' energy, (B, 1).

    energy (B, T), visible (B, T) bool. 0 where nothing is visible: there the energy is absolute.
    """
    return quantile(energy, visible, LOUD)


def quantile(values: Tensor, among: Tensor, share: float) -> Tensor:
    """The value (B, 1) that a share of some values is below: values (B, T), among (B, T) bool; 0
    where there is none."""
    ordered = torch.where(among, values, torch.inf).sort(dim=1).values
    place = ((among.sum(1, keepdim=True) - 1).clamp(min=0) * share).long()
    return torch.where(among.any(1, keepdim=True), ordered.gather(1, place), 0.0)


class EnergyAdaptor(nn.Module):
    """Predicts each frame's energy from the encoded frames, and gives the decoder it.

    Begun with zeros where it enters the decoder, so that weights without it are a valid start.
    """

    def __init__(self, width: int, kernel: int = 5) -> None:
        super().__init__()
        self.first = nn.Conv1d(width, width // 2, kernel, padding=kernel // 2)
        self.first_norm = nn.LayerNorm(width // 2)
        self.output = nn.Linear(width // 2, 1)
        self.embed = nn.Linear(3, width)
        nn.init.zeros_(self.embed.weight)
        nn.init.zeros_(self.embed.bias)

    def predict(self, x: Tensor, valid: Tensor) -> Tensor:
        """Encoded frames (B, T, D), valid (B, T, 1) -> energy above the visible level, (B, T)."""
        x = self.first((x * valid).transpose(1, 2)).transpose(1, 2)
        return self.output(self.first_norm(F.relu(x)))[..., 0].float()

    def condition(self, energy: Tensor, masked: Tensor) -> Tensor:
        """Energy above the visible level (B, T) -> what is added to the frames, (B, T, D)."""
        features = torch.stack([torch.ones_like(energy), energy, energy.tanh()], dim=-1)
        return self.embed(features) * masked[..., None]


def relative_energy(batch: Batch) -> Tensor:
    """The energy of a batch's own frames above the level of its visible ones, (B, T)."""
    energy = frame_energy(batch.mel)
    return energy - visible_level(energy, visible_frames(batch))


def visible_frames(batch: Batch) -> Tensor:
    """(B, T) bool: neither masked nor padding."""
    time = torch.arange(batch.mel.shape[1], device=batch.mel.device)
    return ~batch.masked & (time < batch.frames[:, None])


def energy_loss(predicted: Tensor, batch: Batch) -> Tensor:
    """L1 of the masked frames' energy, in log10 units."""
    time = torch.arange(batch.mel.shape[1], device=batch.mel.device)
    counted = batch.masked & (time < batch.frames[:, None])
    off = (predicted - relative_energy(batch)).abs() * counted
    return off.sum() / counted.sum().clamp(min=1)
