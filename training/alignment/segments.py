"""Differentiable segmentation for the network of sequences: where may it stop looking ahead?

After Zhang and Feng, "End-to-End Simultaneous Speech Translation with Differentiable Segmentation"
(DiSeg, ACL Findings 2023). Every 40 ms a small causal network gives the probability p that a
segment of the sound ends there. Inside a segment the encoder looks both ways, over its end it looks
only back, so that all of a segment is known as soon as it has ended.

DiSeg's encoder is of self-attention: frame i attends to a later frame j by its weight times the
probability that no segment ends between them, prod (1 - p_l), and so what the recogniser loses by a
boundary reaches p. Our encoder is of convolutions, which attend as well, but to a few frames at
fixed distances with learnt weights: a tap that lies d frames ahead counts times the same product
over the boundaries it crosses (`expected` segmented convolution). With p of 0 or 1 that is the
segmented encoder itself, a boundary being what the end of a recording is; taps that look back
always count, as attention to earlier segments does. Attention is renormalised after the product;
the taps of a convolution aren't a mean, and zeros are what they find beyond a recording's end. What
lies less than 40 ms ahead inside the first layers is always seen (15 ms).

As in the paper, sum p and sum max-pooled p are drawn to the number of words, which alignments tell,
and noise before the sigmoid drives p to 0 or 1. The paper's loss that compares a segment with its
word's embedding has no counterpart here: there is no text encoder.

What came of it, tuned for 139 steps of four excerpts (phones wrong of 37,940 frames of unseen
clips, and how long a frame waits until it is known, mean and 90th percentile): learnt segments 20.3
%, 0.40 (0.93) s; of 280 ms 21.3 % (20.5 untuned), 0.13 (0.25) s; pauses 18.7 % (18.1), 0.84 (1.68)
s. The network as it ships, in pieces of 0.2 s that look 0, 0.1, 0.18, 0.38 s ahead: 21.6, 18.1,
17.8, 17.7 %, 0.10, 0.20, 0.28, 0.48 s; the whole 17.7 %. The last frames of a segment see nothing
ahead, and a tenth of a second is all that they lack. The number's term works (0.98 segments a word
after 100 steps); so few steps tune badly (the whole 18.4 %), all three alike. So
alignment.recognition.live has no segments.

B segments of sound, K frames of 5 ms, T = K / 2 of 10 ms, S = T / 4 of 40 ms.
"""

from __future__ import annotations

from typing import Any

from alignment.network.phone_network import BANDS, DILATIONS, SLOW_DILATIONS, SLOWER, STRIDE

NOISE = 1.0  # deviation of what is added before the sigmoid
HIDDEN = 48


def segmented_network(weights: Any) -> Any:
    """The network of `weights` as `load_weights` gives them, in torch, and a new boundary head."""
    import torch
    from torch import Tensor, nn
    from torch.nn import functional

    class SegmentedNetwork(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.held = nn.ParameterDict(
                {
                    name.replace(".", "_"): nn.Parameter(torch.from_numpy(value.copy()))
                    for name, value in weights.items()
                    if name.endswith((".weight", ".bias"))
                }
            )
            taps = 2 * STRIDE * SLOWER
            self.boundary = nn.ModuleList(
                [
                    nn.Conv1d(BANDS, HIDDEN, taps, STRIDE * SLOWER),
                    nn.Conv1d(HIDDEN, HIDDEN, 5),
                    nn.Conv1d(HIDDEN, HIDDEN, 5),
                    nn.Conv1d(HIDDEN, 1, 1),
                ]
            )

        def probabilities(self, frames: Tensor, noise: float = 0.0) -> Tensor:
            """(B, K, BANDS) -> (B, S): that a segment ends with each 40 ms; what comes later is not
            looked at."""
            first, *rest = self.boundary
            x = functional.pad(frames.transpose(1, 2), (STRIDE * SLOWER, 0))
            x = first(x).relu()
            for layer in rest[:-1]:
                x = x + layer(functional.pad(x, (4, 0))).relu()
            logits = rest[-1](x)[:, 0]
            return torch.sigmoid(logits + noise * torch.randn_like(logits))

        def forward(self, frames: Tensor, ends: Tensor) -> tuple[Tensor, Tensor]:
            """(B, K, BANDS), and that a segment ends with each 40 ms (B, S) -> logits of phones and
            scores of sequences, both (B, T, 40)."""
            stay = torch.log1p(-ends.clamp(max=1 - 1e-6))
            crossed = functional.pad(stay.cumsum(1), (1, 0))  # (B, S + 1), the decisions before
            fast = crossed[:, :-1].repeat_interleave(SLOWER, dim=1)
            x = frames.transpose(1, 2)
            x = functional.conv1d(x, *self._own("input"), stride=STRIDE, padding=3).relu()
            for number, dilation in enumerate(DILATIONS):
                x = x + self._gated(f"block{number}", x, dilation, fast)
            slow = functional.conv1d(x, *self._own("down"), stride=SLOWER, padding=2).relu()
            for number, dilation in enumerate(SLOW_DILATIONS):
                slow = slow + self._gated(f"slow{number}", slow, dilation, crossed[:, :-1])
            up = functional.linear(slow.transpose(1, 2), *self._own("up"))
            x = x + up.reshape(len(x), -1, x.shape[1]).transpose(1, 2)[..., : x.shape[2]]
            x = x + self._gated("merged", x, 1, fast)
            x = x.transpose(1, 2)
            return (
                functional.linear(x, *self._own("output")),
                functional.linear(x, *self._own("sequence")),
            )

        def _own(self, name: str) -> tuple[Tensor, Tensor]:
            return self.held[f"{name}_weight"], self.held[f"{name}_bias"]

        def _gated(self, name: str, x: Tensor, dilation: int, before: Tensor) -> Tensor:
            """A convolution of three taps, the last of which counts as far as no segment is
            expected to end before the frame that it sees."""
            weight, bias = self._own(name)
            back = functional.pad(x, (dilation, 0))
            back = functional.conv1d(back, weight[..., :2], bias, dilation=dilation)
            count = x.shape[2] - dilation
            if count <= 0:
                return back.relu()
            reach = (before[:, dilation : x.shape[2]] - before[:, :count]).exp()
            ahead = functional.conv1d(x[..., dilation:], weight[..., 2:]) * reach[:, None]
            return (back + functional.pad(ahead, (0, dilation))).relu()

    return SegmentedNetwork()


def number_loss(ends: Any, words: Any) -> Any:
    """How far the expected numbers of segments (B, S) are from those of words (B,), as a share of
    these: counted, and counted with neighbours as one, so that a pause is cut once."""
    import torch
    from torch.nn import functional

    words = words.clamp(min=1)
    losses = []
    for own, count in zip(ends, words.tolist(), strict=True):
        width = max(int(len(own) // count), 1)
        pooled = functional.max_pool1d(own[None, None], width, ceil_mode=True)
        losses.append((own.sum() - count).abs() / count + (pooled.sum() - count).abs() / count)
    return torch.stack(losses).mean()
