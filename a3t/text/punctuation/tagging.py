"""A punctuation model: an encoder, FFA on it, and what they say of a text of any length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from a3t.text.punctuation.ffa import FFA, FFAConfig
from a3t.text.punctuation.small_encoder import SmallEncoder
from a3t.text.punctuation.tags import UNKNOWN_PAUSE
from a3t.text.punctuation.word_numbers import Vocabulary

WINDOW = 128  # words that are seen at once
BESIDE = 32  # of them on each side only as context


class PunctuationNetwork(nn.Module):
    """``encoder``, and ``ffa`` or another network on top of it."""

    def __init__(self, encoder: nn.Module, ffa: nn.Module) -> None:
        super().__init__()
        self.encoder, self.ffa = encoder, ffa

    def forward(
        self, texts: Sequence[Sequence[str]], pauses: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """B texts, pauses (B, T) -> scores of tags (B, T, 4), of cases (B, T, 3)."""
        embedded, padding = self.encoder(texts, pauses)
        scores: tuple[Tensor, Tensor] = self.ffa(embedded, padding)
        return scores


def build(config: Mapping[str, Any], vocabulary: Vocabulary) -> PunctuationNetwork:
    """FFA (``ffa``: fields of `FFAConfig`) over a `SmallEncoder` (``encoder``: its arguments);
    TypeError or ValueError for a configuration that isn't one."""
    encoder = SmallEncoder(vocabulary, **config["encoder"])
    return PunctuationNetwork(encoder, FFA(encoder.size, FFAConfig(**config.get("ffa", {}))))


@torch.no_grad()
def predict(
    network: nn.Module, words: Sequence[str], pauses: Sequence[int] | None = None, batch: int = 32
) -> tuple[Tensor, Tensor]:
    """Probabilities of tags (N, 4) and of cases (N, 3) of a text of N words.

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
