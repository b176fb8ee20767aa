"""FFA: punctuation from two streams of attention over an encoder, fused by a third.

Wu, Fang & Zhao, "A Context-Aware Feature Fusion Framework for Punctuation Restoration" (2022).
The interaction stream (ISA, section 3.2) lets the heads' scores inform each other before the
softmax; the masked stream (MSA, section 3.3) sees only what came before; their outputs are
concatenated and go through one transformer layer (section 3.4).

Shapes: B texts, T words, d the encoder's size, H heads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from a3t.text.punctuation.tags import CASES, TAGS


@dataclass(frozen=True)
class FFAConfig:
    """Sizes of the network, and the parts that its ablations leave out.

    isa, msa: whether the stream is there. interaction: whether the heads of ISA interact (without,
    its attention is the usual one). fusion: whether a transformer layer follows the concatenation.
    """

    heads: int = 4
    hidden: int = 256  # of the streams' feed-forward layers
    fusion_heads: int = 8
    fusion_hidden: int = 512
    layers: int = 1  # of each stream
    dropout: float = 0.1
    isa: bool = True
    msa: bool = True
    interaction: bool = True
    fusion: bool = True


class HeadAttention(nn.Module):
    """Attention of H heads, of which the scores interact or see only what came before."""

    def __init__(self, size: int, heads: int, interaction: bool, masked: bool):
        super().__init__()
        if size % heads:
            raise ValueError(f"{size} can't be shared out to {heads} heads")
        self.heads, self.masked = heads, masked
        self.scale = 1 / math.sqrt(size / heads)
        self.query_key_value = nn.Linear(size, 3 * size)  # eq. 3
        self.out = nn.Linear(size, size)  # eq. 6
        self.interaction = nn.Parameter(torch.empty(heads, heads)) if interaction else None
        if self.interaction is not None:
            nn.init.normal_(self.interaction, std=0.1 / math.sqrt(size))  # footnote 2

    def forward(self, x: Tensor, padding: Tensor | None = None) -> Tensor:
        """x (B, T, d), padding (B, T), true where there is no word -> (B, T, d)."""
        B, T, d = x.shape
        query, key, value = (
            self.query_key_value(x)
            .view(B, T, 3, self.heads, d // self.heads)
            .permute(2, 0, 3, 1, 4)
        )
        seen = self._seen(T, padding, x)
        scores = (query * self.scale) @ key.transpose(-1, -2)  # (B, H, T, T): J of eq. 2
        if self.interaction is not None:  # eq. 4: P J + J
            mixing = self.interaction + torch.eye(self.heads, device=x.device, dtype=x.dtype)
            scores = (mixing @ scores.view(B, self.heads, T * T)).view_as(scores)
        if seen is not None:
            scores = scores.masked_fill(~seen, -math.inf)
        heads = scores.softmax(-1) @ value  # eqs. 1 and 5
        mixed: Tensor = self.out(heads.transpose(1, 2).reshape(B, T, d))
        return mixed

    def _seen(self, T: int, padding: Tensor | None, x: Tensor) -> Tensor | None:
        """The mask of words that each word sees, (T, T) or (B, 1, T, T); None if all see all."""
        seen = torch.ones(T, T, dtype=torch.bool, device=x.device).tril() if self.masked else None
        if padding is None:
            return seen
        # A padded word sees itself: a row without any score would have no softmax.
        words = ~padding[:, None, None, :] | torch.eye(T, dtype=torch.bool, device=x.device)
        return words if seen is None else words & seen


class AttentionLayer(nn.Module):
    """Attention and a feed-forward network, each with its residual and layer normalisation."""

    def __init__(
        self,
        size: int,
        heads: int,
        hidden: int,
        dropout: float,
        interaction: bool = False,
        masked: bool = False,
    ):
        super().__init__()
        self.attention = HeadAttention(size, heads, interaction, masked)
        self.feed_forward = nn.Sequential(
            nn.Linear(size, hidden), nn.GELU(), nn.Dropout(dropout), nn.Linear(hidden, size)
        )
        self.norms = nn.ModuleList([nn.LayerNorm(size), nn.LayerNorm(size)])
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, padding: Tensor | None = None) -> Tensor:
        """(B, T, d) -> (B, T, d)."""
        x = self.norms[0](x + self.drop(self.attention(x, padding)))
        normed: Tensor = self.norms[1](x + self.drop(self.feed_forward(x)))
        return normed


class Stream(nn.Module):
    """The layers of one stream."""

    def __init__(self, size: int, config: FFAConfig, interaction: bool, masked: bool):
        super().__init__()
        self.layers = nn.ModuleList(
            AttentionLayer(size, config.heads, config.hidden, config.dropout, interaction, masked)
            for _ in range(config.layers)
        )

    def forward(self, x: Tensor, padding: Tensor | None = None) -> Tensor:
        """(B, T, d) -> (B, T, d)."""
        for layer in self.layers:
            x = layer(x, padding)
        return x


class FFA(nn.Module):
    """Two streams over an encoder's output, their fusion, and a tag and a case for each word."""

    def __init__(self, size: int, config: FFAConfig):
        super().__init__()
        if not (config.isa or config.msa):
            raise ValueError("FFA needs one of its streams")
        self.isa = Stream(size, config, config.interaction, masked=False) if config.isa else None
        self.msa = Stream(size, config, interaction=False, masked=True) if config.msa else None
        size *= config.isa + config.msa
        self.fusion: AttentionLayer | None = None
        if config.fusion:
            self.fusion = AttentionLayer(
                size, config.fusion_heads, config.fusion_hidden, config.dropout
            )
        self.drop = nn.Dropout(config.dropout)
        self.tag = nn.Linear(size, len(TAGS))
        self.case = nn.Linear(size, len(CASES))

    def forward(
        self, embedded: Tensor, padding: Tensor | None = None, for_msa: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """embedded (B, T, d), padding (B, T) -> scores of tags (B, T, 4) and of cases (B, T, 3).

        ``for_msa`` (B, T, d) is another encoder's output for the masked stream, where the two
        streams have one each.
        """
        streams = []
        if self.isa is not None:
            streams.append(self.isa(embedded, padding))
        if self.msa is not None:
            streams.append(self.msa(embedded if for_msa is None else for_msa, padding))
        fused = torch.cat(streams, -1)
        if self.fusion is not None:
            fused = self.fusion(fused, padding)
        fused = self.drop(fused)
        return self.tag(fused), self.case(fused)
