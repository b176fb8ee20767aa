"""A3T's Post-Net (thesis, section 4.3.4), and a post-filter."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from a3t.model.conformer import Layout, MaskedBatchNorm
from a3t.model.energy import frame_energy


class PostNet(nn.Module):
    """Five convolutions that refine the filled mel, (B, T, 80) -> (B, T, 80) (section 4.3.4)."""

    def __init__(self, mels: int, channels: int, kernel: int, layers: int, dropout: float) -> None:
        super().__init__()
        sizes = [mels] + [channels] * (layers - 1) + [mels]
        self.convolutions = nn.ModuleList(
            nn.Conv1d(a, b, kernel, padding=kernel // 2, bias=False)
            for a, b in zip(sizes, sizes[1:], strict=False)
        )
        self.norms = nn.ModuleList(MaskedBatchNorm(size) for size in sizes[1:])
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, frames: Layout) -> Tensor:
        last = len(self.norms) - 1
        for i, (conv, norm) in enumerate(zip(self.convolutions, self.norms, strict=True)):
            assert isinstance(conv, nn.Conv1d)
            x = norm(frames.convolve(conv, x), frames.valid)
            x = self.dropout(x if i == last else torch.tanh(x))
        return x


def sharpened(mel: Tensor, strength: float) -> Tensor:
    """log10 mel (B, T, 80) with deeper valleys between its peaks, each frame as loud as before.

    Not in the thesis. What a regression fills is smooth, and statistical synthesis has long
    emphasised formants after the fact: Yoshimura et al. 2005, "Incorporating a mixed excitation
    model and postfilter into HMM-based text-to-speech synthesis". Here the difference from the
    binomial mean of five bins is added once more, ``strength`` times.
    """
    padded = F.pad(mel, (2, 2), mode="replicate")
    shifted = [padded[..., k : k + mel.shape[-1]] for k in range(5)]
    mean = sum(w * bins for w, bins in zip((1, 4, 6, 4, 1), shifted, strict=True)) / 16
    sharp = mel + strength * (mel - mean)
    return sharp + (frame_energy(mel) - frame_energy(sharp))[..., None]
