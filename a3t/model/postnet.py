"""A3T's Post-Net (thesis, section 4.3.4), and two post-filters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from a3t.audio.analysis.mel import bin_centres
from a3t.model.conformer import Layout, MaskedBatchNorm
from a3t.model.variance.adaptors import frame_energy

RISE = (1000.0, 2500.0)  # Hz, between which the first post-filter goes from one strength to another


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


@dataclass(frozen=True)
class PostFilter:
    """The last steps on a filled mel: `widened`, then `sharpened`."""

    spread: float = 1.0
    strength: float = 0.0
    high: float | None = None

    def __bool__(self) -> bool:
        return self.spread != 1.0 or self.strength != 0.0

    def __call__(self, mel: Tensor, masked: Tensor) -> Tensor:
        wide = widened(mel, masked, self.spread) if self.spread != 1.0 else mel
        return sharpened(wide, self.strength, self.high) if self.strength else wide


def sharpened(mel: Tensor, strength: float, high: float | None = None) -> Tensor:
    """log10 mel (B, T, 80) with deeper valleys between its peaks, each frame as loud as before.

    Not in the thesis. What a regression fills is smooth, and statistical synthesis has long
    emphasised formants after the fact: Yoshimura et al. 2005, "Incorporating a mixed excitation
    model and postfilter into HMM-based text-to-speech synthesis". Here the difference from the
    binomial mean of five bins is added once more, ``strength`` times up to 1 kHz and ``high`` times
    from 2.5 kHz on (None: the same), where what is filled is haziest.
    """
    padded = F.pad(mel, (2, 2), mode="replicate")
    shifted = [padded[..., k : k + mel.shape[-1]] for k in range(5)]
    mean = sum(w * bins for w, bins in zip((1, 4, 6, 4, 1), shifted, strict=True)) / 16
    strengths = np.interp(
        np.log(bin_centres()), np.log(RISE), (strength, strength if high is None else high)
    )
    sharp = mel + torch.from_numpy(strengths).to(mel) * (mel - mean)
    return sharp + (frame_energy(mel) - frame_energy(sharp))[..., None]


def widened(mel: Tensor, masked: Tensor, factor: float) -> Tensor:
    """log10 mel (B, T, 80) in which each bin's distances from its mean over the masked frames
    (B, T) are ``factor`` times as wide there.

    Not in the thesis. A regression's spectra vary too little from frame to frame as well. Synthesis
    by statistics gives its trajectories their variance back: Toda and Tokuda 2007, "A speech
    parameter generation algorithm considering global variance for HMM-based speech synthesis".
    """
    inside = masked[..., None]
    count = inside.sum(1, keepdim=True).clamp(min=1)
    mean = (mel * inside).sum(1, keepdim=True) / count
    return torch.where(inside, mean + factor * (mel - mean), mel)
