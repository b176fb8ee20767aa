"""The duration predictor of FastSpeech 2 (Ren et al., 2021, section 2.3), and a speaker's rate.

The rate is that of section 4.3.5 of He Bai's thesis, "Novel Methods for Natural Language Modeling
and Pretraining" (University of Waterloo, 2023). B texts, L phones, D width.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from a3t.model.conformer import ConformerBlock, Layout
from a3t.text.phones import phone_ids

MAX_PHONES = 6_000  # at once: attention's memory, 0.7 GB here, grows with the square


class DurationPredictor(nn.Module):
    """A phone encoder and FastSpeech 2's predictor (two Conv1d with ReLU and LayerNorm, Linear).

    Its constructor's arguments are the ``durations:`` part of a configuration.
    """

    def __init__(
        self,
        vocabulary: int = 73,
        width: int = 128,
        heads: int = 2,
        hidden: int = 384,
        blocks: int = 2,
        kernel: int = 7,
        predictor_layers: int = 2,
        predictor_kernel: int = 3,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.phone = nn.Embedding(vocabulary, width)
        self.edges = nn.Embedding(4, width)  # inside a word, its first phone, its last, both
        self.encoder = nn.ModuleList(
            ConformerBlock(width, heads, hidden, 1, kernel, "layer", dropout) for _ in range(blocks)
        )
        self.convolutions = nn.ModuleList(
            nn.Conv1d(width, width, predictor_kernel, padding=predictor_kernel // 2)
            for _ in range(predictor_layers)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(predictor_layers))
        self.dropout = nn.Dropout(dropout)
        self.linear = nn.Linear(width, 1)
        nn.init.constant_(self.linear.bias, math.log(6.0))  # 75 ms, a common phone

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> DurationPredictor:
        """Build the predictor that a configuration's ``durations`` describe."""
        return cls(**config["durations"])

    def forward(self, phones: Tensor, edges: Tensor, count: Tensor) -> Tensor:
        """Predict the log of frames (B, L) by phones and word edges, (B, L), and counts (B,)."""
        order = torch.arange(phones.shape[1], device=phones.device)[None]
        valid = (order < count[:, None])[..., None].float()
        layout = Layout(valid, order.expand(phones.shape).float(), seam=phones.shape[1])
        x = self.dropout(self.phone(phones) + self.edges(edges))
        for block in self.encoder:
            x = block(x, layout)
        for conv, norm in zip(self.convolutions, self.norms, strict=True):
            assert isinstance(conv, nn.Conv1d)
            x = self.dropout(norm(F.relu(layout.convolve(conv, x))))
        return self.linear(x)[..., 0]

    @torch.inference_mode()
    def frames(self, symbols: Sequence[str], words: Sequence[int]) -> list[float]:
        """Return the expected frames of 12.5 ms for each phone of a text, unscaled and unrounded.

        ``words`` gives each phone's word, -1 for a pause. More than MAX_PHONES are done in pieces,
        each as if it stood alone.
        """
        if not symbols:
            return []
        ids = torch.tensor([phone_ids(symbols)])
        edges = torch.tensor([word_edges(words)])
        result: list[float] = []
        for first in range(0, len(symbols), MAX_PHONES):
            piece = slice(first, first + MAX_PHONES)
            count = torch.tensor([ids[:, piece].shape[1]])
            logs = self(ids[:, piece], edges[:, piece], count)[0]
            result += [float(x) for x in logs.exp().clamp(1.0, 80.0)]
        return result

    def pace(self, speech: Iterable[tuple[Sequence[str], Sequence[int], Sequence[int]]]) -> float:
        """Return a speaker's durations over the predicted ones (`rate_ratio`).

        ``speech``: of each text that they spoke the phones, their words as for `frames`, and the
        frames that they took.
        """
        spoken = expected = 0.0
        for symbols, words, lengths in speech:
            predicted = self.frames(symbols, words)
            said = [k for k, word in enumerate(words) if word >= 0]
            spoken += sum(lengths[k] for k in said)
            expected += sum(predicted[k] for k in said)
        return rate_ratio([spoken], [expected])


def word_edges(words: Sequence[int]) -> list[int]:
    """Return 1 for each phone that begins its word, plus 2 for each that ends it."""
    last = len(words) - 1
    return [
        (k == 0 or words[k - 1] != word) + 2 * (k == last or words[k + 1] != word)
        for k, word in enumerate(words)
    ]


def rate_ratio(spoken: Sequence[float], predicted: Sequence[float]) -> float:
    """Return a speaker's slowness: the sum of the phones' durations over the sum predicted.

    A ratio of sums; 1 if either sum is 0. The tables of the thesis take the first implementation's
    mean of the phones' ratios (`evaluation.systems.networks.mean_ratio`).
    """
    total = sum(predicted)
    return sum(spoken) / total if total > 0 and sum(spoken) > 0 else 1.0


def whole_frames(lengths: Sequence[float]) -> list[int]:
    """Round lengths in frames to whole frames, at least 1 each.

    The rounding error is carried forward, so that the total is the rounded total unless the minimum
    of 1 prevents it.
    """
    result: list[int] = []
    exact = placed = 0.0
    for length in lengths:
        exact += length
        frames = max(1, math.floor(exact - placed + 0.5))
        placed += frames
        result.append(frames)
    return result
