"""Conformer blocks over the two-part sequence [frames ; phones] (thesis, section 4.3.3).

Everything here treats a padded batch as its clips one by one: padding is never attended to, never
convolved over and never counted in a BatchNorm; a convolution never runs across the seam from the
last frame to the first phone; and relative positions come from the tokens themselves.  B clips,
N = T + L tokens (T frames, then L phones, each part padded to the longest), D model width.

The model's input sequence: masked mel, phones, the alignment of frames to phones, the voice.

Thesis, sections 4.3.1 and 4.3.2.  B clips, T frames, L phones, D model width.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

# Channels up to which a depthwise convolution is not run as an image: making that kernel in
# bfloat16 for two threads, torch 2.13's oneDNN never ends (16 and 32 channels, 15 taps and more).
MAX_NARROW_CHANNELS = 32


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
        """Move to a device; from pinned memory without waiting for it."""
        return self._each(lambda x: x.to(device, non_blocking=True))

    def pin_memory(self) -> Batch:
        """Pin the memory for copies to a GPU; DataLoader calls this by its name."""
        return self._each(Tensor.pin_memory)

    def _each(self, change: Callable[[Tensor], Tensor]) -> Batch:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(self, **{k: change(v) for k, v in values.items() if v is not None})


def phone_spans(batch: Batch) -> tuple[Tensor, Tensor]:
    """Return each phone's first frame and number of frames, (B, L) float each; 0 if unaligned."""
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
        """Embed a normalised mel (B, T, 80), masked (B, T) -> (B, T, D)."""
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
        """Turn phone embeddings (B, L, D) into what is added to the frames, (B, T, D)."""
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
    """Return the weighted mean and deviation of the frames that count (Okabe et al. 2018).

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
        """Return the voice's vector, (B, size); zeros if no frame is visible.

        mel (B, T, 80), visible (B, T) bool, frames (B,). What is masked or padding has no say.
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
        """Scale and shift a block's output (B, N, D) as the voice (B, size) would have it."""
        scale, shift = self.films[block](vector)[:, None].chunk(2, dim=-1)
        return x * (1 + scale) + shift


@dataclass(frozen=True)
class Layout:
    """The places of a batch's tokens."""

    valid: Tensor  # (B, N, 1), 1.0 for a token, 0.0 for padding
    positions: Tensor  # (B, N), in frames; any real number
    seam: int  # T: tokens [0, T) are frames, [T, N) phones

    _waves: dict[int, tuple[Tensor, Tensor]] = field(default_factory=dict, repr=False)

    def waves(self, width: int) -> tuple[Tensor, Tensor]:
        """Return the sines and the cosines of the positions, each (B, N, width / 2)."""
        if width not in self._waves:  # the same for all layers
            steps = torch.arange(0, width, 2, dtype=torch.float32, device=self.positions.device)
            frequencies = torch.exp(steps * (-math.log(10000.0) / width))
            angles = self.positions[..., None].float() * frequencies
            self._waves[width] = angles.sin(), angles.cos()
        return self._waves[width]

    def apart(self, x: Tensor, reach: int) -> Tensor:
        """Put zeros between frames and phones: (B, N, C) -> (B, C, N + reach).

        They are as many as a convolution reaches, and padding is 0: so one convolution over both
        gives the numbers of two.
        """
        x = x * self.valid.to(x.dtype)
        if self._parted(reach):
            zeros = x.new_zeros(x.shape[0], reach, x.shape[2])
            x = torch.cat([x[:, : self.seam], zeros, x[:, self.seam :]], dim=1)
        return x.transpose(1, 2)

    def together(self, x: Tensor, reach: int) -> Tensor:
        """Invert `apart`: (B, C, N + reach) -> (B, N, C)."""
        x = x.transpose(1, 2)
        if self._parted(reach):
            x = torch.cat([x[:, : self.seam], x[:, self.seam + reach :]], dim=1)
        return x

    def _parted(self, reach: int) -> bool:
        return reach > 0 and 0 < self.seam < self.valid.shape[1]

    def convolve(self, conv: nn.Conv1d, x: Tensor) -> Tensor:
        """Run a same-length convolution over frames and over phones, (B, N, C) -> (B, N, C')."""
        reach = conv.kernel_size[0] // 2
        x = self.apart(x, reach)
        if conv.groups == 1 or conv.out_channels <= MAX_NARROW_CHANNELS:
            return self.together(conv(x), reach)
        # As an image of one row, channels last, which is what x is in memory: half the time.
        weight, padding = conv.weight[:, :, None], (0, reach)
        x = F.conv2d(x[:, :, None], weight, conv.bias, padding=padding, groups=conv.groups)
        return self.together(x[:, :, 0], reach)


