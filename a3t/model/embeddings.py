"""The model's input sequence: masked mel, phones, the alignment of frames to phones, the voice.

Thesis, sections 4.3.1 and 4.3.2.  B clips, T frames, L phones, D model width.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class Batch:
    """Clips padded to the longest; padding's content is of no consequence."""

    mel: Tensor  # (B, T, 80) log10 mel; masked frames may hold anything
    masked: Tensor  # (B, T) bool, True where the mel is to be filled
    phones: Tensor  # (B, L) phone ids
    frame_phone: Tensor  # (B, T) index in [0, L) of the phone each frame belongs to, -1 for none
    frames: Tensor  # (B,) number of frames
    phone_count: Tensor  # (B,) number of phones
    row_offset: Tensor | None = None  # (B,) shift of the alignment rows, to train them all alike
    pitch: Tensor | None = None  # (B, T) log2 F0, 0 unvoiced, for models with a pitch input
    rise: Tensor | None = None  # (B, T) octaves added to the predicted pitch of masked frames

    def to(self, device: torch.device | str) -> Batch:
        """On a device; from pinned memory without waiting for it."""
        return self._each(lambda x: x.to(device, non_blocking=True))

    def pin_memory(self) -> Batch:
        """Pin the memory for copies to a GPU; DataLoader calls this by its name."""
        return self._each(Tensor.pin_memory)

    def _each(self, change: Callable[[Tensor], Tensor]) -> Batch:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(self, **{k: change(v) for k, v in values.items() if v is not None})


def phone_spans(batch: Batch) -> tuple[Tensor, Tensor]:
    """First frame and number of frames of each phone, (B, L) float each; 0 frames if unaligned."""
    B, T = batch.frame_phone.shape
    L = batch.phones.shape[1]
    # Unaligned frames and padding are sent to a bin of their own, cut off afterwards.
    time = torch.arange(T, device=batch.mel.device).expand(B, T)
    inside = (batch.frame_phone >= 0) & (time < batch.frames[:, None])
    bins = torch.where(inside, batch.frame_phone, L)
    count = torch.zeros(B, L + 1, device=batch.mel.device)
    count.scatter_add_(1, bins, torch.ones(B, T, device=batch.mel.device))
    first = torch.full((B, L + 1), math.inf, device=batch.mel.device)
    first.scatter_reduce_(1, bins, time.float(), "amin")
    count = count[:, :L]
    return torch.where(count > 0, first[:, :L], 0.0), count


class AcousticEmbedding(nn.Module):
    """Masked mel frames to the model's width: Linear, LayerNorm, ReLU; one vector for the mask."""

    def __init__(self, mels: int, width: int) -> None:
        super().__init__()
        self.mask = nn.Parameter(torch.empty(mels).normal_(std=0.1))
        self.linear = nn.Linear(mels, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, mel: Tensor, masked: Tensor) -> Tensor:
        """Normalised mel (B, T, 80), masked (B, T) -> (B, T, D)."""
        mel = torch.where(masked[..., None], self.mask, mel)
        return F.relu(self.norm(self.linear(mel)))


class FramePhone(nn.Module):
    """A frame's phone as an input: which one it is, and how far through it the frame stands.

    Not in the thesis, whose model must carry the phone to its frames by attention; small networks
    speak much earlier with it.
    """

    def __init__(self, width: int, progress: bool) -> None:
        super().__init__()
        self.progress = nn.Linear(6, width) if progress else None

    def forward(self, batch: Batch, phone_embedding: Tensor) -> Tensor:
        """Phone embeddings (B, L, D) -> what is added to the frames (B, T, D)."""
        index = batch.frame_phone.clamp(min=0)
        B, T = index.shape
        D = phone_embedding.shape[-1]
        added = torch.gather(phone_embedding, 1, index[..., None].expand(B, T, D))
        if self.progress is not None:
            first, count = phone_spans(batch)
            count = torch.gather(count, 1, index).clamp(min=1.0)
            elapsed = torch.arange(T, device=index.device) - torch.gather(first, 1, index) + 0.5
            left = count - elapsed
            features = [
                elapsed / count,
                (math.pi * elapsed / count).sin(),
                (elapsed.clamp(min=0.5) / 4).log1p(),
                (left.clamp(min=0.5) / 4).log1p(),
                count.log() / 2,
                (-elapsed.clamp(min=0.5)).exp(),
            ]
            added = added + self.progress(torch.stack(features, dim=-1))
        return added * (batch.frame_phone >= 0)[..., None]


def attentive_statistics(x: Tensor, scores: Tensor, counted: Tensor) -> Tensor:
    """The weighted mean and deviation of the frames that count (Okabe et al. 2018).

    x (B, T, C), scores of the frames (B, T, 1), counted (B, T) bool -> (B, 2 C).
    """
    weights = scores.float().masked_fill(~counted[..., None], -1e4).softmax(dim=1)
    mean = (weights * x).sum(1)
    spread = ((weights * x.square()).sum(1) - mean.square()).clamp(min=1e-5).sqrt()
    return torch.cat([mean, spread], dim=-1)


class VoiceVector(nn.Module):
    """Standardised mel of the visible frames -> one vector a clip, and a scale and shift a block.

    Not in the thesis, where a frame must find the voice by attention alone. The pooling is that of
    x-vectors (Snyder et al. 2018), with attention to choose the frames (Okabe et al. 2018); the
    conditioning is a scale and a shift of each channel (FiLM, Perez et al. 2018).

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
        statistics = attentive_statistics(x, self.attention(x), visible)
        vector = self.norm(self.pooled(statistics).float())
        return vector * visible.any(1, keepdim=True)

    def condition(self, x: Tensor, vector: Tensor, block: int) -> Tensor:
        """A block's output (B, N, D), scaled and shifted as the voice (B, size) would have it."""
        scale, shift = self.films[block](vector)[:, None].chunk(2, dim=-1)
        return x * (1 + scale) + shift
