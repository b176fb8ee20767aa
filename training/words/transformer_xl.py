"""Transformer-XL (Dai et al., 2019) with its own or Segatron's relative positions.

Segatron (Bai et al., *Segatron: Segment-Aware Transformer for Language Modeling and Understanding*,
AAAI 2021; the thesis, chapter 2) splits the encoding of a relative position R into thirds: of how
many tokens, sentences and paragraphs lie between a query and a key (equation 2.3). Transformer-XL
has one part, of tokens.

B streams of text, T tokens a window, M remembered ones before it, S = M + T, H heads, D the width.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

LONGEST = 10_000.0  # the wavelengths are from 2π to 2π · LONGEST, as in the Transformer


class XLAttention(nn.Module):
    """Attention of T tokens to themselves and M before them by content and relative position."""

    def __init__(self, size: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(size, size, bias=False)
        self.key_value = nn.Linear(size, 2 * size, bias=False)
        self.relative = nn.Linear(size, size, bias=False)  # W_R
        self.content_bias = nn.Parameter(torch.zeros(heads, 1, size // heads))  # u
        self.position_bias = nn.Parameter(torch.zeros(heads, 1, size // heads))  # v
        self.out = nn.Linear(size, size, bias=False)
        self.dropout = dropout

    def forward(self, x: Tensor, before: Tensor, waves: tuple[Tensor, Tensor]) -> Tensor:
        """Attend from (B, T, D) to it and (B, M, D), by `TransformerXL.waves` of S positions."""
        batch, count, size = x.shape
        query = self._split(self.query(x))
        key, value = map(self._split, self.key_value(torch.cat([before, x], 1)).chunk(2, -1))
        scale = (size // self.heads) ** -0.5
        mask = self._by_position(query + self.position_bias, waves) * scale
        mask = mask + _future(count, key.shape[2], x)
        found = F.scaled_dot_product_attention(
            query + self.content_bias, key, value, mask, self.dropout if self.training else 0.0
        )
        return self.out(found.transpose(1, 2).reshape(batch, count, size))

    def _split(self, x: Tensor) -> Tensor:
        """Split into heads: (B, N, D) -> (B, H, N, D / H)."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def _by_position(self, query: Tensor, waves: tuple[Tensor, Tensor]) -> Tensor:
        """Score queries (B, H, T, D / H) by relative position, (B, H, T, S).

        R of a distance i - j is [sin ω(i - j), cos ω(i - j)]. By the sum of angles a query's
        product with it is one with [sin ωj, cos ωj], so nothing is made for each pair, and
        positions that don't rise by one, as Segatron's, cost no more.
        """
        sine, cosine = (wave[:, None] for wave in waves)  # (B, 1, S, D / 2)
        heads, count = query.shape[1:3]
        by_head = self.relative.weight.unflatten(0, (heads, -1))  # (H, D / H, D)
        of_sine, of_cosine = (query @ by_head).chunk(2, -1)  # (B, H, T, D / 2)
        own_sine, own_cosine = sine[:, :, -count:], cosine[:, :, -count:]
        with_sine = of_cosine * own_sine - of_sine * own_cosine
        with_cosine = of_sine * own_sine + of_cosine * own_cosine
        rows = torch.cat([with_sine, with_cosine], -1).flatten(1, 2)
        return (rows @ torch.cat(waves, -1).transpose(1, 2)).unflatten(1, (heads, count))


def _future(count: int, keys: int, like: Tensor) -> Tensor:
    """Return -inf where a key comes after a query, (T, S)."""
    return like.new_full((count, keys), -math.inf).triu(1 + keys - count)


class XLLayer(nn.Module):
    """Attention and two linear layers, each on normalised input (which needs no long warm-up)."""

    def __init__(self, size: int, heads: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.attention_norm, self.feed_norm = nn.LayerNorm(size), nn.LayerNorm(size)
        self.attention = XLAttention(size, heads, dropout)
        self.feed = nn.Sequential(
            nn.Linear(size, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, size)
        )
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, before: Tensor, waves: tuple[Tensor, Tensor]) -> Tensor:
        """Attend as `XLAttention`, and feed forward."""
        own, earlier = self.attention_norm(x), self.attention_norm(before)
        x = x + self.drop(self.attention(own, earlier, waves))
        return x + self.drop(self.feed(self.feed_norm(x)))


class TransformerXL(nn.Module):
    """A language model of ``count`` words and classes, embeddings and output tied.

    segatron: positions in three parts. size: a multiple of 6 and of ``heads``. memory: M.
    """

    def __init__(
        self,
        count: int,
        segatron: bool = False,
        size: int = 192,
        layers: int = 3,
        heads: int = 4,
        hidden: int = 768,
        memory: int = 64,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.segatron, self.memory, self.size = segatron, memory, size
        self.embedding = nn.Embedding(count, size)
        nn.init.normal_(self.embedding.weight, std=size**-0.5)
        self.layers = nn.ModuleList([XLLayer(size, heads, hidden, dropout) for _ in range(layers)])
        self.norm = nn.LayerNorm(size)
        self.bias = nn.Parameter(torch.zeros(count))
        self.drop = nn.Dropout(dropout)

    def nothing(self, batch: int) -> Tensor:
        """Return the memory at a beginning, (layers, B, 0, D)."""
        return self.bias.new_zeros(len(self.layers), batch, 0, self.size)

    def waves(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Return sines and cosines, (B, S, D / 2), of positions (B, S, 3), or of the places."""
        if self.segatron:
            places = (
                positions - positions[:, :1]
            )  # only differences count; large numbers are inexact
        else:
            places = torch.arange(positions.shape[1], device=positions.device)
            places = places[None, :, None].expand(len(positions), -1, 1)
        each = self.size // 2 // places.shape[-1]
        speeds = LONGEST ** (-torch.arange(each, device=positions.device) / each)
        angles = (places[..., None] * speeds).flatten(2)
        return angles.sin(), angles.cos()

    def forward(self, words: Tensor, positions: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Return vectors (B, T, D) of the words that follow, and the next memory.

        Given are words (B, T), positions (B, M + T, 3) of them and of what is remembered, and
        memory (layers, B, M, D).
        """
        waves = self.waves(positions)
        x = self.drop(self.embedding(words) * self.size**0.5)
        inputs = []
        for layer, before in zip(self.layers, memory, strict=True):
            inputs.append(torch.cat([before, x], 1)[:, -self.memory :].detach())
            x = layer(x, before, waves)
        return self.drop(self.norm(x)), torch.stack(inputs)

    def loss(self, vectors: Tensor, following: Tensor, among: Tensor | slice) -> Tensor:
        """Return the nats (N,) of each word that follows vectors (N, D).

        It is by its place ``among`` the words that are possible.
        """
        logits = F.linear(vectors, self.embedding.weight[among], self.bias[among])
        return F.cross_entropy(logits, following, reduction="none")
