"""Baselines for FFA: a linear model of a window of words, and recurrent networks."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn

from a3t.text.punctuation.network import PunctuationNetwork, SmallEncoder
from a3t.text.punctuation.words_and_tags import CASES, PADDING, TAGS, Vocabulary


class Recurrent(nn.Module):
    """Recurrent layers in both directions (LSTM), in FFA's place on the same word vectors."""

    def __init__(self, size: int, hidden: int, layers: int, dropout: float):
        super().__init__()
        self.lstm = nn.LSTM(
            size, hidden, layers, batch_first=True, bidirectional=True, dropout=dropout
        )
        self.drop = nn.Dropout(dropout)
        self.tag = nn.Linear(2 * hidden, len(TAGS))
        self.case = nn.Linear(2 * hidden, len(CASES))

    def forward(self, embedded: Tensor, padding: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """embedded (B, T, d) -> scores of tags (B, T, 4), of cases (B, T, 3)."""
        states = self.drop(self.lstm(embedded)[0])
        return self.tag(states), self.case(states)


def recurrent(
    vocabulary: Vocabulary, encoder: Mapping[str, Any], lstm: Mapping[str, Any]
) -> PunctuationNetwork:
    """`Recurrent` over a `SmallEncoder`'s vectors."""
    small = SmallEncoder(vocabulary, **encoder)
    return PunctuationNetwork(small, Recurrent(small.size, **lstm))


class LinearWindow(nn.Module):
    """Scores that are sums of weights of the words around, one by one and in neighbouring pairs.

    Which word stands where, and which pair, is hashed to one of ``buckets`` weights a class.
    """

    def __init__(self, buckets: int = 2**18, reach: int = 3):
        super().__init__()
        self.buckets, self.reach = buckets, reach
        self.weights = nn.EmbeddingBag(buckets, len(TAGS) + len(CASES), mode="sum")
        nn.init.zeros_(self.weights.weight)
        self.bias = nn.Parameter(torch.zeros(len(TAGS) + len(CASES)))

    def forward(
        self, texts: Sequence[Sequence[str]], pauses: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """B texts of up to T words -> scores of tags (B, T, 4), of cases (B, T, 3)."""
        T, reach = max(map(len, texts)), self.reach
        ids = torch.tensor(
            [
                [_number(word) for word in (*[PADDING] * reach, *text)]
                + [_number(PADDING)] * (T - len(text) + reach)
                for text in texts
            ]
        )
        columns = [ids[:, k : k + T] for k in range(2 * reach + 1)]
        pairs = [a * 31 + b * 17 for a, b in zip(columns[1:-2], columns[2:-1], strict=True)]
        found = torch.stack(
            [(x + 7919 * k).remainder(self.buckets) for k, x in enumerate([*columns, *pairs])], -1
        )
        scores = self.weights(found.flatten(0, 1)).view(len(texts), T, -1) + self.bias
        return scores[..., : len(TAGS)], scores[..., len(TAGS) :]


@lru_cache(maxsize=200_000)
def _number(word: str) -> int:
    return zlib.crc32(word.encode())
