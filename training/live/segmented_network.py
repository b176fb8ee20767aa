"""The network of sequences on sound in segments: where may it stop looking ahead?

After Zhang and Feng, *End-to-End Simultaneous Speech Translation with Differentiable Segmentation*
(DiSeg, Findings of ACL 2023). Every 40 ms a small causal network gives the probability p that a
segment ends there. Inside a segment the encoder looks both ways, over its end only back, so that a
segment is known as soon as it has ended.

DiSeg's encoder is of self-attention: frame i attends to a later frame j by its weight times the
probability that no segment ends between them (equation 7), so that the task teaches p. Ours is of
convolutions: a tap that lies ahead counts times the same product. With p of 0 or 1 that is the
segmented encoder itself. Attention is renormalised after the product (equation 9); the taps of a
convolution are no mean, and find zeros beyond a recording's end too. What lies less than 40 ms
ahead inside the first layer is always seen (15 ms).

The paper's loss that compares a segment with its word's embedding (equation 13) has no counterpart:
there is no encoder of text.

B segments of sound, K frames of 5 ms, T = K / 2 of 10 ms, S = T / 4 of 40 ms.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from alignment.network.phone_network import (
    BANDS,
    DILATIONS,
    SLOW_DILATIONS,
    SLOWER,
    STRIDE,
    Weights,
)

HIDDEN, TAPS = 48, 5  # of the network that decides
ROWS = STRIDE * SLOWER  # frames of 5 ms in 40 ms


class BoundaryNetwork(nn.Module):
    """The probability that a segment ends, from what has been heard."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv1d(BANDS, HIDDEN, 2 * ROWS, ROWS)
        self.layers = nn.ModuleList([nn.Conv1d(HIDDEN, HIDDEN, TAPS) for _ in range(2)])
        self.last = nn.Conv1d(HIDDEN, 1, 1)

    def forward(self, frames: Tensor, noise: float = 0.0) -> Tensor:
        """(B, K, BANDS) -> (B, S). Noise of this deviation before the sigmoid drives the
        probabilities to 0 or 1 (equation 6)."""
        x = self.first(F.pad(frames.transpose(1, 2), (ROWS, 0))).relu()
        for layer in self.layers:
            x = x + layer(F.pad(x, (TAPS - 1, 0))).relu()
        logits = self.last(x)[:, 0]
        return (logits + noise * torch.randn_like(logits)).sigmoid()


class SegmentedNetwork(nn.Module):
    """The network of `weights`, as `phone_network.load_weights` gives them, on segments."""

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self.held = nn.ParameterDict(
            {
                name.replace(".", "_"): nn.Parameter(torch.from_numpy(value.copy()))
                for name, value in weights.items()
                if name.endswith((".weight", ".bias"))
            }
        )
        self.boundary = BoundaryNetwork()

    def forward(self, frames: Tensor, ends: Tensor) -> tuple[Tensor, Tensor]:
        """(B, K, BANDS), and the probability that a segment ends with each 40 ms (B, S) -> logits
        of phones and scores of sequences, both (B, T, 40)."""
        stay = torch.log1p(-ends.clamp(max=1 - 1e-6))
        crossed = F.pad(stay.cumsum(1), (1, 0))[:, :-1]  # (B, S) of the decisions before
        fast = crossed.repeat_interleave(SLOWER, dim=1)
        x = F.conv1d(frames.transpose(1, 2), *self._own("input"), stride=STRIDE, padding=3).relu()
        for number, dilation in enumerate(DILATIONS):
            x = x + self._expected(f"block{number}", x, dilation, fast)
        slow = F.conv1d(x, *self._own("down"), stride=SLOWER, padding=2).relu()
        for number, dilation in enumerate(SLOW_DILATIONS):
            slow = slow + self._expected(f"slow{number}", slow, dilation, crossed)
        up = F.linear(slow.transpose(1, 2), *self._own("up"))
        x = x + up.reshape(len(x), -1, x.shape[1]).transpose(1, 2)[..., : x.shape[2]]
        x = (x + self._expected("merged", x, 1, fast)).transpose(1, 2)
        return F.linear(x, *self._own("output")), F.linear(x, *self._own("sequence"))

    def _own(self, name: str) -> tuple[Tensor, Tensor]:
        return self.held[f"{name}_weight"], self.held[f"{name}_bias"]

    def _expected(self, name: str, x: Tensor, dilation: int, crossed: Tensor) -> Tensor:
        """A convolution of three taps, the last of which counts as far as no segment is expected to
        end before the frame that it sees."""
        weight, bias = self._own(name)
        back = F.conv1d(F.pad(x, (dilation, 0)), weight[..., :2], bias, dilation=dilation)
        count = x.shape[2] - dilation
        if count <= 0:
            return back.relu()
        reach = (crossed[:, dilation : x.shape[2]] - crossed[:, :count]).exp()
        ahead = F.conv1d(x[..., dilation:], weight[..., 2:]) * reach[:, None]
        return (back + F.pad(ahead, (0, dilation))).relu()


def number_loss(ends: Tensor, words: Tensor) -> Tensor:
    """The distance between the expected numbers of segments (B, S) and those of words (B,), as a
    share of these: all counted, and neighbours counted as one, so that a pause is cut once."""
    losses = []
    for own, count in zip(ends, words.clamp(min=1).tolist(), strict=True):
        width = max(int(len(own) // count), 1)
        pooled = F.max_pool1d(own[None, None], width, ceil_mode=True)
        losses.append((own.sum() - count).abs() / count + (pooled.sum() - count).abs() / count)
    return torch.stack(losses).mean()
