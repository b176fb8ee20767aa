"""Figure 4.7 of the thesis: the attention of frames to phones in the encoder's last layer.

T frames, L phones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from a3t.model.a3t import A3T
from a3t.model.embeddings import Batch

SHOWN = 11  # phones in the picture, as in the thesis


@dataclass(frozen=True)
class Attention:
    """weights (T, L): each frame's attention to each phone, averaged over heads; phones: L symbols;
    edges (L + 1,): the first frame of each phone, and T."""

    weights: np.ndarray
    phones: tuple[str, ...]
    edges: np.ndarray

    def around(self, first: int, last: int) -> Attention:
        """The part for the phones [first, last), widened to SHOWN phones, and their frames."""
        wider = max(0, SHOWN - (last - first))
        first = max(0, first - wider // 2)
        last = min(len(self.phones), max(last, first + SHOWN))
        start, end = self.edges[first], self.edges[last]
        return Attention(
            self.weights[start:end, first:last],
            self.phones[first:last],
            self.edges[first : last + 1],
        )


def attention(network: A3T, batch: Batch) -> Tensor:
    """The attention of each frame to each phone in the encoder's last layer, (T, L)."""
    maps: list[Tensor] = []
    with torch.inference_mode():
        network(batch, maps)
    T = batch.mel.shape[1]
    return maps[len(network.encoder) - 1][0].mean(0)[:T, T:]


def draw_attentions(shown: Mapping[str, Attention], path: Path) -> None:
    """Draw several below each other, each by its name, on one scale of colours."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.6 * len(shown) + 0.4), layout="constrained")
    highest = max(float(each.weights.max(initial=0.0)) for each in shown.values())
    grid = figure.subplots(len(shown), 1, squeeze=False)[:, 0]
    for axes, (name, each) in zip(grid, shown.items(), strict=True):
        start = each.edges[0]
        axes.imshow(
            each.weights.T, aspect="auto", origin="lower", interpolation="nearest", vmin=0.0,
            vmax=highest,
        )  # fmt: skip
        axes.set_yticks(range(len(each.phones)), each.phones)
        axes.set_xticks(each.edges[:-1] - start - 0.5, [str(edge) for edge in each.edges[:-1]])
        axes.set(ylabel="phone", title=name)
        axes.tick_params(axis="x", rotation=90)
    grid[-1].set_xlabel("frame (12.5 ms; ticks at the beginning of each phone)")
    figure.suptitle("Attention of frames to phones, encoder's last layer, mean over heads")
    figure.colorbar(grid[-1].images[0], ax=list(grid))
    figure.savefig(path, dpi=150)
