"""Pitch between encoder and decoder, as FastSpeech 2's variance adaptor has it (Ren et al. 2021).

Not in the thesis. A network that is trained by L1 alone fills the mean of all pitches that a word
could have been said at, and a mean of harmonics is a blur. Told the pitch, it has one answer.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from a3t.model.embeddings import Batch

MIDDLE = math.log2(180.0)  # log2 Hz, from which pitch is counted in octaves
WAVES = 12  # cosines and sines of the pitch: the finest has 12 periods in an octave


class PitchAdaptor(nn.Module):
    """Says each frame's pitch from what the encoder knows, and tells the decoder.

    Only masked frames are told theirs; the others show it.
    """

    def __init__(self, width: int, kernel: int = 5) -> None:
        super().__init__()
        self.first = nn.Conv1d(width, width, kernel, padding=kernel // 2)
        self.first_norm = nn.LayerNorm(width)
        self.second = nn.Conv1d(width, width, kernel, padding=kernel // 2)
        self.second_norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, 2)
        self.embed = nn.Linear(2 + 2 * WAVES, width)

    def predict(self, x: Tensor, valid: Tensor) -> Tensor:
        """Encoded frames (B, T, D), valid (B, T, 1) -> (B, T, 2): voice's logit, octaves."""
        for convolution, norm in ((self.first, self.first_norm), (self.second, self.second_norm)):
            x = convolution((x * valid).transpose(1, 2)).transpose(1, 2)
            x = norm(F.relu(x))
        return self.output(x).float()

    def tell(self, pitch: Tensor, masked: Tensor) -> Tensor:
        """log2 F0 (B, T), 0 where unvoiced -> what is added to the frames, (B, T, D)."""
        voiced = (pitch > 0)[..., None]
        octaves = torch.where(voiced, pitch[..., None] - MIDDLE, 0.0)
        periods = torch.arange(1, WAVES + 1, device=pitch.device)
        angles = 2 * math.pi * octaves * periods  # (B, T, WAVES)
        features = torch.cat(
            [torch.ones_like(octaves), octaves, angles.cos(), angles.sin()], dim=-1
        )
        return self.embed(features * voiced) * masked[..., None]


def decided(predicted: Tensor) -> Tensor:
    """What was predicted (B, T, 2) as log2 F0 (B, T), 0 where there is no voice."""
    return torch.where(predicted[..., 0] > 0, predicted[..., 1] + MIDDLE, 0.0)


def pitch_loss(predicted: Tensor, batch: Batch) -> Tensor:
    """Cross-entropy of the voice and L1 of the octaves where there is one, over all frames."""
    assert batch.pitch is not None
    time = torch.arange(batch.mel.shape[1], device=batch.mel.device)
    valid = time < batch.frames[:, None]
    voiced = batch.pitch > 0
    voice = F.binary_cross_entropy_with_logits(predicted[..., 0][valid], voiced[valid].float())
    both = valid & voiced
    octaves = (predicted[..., 1][both] + MIDDLE - batch.pitch[both]).abs()
    return voice + 4.0 * octaves.sum() / both.sum().clamp(min=1)
