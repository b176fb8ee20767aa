"""Voice conditioning: a vector pooled from the visible frames that conditions every block.

Not in the thesis, where a frame must find the voice by attention alone. The pooling is that of
x-vectors (Snyder et al. 2018), with attention to choose the frames (Okabe et al. 2018); the
conditioning is a scale and a shift of each channel (FiLM, Perez et al. 2018).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class VoiceVector(nn.Module):
    """Standardised mel of the visible frames -> one vector a clip, and a scale and shift a block.

    Args:
        mels: bins of the mel.
        width: D, channels of the blocks.
        blocks: how many are conditioned.
        size: of the vector.
    """

    def __init__(self, mels: int, width: int, blocks: int, size: int) -> None:
        super().__init__()
        self.first = nn.Conv1d(mels, size, 5, padding=2)
        self.second = nn.Conv1d(size, size, 5, padding=4, dilation=2)
        self.attention = nn.Linear(size, 1, bias=False)
        self.pooled = nn.Linear(2 * size, size)
        self.norm = nn.LayerNorm(size)
        self.films = nn.ModuleList(nn.Linear(size, 2 * width) for _ in range(blocks))
        for film in self.films:  # a valid start from weights without it: nothing is changed
            assert isinstance(film, nn.Linear)
            nn.init.zeros_(film.weight)
            nn.init.zeros_(film.bias)

    def forward(self, mel: Tensor, visible: Tensor, frames: Tensor) -> Tensor:
        """mel (B, T, 80), visible (B, T) bool, frames (B,) -> (B, size); zeros if none is visible.

        What is masked or padding has no say.
        """
        shown = visible[..., None].to(mel.dtype)
        inside = torch.arange(mel.shape[1], device=mel.device) < frames[:, None]
        x = F.relu(self.first((mel * shown).transpose(1, 2)))
        x = F.relu(self.second(x * inside[:, None].to(x.dtype)))
        x = x.transpose(1, 2).float()  # (B, T, size)
        scores = self.attention(x).float().masked_fill(~visible[..., None], -1e4)
        weights = scores.softmax(dim=1)
        mean = (weights * x).sum(1)
        spread = ((weights * x.square()).sum(1) - mean.square()).clamp(min=1e-5).sqrt()
        vector = self.norm(self.pooled(torch.cat([mean, spread], dim=-1)).float())
        return vector * visible.any(1, keepdim=True)

    def condition(self, x: Tensor, vector: Tensor, block: int) -> Tensor:
        """A block's output (B, N, D), scaled and shifted as the voice (B, size) would have it."""
        scale, shift = self.films[block](vector)[:, None].chunk(2, dim=-1)
        return x * (1 + scale) + shift
