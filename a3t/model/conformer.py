"""Conformer blocks over the two-part sequence [frames ; phones] (thesis, section 4.3.3).

Everything here treats a padded batch as its clips one by one: padding is never attended to, never
convolved over and never counted in a BatchNorm; a convolution never runs across the seam from the
last frame to the first phone; and relative positions come from the tokens themselves.  B clips,
N = T + L tokens (T frames, then L phones, each part padded to the longest), D model width.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

# Channels up to which a depthwise convolution is not run as an image: making that kernel in
# bfloat16 for two threads, torch 2.13's oneDNN never ends (16 and 32 channels, 15 taps and more).
NARROW = 32


@dataclass(frozen=True)
class Layout:
    """The places of a batch's tokens."""

    valid: Tensor  # (B, N, 1), 1.0 for a token, 0.0 for padding
    positions: Tensor  # (B, N), in frames; any real number
    seam: int  # T: tokens [0, T) are frames, [T, N) phones

    _waves: dict[int, tuple[Tensor, Tensor]] = field(default_factory=dict, repr=False)

    def waves(self, width: int) -> tuple[Tensor, Tensor]:
        """Sines and cosines of the positions at width / 2 frequencies, (B, N, width / 2) each."""
        if width not in self._waves:  # the same for all layers
            steps = torch.arange(0, width, 2, dtype=torch.float32, device=self.positions.device)
            frequencies = torch.exp(steps * (-math.log(10000.0) / width))
            angles = self.positions[..., None].float() * frequencies
            self._waves[width] = angles.sin(), angles.cos()
        return self._waves[width]

    def apart(self, x: Tensor, reach: int) -> Tensor:
        """(B, N, C) -> (B, C, N + reach): padding is 0, and there are as many zeros between frames
        and phones as a convolution reaches. One over both then gives the numbers of two."""
        x = x * self.valid.to(x.dtype)
        if self._parted(reach):
            zeros = x.new_zeros(x.shape[0], reach, x.shape[2])
            x = torch.cat([x[:, : self.seam], zeros, x[:, self.seam :]], dim=1)
        return x.transpose(1, 2)

    def together(self, x: Tensor, reach: int) -> Tensor:
        """The way back: (B, C, N + reach) -> (B, N, C)."""
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
        if conv.groups == 1 or conv.out_channels <= NARROW:
            return self.together(conv(x), reach)
        # As an image of one row, channels last, which is what x is in memory: half the time.
        weight, padding = conv.weight[:, :, None], (0, reach)
        x = F.conv2d(x[:, :, None], weight, conv.bias, padding=padding, groups=conv.groups)
        return self.together(x[:, :, 0], reach)


class MaskedBatchNorm(nn.BatchNorm1d):
    """BatchNorm whose statistics are those of the valid tokens alone; (B, N, C) -> (B, N, C)."""

    held = False  # keep the running statistics: this batch has been counted (see `run_block`)

    def forward(self, x: Tensor, valid: Tensor) -> Tensor:  # type: ignore[override]
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
        return super().forward(x)


def fused_attention(x: Tensor) -> bool:
    """True if torch's fused attention is no slower here: everywhere but in bfloat16 on a CPU, where
    it takes two and a half times as long. On a GPU it need not keep the scores of all pairs."""
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
        """(B, N, D) -> (B, N, D); appends the weights (B, heads, N, N) to ``maps`` if given."""
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
        x = layout.convolve(self.depthwise, F.glu(self.expand(x), dim=-1))
        return self.project(F.silu(self.norm(x, layout.valid)))


class ConformerBlock(nn.Module):
    """½ feed-forward, attention, convolution, ½ feed-forward, LayerNorm; all pre-norm."""

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
        # Without a kernel the block is a Transformer's: the ablation of table 4.2.
        self.convolution = ConvolutionModule(width, kernel, conv_norm) if kernel else None
        self.second = FeedForward(width, hidden, feed_forward_kernel, dropout)
        self.norm_first = nn.LayerNorm(width)
        self.norm_attention = nn.LayerNorm(width)
        self.norm_convolution = nn.LayerNorm(width) if kernel else None
        self.norm_second = nn.LayerNorm(width)
        self.norm_last = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, layout: Layout, maps: list[Tensor] | None = None) -> Tensor:
        x = x + 0.5 * self.dropout(self.first(self.norm_first(x), layout))
        x = x + self.dropout(self.attention(self.norm_attention(x), layout, maps))
        if self.convolution is not None and self.norm_convolution is not None:
            x = x + self.dropout(self.convolution(self.norm_convolution(x), layout))
        x = x + 0.5 * self.dropout(self.second(self.norm_second(x), layout))
        return self.norm_last(x)


def run_block(
    block: nn.Module, x: Tensor, layout: Layout, maps: list[Tensor] | None, again: bool
) -> Tensor:
    """A block's output. With ``again`` its activations are not kept but computed again in the
    backward pass (Chen et al. 2016): for a third more time it costs the memory of its input."""
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
