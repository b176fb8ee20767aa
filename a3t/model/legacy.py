"""The network as the first A3T implementation computed it, so that its numbers are reproduced.

Its weights were trained with two faults of that code, and need them: ESPnet's old relative
positions (see `LegacyAttention`), and convolutions that run over padding and across the seam from
the last frame to the first phone. Each can be chosen separately. For inference only: the statistics
of a training batch are not reproduced.  B clips, T frames, L phones, N = T + L tokens, D model
width.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from a3t.model.a3t import A3T, Filled
from a3t.model.conformer import ConformerBlock, Layout, RelativeAttention
from a3t.model.embeddings import Batch

LONGEST = 5000  # rows of its table of positions, which counts down from the last
EPSILON = 1e-12  # of its LayerNorms


@dataclass(frozen=True)
class LeakingLayout(Layout):
    """Convolutions run over everything, padding and the seam as well."""

    def apart(self, x: Tensor, reach: int) -> Tensor:
        return x.transpose(1, 2)

    def together(self, x: Tensor, reach: int) -> Tensor:
        return x.transpose(1, 2)


class LegacyAttention(RelativeAttention):
    """ESPnet's attention with positions of the old kind (``legacy_rel_pos``).

    The score of query i for key j ≤ i uses the position of row N - 1 - i + j of the table, whose
    rows count down from `LONGEST` - 1: an offset's position depends on how long the sequence is.
    Where j > i, the shift wraps around to the next query's row.
    """

    def forward(self, x: Tensor, layout: Layout, maps: list[Tensor] | None = None) -> Tensor:
        B, N, D = x.shape
        heads, size = self.heads, D // self.heads
        query = self.query(x).view(B, N, heads, size)
        key = self.key(x).view(B, N, heads, size).transpose(1, 2)
        value = self.value(x).view(B, N, heads, size).transpose(1, 2)
        # The table's rows are the same for all clips of a batch.
        rows = self.position(_rows(layout.positions[0], D)).view(N, heads, size)
        content = (query + self.content_bias).transpose(1, 2) @ key.transpose(2, 3)
        offsets = torch.einsum("bnhs,mhs->bhnm", query + self.position_bias, rows)
        scores = (content + _shifted(offsets)) / math.sqrt(size)
        padding = (layout.valid[:, None, None, :, 0] == 0).expand(B, 1, 1, N)
        attention = scores.masked_fill(padding, float("-inf")).softmax(dim=-1)
        if maps is not None:
            maps.append(attention.detach())
        mixed = self.dropout(attention) @ value
        return self.out(mixed.transpose(1, 2).reshape(B, N, D))


def _rows(index: Tensor, width: int) -> Tensor:
    """Rows ``index`` (N,) of the table: sines and cosines, interleaved, (N, width)."""
    position = (LONGEST - 1 - index).float()[:, None]
    steps = torch.arange(0, width, 2, dtype=torch.float32, device=index.device)
    angles = position * torch.exp(steps * (-math.log(10000.0) / width))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def _shifted(scores: Tensor) -> Tensor:
    """Row i moved to the left by N - 1 - i, what falls out replaced from the row below."""
    B, heads, N, _ = scores.shape
    padded = torch.cat([scores.new_zeros(B, heads, N, 1), scores], dim=-1)
    return padded.view(B, heads, N + 1, N)[:, :, 1:]


class LegacyA3T(A3T):
    """A3T with the first implementation's faults.

    Args:
        legacy_positions: relative positions of the old kind.
        legacy_padding: convolutions over padding and across the seam.
        The rest are those of `a3t.model.a3t.A3T`.
    """

    def __init__(
        self, legacy_positions: bool = True, legacy_padding: bool = True, **model: Any
    ) -> None:
        super().__init__(**model)
        self.legacy_positions, self.legacy_padding = legacy_positions, legacy_padding
        for block in [*self.encoder, *self.decoder]:
            assert isinstance(block, ConformerBlock)
            if legacy_positions:
                block.attention.__class__ = LegacyAttention  # the same parameters
            for part in block.children():
                if isinstance(part, nn.LayerNorm):
                    part.eps = EPSILON
        self.encoder_norm.eps = self.decoder_norm.eps = EPSILON

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> LegacyA3T:
        """As `A3T.from_config`, with the ``legacy`` part's choices."""
        return cls(**config.get("legacy", {}), **config["model"])

    def forward(self, batch: Batch, maps: list[Tensor] | None = None) -> Filled:
        layout = self._layout(batch)
        B, T = batch.mel.shape[:2]
        N = layout.positions.shape[1]
        inside = outside = layout.positions
        if self.legacy_positions:  # counted from 0 by frames, by phones, and again in the decoder
            outside = torch.arange(N, device=inside.device)[None].expand(B, N)
            inside = torch.where(outside < T, outside, outside - T)
        kind = LeakingLayout if self.legacy_padding else Layout
        encoding, decoding = (kind(layout.valid, p, seam=T) for p in (inside, outside))
        x = torch.cat(self._embed(batch), dim=1)
        for block in self.encoder:
            x = block(x, encoding, maps)
        x = self.dropout(self.encoder_norm(x) * self.scale)
        for block in self.decoder:
            x = block(x, decoding, maps)
        before = self.output(self.decoder_norm(x[:, :T])).float()
        frames = kind(layout.valid[:, :T], layout.positions[:, :T], seam=T)
        after = before + self.postnet(before, frames).float() if self.postnet else before
        return Filled(before, after, None)


def network_of(config: Mapping[str, Any]) -> A3T:
    """The network that a configuration describes, random weights in it; as the first
    implementation computed it where the configuration has a ``legacy`` part."""
    return (LegacyA3T if "legacy" in config else A3T).from_config(config)
