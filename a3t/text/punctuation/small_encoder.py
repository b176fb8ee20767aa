"""The encoder that is trained here from nothing: words and their neighbours.

Its place in the paper is a pretrained language model's (section 3.1), for which there is
`training.text.pretrained_encoder`. A few million words on one core teach a deep transformer little,
so this one has word vectors and gated convolutions (Dauphin et al., Language modeling with gated
convolutional networks, 2017).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from a3t.text.punctuation.tags import PAUSE_LENGTHS
from a3t.text.punctuation.word_numbers import PADDING, SPECIAL, UNKNOWN_WORD, Vocabulary


class SmallEncoder(nn.Module):
    """Word, affix and pause vectors, gated convolutions, and positions.

    size: d. layers: gated convolutions, each over ``kernel`` words. unlisted: the part of the words
    that lose their own vector while training, so that those without one are met there.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        size: int = 128,
        layers: int = 2,
        kernel: int = 5,
        dropout: float = 0.1,
        unlisted: float = 0.02,
    ):
        super().__init__()
        self.vocabulary, self.size, self.unlisted = vocabulary, size, unlisted
        self.word = nn.Embedding(len(vocabulary), size)
        self.affix = nn.EmbeddingBag(vocabulary.buckets, size, mode="sum")
        self.pause = nn.Embedding(PAUSE_LENGTHS, size)
        self.layers = nn.ModuleList(GatedConvolution(size, kernel, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(size)
        self.drop = nn.Dropout(dropout)
        for table, spread in ((self.word, 0.5), (self.affix, 0.25), (self.pause, 0.5)):
            nn.init.normal_(table.weight, std=spread)
        with torch.no_grad():
            self.affix.weight[0] = 0.0  # of what has no letters

    def forward(
        self, texts: Sequence[Sequence[str]], pauses: Tensor | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """B texts of up to T words, pauses (B, T) -> (B, T, d), padding (B, T) or None."""
        T = max(map(len, texts))
        padded = [[*text, *[PADDING] * (T - len(text))] for text in texts]
        ids = torch.tensor([self.vocabulary.ids(word) for word in chain(*padded)])
        ids = ids.to(self.word.weight.device).view(len(texts), T, -1)
        words, affixes = ids[..., 0], ids[..., 1:]
        padding = words == SPECIAL.index(PADDING)
        if self.training and self.unlisted:
            lost = torch.rand(words.shape, device=words.device) < self.unlisted
            words = words.masked_fill(lost & ~padding, SPECIAL.index(UNKNOWN_WORD))
        x = self.word(words) + self.affix(affixes.flatten(0, 1)).view(len(texts), T, -1)
        if pauses is not None:
            x = x + self.pause(pauses)
        x = self.drop(x)
        for layer in self.layers:
            x = layer(x.masked_fill(padding[..., None], 0.0))
        return self.norm(x + positions(T, self.size, x)), padding if padding.any() else None


class GatedConvolution(nn.Module):
    """x + a gated convolution of its normalised neighbours."""

    def __init__(self, size: int, kernel: int, dropout: float):
        super().__init__()
        self.kernel = kernel
        self.norm = nn.LayerNorm(size)
        self.neighbours = nn.Linear(kernel * size, 2 * size)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, d) -> (B, T, d)."""
        T, beside = x.shape[1], self.kernel // 2
        padded = F.pad(self.norm(x), (0, 0, beside, beside))
        near = torch.cat([padded[:, k : k + T] for k in range(self.kernel)], -1)
        changed: Tensor = x + self.drop(F.glu(self.neighbours(near), -1))
        return changed


def positions(count: int, size: int, like: Tensor) -> Tensor:
    """Sinusoids (count, size) (Vaswani et al., Attention is all you need, 2017, section 3.5)."""
    place = torch.arange(count, device=like.device, dtype=like.dtype)[:, None]
    rate = torch.exp(
        torch.arange(0, size, 2, device=like.device, dtype=like.dtype) * (-math.log(1e4) / size)
    )
    return torch.stack([(place * rate).sin(), (place * rate).cos()], -1).view(count, size)