class MaskedBatchNorm(nn.BatchNorm1d):
    """BatchNorm whose statistics are those of the valid tokens alone; (B, N, C) -> (B, N, C)."""

    held = False  # keep the running statistics: this batch has been counted (see `run_block`)

    def forward(self, x: Tensor, valid: Tensor) -> Tensor:  # type: ignore[override]
        """Normalise x (B, N, C) by the tokens that are valid (B, N, 1)."""
        assert self.running_mean is not None and self.running_var is not None
        values = x.float()
        if self.training:
            count = valid.sum().clamp(min=1.0)
            mean = (values * valid).sum((0, 1)) / count
            variance = ((values - mean).square() * valid).sum((0, 1)) / count
            self.follow(mean, variance, count)
        else:
            mean, variance = self.running_mean, self.running_var
        normal = (values - mean) * torch.rsqrt(variance + self.eps)
        return (normal * self.weight + self.bias).to(x.dtype)

    @torch.no_grad()
    def follow(self, mean: Tensor, variance: Tensor, count: Tensor) -> None:
        """Move the running statistics towards those (C,) of a batch of ``count`` tokens."""
        assert self.running_mean is not None and self.running_var is not None
        if not self.held:
            momentum = self.momentum or 0.1
            self.running_mean.lerp_(mean, momentum)
            self.running_var.lerp_(variance * count / (count - 1).clamp(min=1.0), momentum)


class TokenLayerNorm(nn.LayerNorm):
    """LayerNorm behind MaskedBatchNorm's signature: for batches too small to have statistics."""

    def forward(self, x: Tensor, valid: Tensor) -> Tensor:  # type: ignore[override]
        """Normalise each token of x (B, N, C) by itself."""
        return super().forward(x)


def fused_attention(x: Tensor) -> bool:
    """Return whether torch's fused attention is no slower here.

    It is slower in bfloat16 on a CPU, where it takes two and a half times as long. On a GPU it need
    not keep the scores of all pairs.
    """
    return x.is_cuda or not torch.is_autocast_enabled(x.device.type)


