"""How likely the right phones are among all sequences of phones: maximum mutual information.

Frame by frame, cross-entropy asks for the right phone; a recogniser asks which sequence is
likeliest. Here the scores of all paths that the alignment allows are weighed against those of all
paths whatsoever, phones following each other as often as in the training data (Povey et al.,
"Purely sequence-trained neural networks for ASR based on lattice-free MMI", 2016, with pairs of
phones and the alignment's times instead of a lattice).
"""

from __future__ import annotations

from typing import Any

from alignment.network.phone_network import TOGETHER
from alignment.training.examples import UNSURE

LOOSE = 1  # steps by which a boundary may be elsewhere
FORBIDDEN = -30.0  # what a phone that the alignment doesn't allow loses in a step, nats


def sequence_loss(scores: Any, targets: Any, pairs: Any) -> Any:
    """The mean over steps of -log P(allowed paths), nats.

    `scores` (B, T, 40), T a multiple of TOGETHER; `targets` (B, T) phones by number, or UNSURE;
    `pairs` (40, 40), the logarithm of how often the column follows the row.
    """
    import torch

    batch, frames, symbols = scores.shape
    steps = frames // TOGETHER
    each = scores.float().reshape(batch, steps, TOGETHER, symbols).sum(2)
    known = targets.reshape(batch, steps, TOGETHER)
    allowed = (known[..., None] == torch.arange(symbols)).any(2).float()
    allowed[(known == UNSURE).any(2)] = 1.0
    wide = torch.nn.functional.max_pool1d(
        allowed.transpose(1, 2), 2 * LOOSE + 1, stride=1, padding=LOOSE
    )
    held = each + FORBIDDEN * (1.0 - wide.transpose(1, 2))
    following = pairs.clone()
    following.fill_diagonal_(0.0)
    totals = _all_paths(torch.cat([held, each]), following.exp())
    return (totals[batch:] - totals[:batch]).mean() / steps


def _all_paths(scores: Any, following: Any) -> Any:
    """The logarithm of the sum over all paths through `scores` (B, T, n), (B,)."""
    total = scores[:, 0]
    for step in range(1, scores.shape[1]):
        best = total.max(dim=1, keepdim=True).values.detach()
        total = ((total - best).exp() @ following + 1e-20).log() + best + scores[:, step]
    return total.logsumexp(dim=1)
