"""A punctuation model: an encoder, FFA on it, and what they say of a text of any length.

FFA is of Wu, Fang & Zhao, "A Context-Aware Feature Fusion Framework for Punctuation Restoration"
(2022): two streams of attention over an encoder, fused by a third. The interaction stream (ISA,
section 3.2) lets the heads' scores inform each other before the softmax; the masked stream (MSA,
section 3.3) sees only what came before; their outputs are concatenated and go through one
transformer layer (section 3.4). The encoder's place in the paper is a pretrained language model's
(section 3.1), for which there is `training.text.pretrained_encoder`. A few million words on one
core teach a deep transformer little, so `SmallEncoder` has word vectors and gated convolutions
(Dauphin et al., Language modeling with gated convolutional networks, 2017).

Shapes: B texts, T words, d the encoder's size, H heads.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from a3t.text.punctuation.words_and_tags import (
    CASES,
    PADDING,
    PAUSE_LENGTHS,
    SPECIAL,
    TAGS,
    UNKNOWN_PAUSE,
    UNKNOWN_WORD,
    Vocabulary,
)

WINDOW = 128  # words that are seen at once
BESIDE = 32  # of them on each side only as context


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
        """Embed B texts of up to T words, pauses (B, T): (B, T, d), padding (B, T) or None."""
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
        """Mix each word with its neighbours: (B, T, d) -> (B, T, d)."""
        T, beside = x.shape[1], self.kernel // 2
        padded = F.pad(self.norm(x), (0, 0, beside, beside))
        near = torch.cat([padded[:, k : k + T] for k in range(self.kernel)], -1)
        changed: Tensor = x + self.drop(F.glu(self.neighbours(near), -1))
        return changed


def positions(count: int, size: int, like: Tensor) -> Tensor:
    """Return sinusoids (count, size).

    Vaswani et al., Attention is all you need, 2017, section 3.5.
    """
    place = torch.arange(count, device=like.device, dtype=like.dtype)[:, None]
    rate = torch.exp(
        torch.arange(0, size, 2, device=like.device, dtype=like.dtype) * (-math.log(1e4) / size)
    )
    return torch.stack([(place * rate).sin(), (place * rate).cos()], -1).view(count, size)


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
        """Attend over x (B, T, d): (B, T, d); padding (B, T) is true where there is no word."""
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
        """Return the mask of words that each sees, (T, T) or (B, 1, T, T); None if all see all."""
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
        """Attend, then feed forward, over x (B, T, d): (B, T, d)."""
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
        """Run the layers over x (B, T, d): (B, T, d)."""
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
        """Return scores of tags (B, T, 4) and of cases (B, T, 3).

        embedded (B, T, d), padding (B, T). ``for_msa`` (B, T, d) is another encoder's output for
        the masked stream, where the two streams have one each.
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


class PunctuationNetwork(nn.Module):
    """``encoder``, and ``ffa`` or another network on top of it."""

    def __init__(self, encoder: nn.Module, ffa: nn.Module) -> None:
        super().__init__()
        self.encoder, self.ffa = encoder, ffa

    def forward(
        self, texts: Sequence[Sequence[str]], pauses: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Score tags (B, T, 4) and cases (B, T, 3) of B texts, pauses (B, T)."""
        embedded, padding = self.encoder(texts, pauses)
        scores: tuple[Tensor, Tensor] = self.ffa(embedded, padding)
        return scores


def build(config: Mapping[str, Any], vocabulary: Vocabulary) -> PunctuationNetwork:
    """Build FFA over a `SmallEncoder` from a configuration.

    ``ffa``: fields of `FFAConfig`; ``encoder``: its arguments. Raises TypeError or ValueError for a
    configuration that isn't one.
    """
    encoder = SmallEncoder(vocabulary, **config["encoder"])
    return PunctuationNetwork(encoder, FFA(encoder.size, FFAConfig(**config.get("ffa", {}))))


@torch.no_grad()
def predict(
    network: nn.Module, words: Sequence[str], pauses: Sequence[int] | None = None, batch: int = 32
) -> tuple[Tensor, Tensor]:
    """Predict the probabilities of tags (N, 4) and of cases (N, 3) of a text of N words.

    It is read in windows of WINDOW words that overlap by 2 BESIDE, so time grows as N does.
    """
    network.eval()
    step = WINDOW - 2 * BESIDE
    firsts = range(0, max(len(words) - 2 * BESIDE, 1), step)
    known = [UNKNOWN_PAUSE] * len(words) if pauses is None else pauses
    parts: list[tuple[Tensor, Tensor]] = []
    for begin in range(0, len(firsts), batch):
        group = firsts[begin : begin + batch]
        texts = [words[first : first + WINDOW] for first in group]
        rows = [[*known[first : first + WINDOW]] for first in group]
        T = max(map(len, texts))
        padded = torch.tensor([row + [UNKNOWN_PAUSE] * (T - len(row)) for row in rows])
        tags, cases = network(texts, padded)
        for k, first in enumerate(group):
            start = 0 if first == 0 else BESIDE
            end = len(texts[k]) if first == firsts[-1] else WINDOW - BESIDE
            parts.append((tags[k, start:end].softmax(-1), cases[k, start:end].softmax(-1)))
    found = [torch.cat(part) for part in zip(*parts, strict=True)]
    return found[0], found[1]