class RelativeAttention(nn.Module):
    """Multi-head attention with Transformer-XL's relative positions, at any positions.

    The score of query i for key j is (q_i + u)·k_j + (q_i + v)·W s(p_i - p_j), with s the sines and
    cosines of the offset.  As s(p_i - p_j) is a rotation of s(p_j) by p_i, the second term is an
    inner product too: W's transpose applied to (q_i + v), rotated by p_i, with s(p_j).  So no
    table of offsets and no shift is needed, and tokens may stand anywhere on the time axis.
    """

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.position = nn.Linear(width, width, bias=False)
        self.content_bias = nn.Parameter(torch.empty(heads, width // heads))
        self.position_bias = nn.Parameter(torch.empty(heads, width // heads))
        nn.init.xavier_uniform_(self.content_bias)
        nn.init.xavier_uniform_(self.position_bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, layout: Layout, maps: list[Tensor] | None = None) -> Tensor:
        """Attend over x (B, N, D); append the weights (B, heads, N, N) to ``maps`` if given."""
        B, N, D = x.shape
        heads, size = self.heads, D // self.heads
        query = self.query(x).view(B, N, heads, size)
        key = self.key(x).view(B, N, heads, size).transpose(1, 2)  # (B, heads, N, size)
        value = self.value(x).view(B, N, heads, size).transpose(1, 2)

        # The weight's columns are sine, cosine, sine, …
        weight = self.position.weight.view(heads, size, D // 2, 2)
        moved = query + self.position_bias
        for_sine = torch.einsum("bnhs,hsd->bnhd", moved, weight[..., 0])
        for_cosine = torch.einsum("bnhs,hsd->bnhd", moved, weight[..., 1])
        sine, cosine = (wave.to(key.dtype) for wave in layout.waves(D))  # (B, N, D / 2) each
        s, c = sine[:, :, None], cosine[:, :, None]
        rotated = [for_cosine * s - for_sine * c, for_sine * s + for_cosine * c]
        waves = torch.cat([sine, cosine], dim=-1)[:, None].expand(B, heads, N, D)

        left = torch.cat([query + self.content_bias, *rotated], dim=-1) / math.sqrt(size)
        right = torch.cat([key, waves], dim=-1)
        left = left.transpose(1, 2)
        padding = (layout.valid[:, None, None, :, 0] == 0).expand(B, 1, 1, N)
        if maps is None and fused_attention(x):
            rate = self.dropout.p if self.training else 0.0
            mixed = F.scaled_dot_product_attention(
                left, right, value, attn_mask=~padding, dropout_p=rate, scale=1.0
            )
        else:
            scores = left @ right.transpose(2, 3)  # (B, heads, N, N)
            attention = scores.masked_fill_(padding, float("-inf")).softmax(dim=-1)
            if maps is not None:
                maps.append(attention.detach())
            mixed = self.dropout(attention) @ value
        return self.out(mixed.transpose(1, 2).reshape(B, N, D))


class FeedForward(nn.Module):
    """Two layers with a nonlinearity: linear (kernel 1) or Conv1d (the thesis: kernel 3, ReLU)."""

    def __init__(self, width: int, hidden: int, kernel: int, dropout: float) -> None:
        super().__init__()
        self.kernel = kernel
        self.grow = nn.Conv1d(width, hidden, kernel, padding=kernel // 2)
        self.shrink = nn.Conv1d(hidden, width, kernel, padding=kernel // 2)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, layout: Layout) -> Tensor:
        """Run both layers on x (B, N, D)."""
        if self.kernel == 1:  # the same numbers as a convolution, without its transpositions
            hidden = F.linear(x, self.grow.weight[..., 0], self.grow.bias)
            hidden = self.dropout(F.relu(hidden))
            return F.linear(hidden, self.shrink.weight[..., 0], self.shrink.bias)
        reach = self.kernel // 2
        inside = layout.apart(torch.ones_like(x[..., :1]), reach)
        hidden = self.dropout(F.relu(self.grow(layout.apart(x, reach)))) * inside
        return layout.together(self.shrink(hidden), reach)


class ConvolutionModule(nn.Module):
    """Pointwise, GLU, depthwise, norm, Swish, pointwise; (B, N, D) -> (B, N, D)."""

    def __init__(self, width: int, kernel: int, norm: str) -> None:
        super().__init__()
        self.expand = nn.Linear(width, 2 * width)
        self.depthwise = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.norm = MaskedBatchNorm(width) if norm == "batch" else TokenLayerNorm(width)
        self.project = nn.Linear(width, width)

    def forward(self, x: Tensor, layout: Layout) -> Tensor:
        """Convolve x (B, N, D) over frames and over phones."""
        x = layout.convolve(self.depthwise, F.glu(self.expand(x), dim=-1))
        return self.project(F.silu(self.norm(x, layout.valid)))


class ConformerBlock(nn.Module):
    """½ feed-forward, attention, convolution, ½ feed-forward, LayerNorm; all pre-norm.

    Without a kernel it is a Transformer's block, attention and one whole feed-forward: the row
    "− Conformer" of table 4.2, since Conformer adds both the convolution and the second
    feed-forward (thesis, section 4.3.3).
    """

    def __init__(
        self,
        width: int,
        heads: int,
        hidden: int,
        feed_forward_kernel: int,
        kernel: int | None,
        conv_norm: str,
        dropout: float,
    ) -> None:
        super().__init__()
        self.first = FeedForward(width, hidden, feed_forward_kernel, dropout)
        self.attention = RelativeAttention(width, heads, dropout)
        self.convolution = ConvolutionModule(width, kernel, conv_norm) if kernel else None
        self.second = FeedForward(width, hidden, feed_forward_kernel, dropout) if kernel else None
        self.norm_first = nn.LayerNorm(width)
        self.norm_attention = nn.LayerNorm(width)
        self.norm_convolution = nn.LayerNorm(width) if kernel else nn.Identity()
        self.norm_second = nn.LayerNorm(width) if kernel else nn.Identity()
        self.norm_last = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, layout: Layout, maps: list[Tensor] | None = None) -> Tensor:
        """Run the block on x (B, N, D); ``maps`` receives its attention."""
        if self.convolution is None or self.second is None:
            x = x + self.dropout(self.attention(self.norm_attention(x), layout, maps))
            x = x + self.dropout(self.first(self.norm_first(x), layout))
            return self.norm_last(x)
        x = x + 0.5 * self.dropout(self.first(self.norm_first(x), layout))
        x = x + self.dropout(self.attention(self.norm_attention(x), layout, maps))
        x = x + self.dropout(self.convolution(self.norm_convolution(x), layout))
        x = x + 0.5 * self.dropout(self.second(self.norm_second(x), layout))
        return self.norm_last(x)


def run_block(
    block: nn.Module, x: Tensor, layout: Layout, maps: list[Tensor] | None, again: bool
) -> Tensor:
    """Run a block; with ``again`` its activations are computed again in the backward pass.

    Not keeping them (Chen et al. 2016) costs a third more time and the memory of its input only.
    """
    if not again or maps is not None:
        return block(x, layout, maps)  # type: ignore[no-any-return]
    norms = [norm for norm in block.modules() if isinstance(norm, MaskedBatchNorm)]
    counted = False

    def run(x: Tensor) -> Tensor:
        nonlocal counted
        for norm in norms:
            norm.held = counted
        result: Tensor = block(x, layout)
        for norm in norms:
            norm.held = False
        counted = True
        return result

    result: Tensor = checkpoint(run, x, use_reentrant=False)
    return result
