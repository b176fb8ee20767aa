"""Maximum mutual information: the probability of the right phone sequence among all sequences.

Frame by frame, cross-entropy asks for the right phone; a recogniser asks which sequence is
likeliest. Here the scores of all paths through the alignment's phones, each of them in its turn,
are weighed against those of all paths whatsoever, phones following each other as often as in the
training data (Povey et al., "Purely sequence-trained neural networks for ASR based on lattice-free
MMI", 2016, with pairs of phones for the language model). A path that could leave out a short phone
would teach what a recogniser, which has to pass through all phones of a word, can't use.

The loss must not fall without bound: each step's scores are made logarithms of shares, and where a
path passes through what is UNSURE, it pays the logarithm of 1, what all phones have together. So
the right paths can't be better than all by more than pairs of phones cost.

B segments, T frames, S steps, L phones in a segment, n kinds of phones.
"""

from __future__ import annotations

import torch
from torch import Tensor

from training.alignment.examples import UNSURE

TOGETHER = 2  # frames in one step, as the recogniser's search has it
LOOSE = 2  # steps by which a boundary may be elsewhere
FORBIDDEN = -30.0  # what a phone loses in a step where the alignment doesn't have it, nats
NEVER = -1e30  # the logarithm of next to nothing


def sequence_loss(scores: Tensor, targets: Tensor, pairs: Tensor) -> Tensor:
    """Return the mean over steps of -log P(paths through the right phones), nats.

    `scores` (B, T, n), T a multiple of TOGETHER; `targets` (B, T) phones by number, or UNSURE,
    whose steps teach nothing; `pairs` (n, n), the logarithm of how often the column follows the
    row.
    """
    batch, frames, symbols = scores.shape
    steps = frames // TOGETHER
    unsure = (targets.reshape(batch, steps, TOGETHER) == UNSURE).any(2)
    each = scores.float().reshape(batch, steps, TOGETHER, symbols).sum(2).log_softmax(2)
    each = each.masked_fill(unsure[..., None], 0.0)
    following = pairs.clone()
    following.fill_diagonal_(0.0)
    right = _paths_in_turn(each, following, *phones_in_turn(targets))
    return (_all_paths(each, following.exp()) - right).mean() / steps


def phones_in_turn(targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the phones of each segment in their order (B, L), of `targets` (B, T).

    With them the steps in which each may be (B, S, L), bool, and how many there are (B,). What is
    UNSURE is in its own steps only: its neighbours' would cost it nothing.
    """
    frames = targets.shape[1]
    changes = (targets[:, 1:] != targets[:, :-1]).cumsum(1)
    turn = torch.cat([torch.zeros_like(targets[:, :1]), changes], dim=1)
    count = turn[:, -1] + 1
    each = torch.arange(int(count.max()), device=targets.device).repeat(len(targets), 1)
    first, stop = torch.searchsorted(turn, each), torch.searchsorted(turn, each, right=True)
    phones = targets.gather(1, first.clamp(max=frames - 1))
    loose = LOOSE * (phones != UNSURE)
    step = torch.arange(frames // TOGETHER, device=targets.device)[:, None]
    places = step >= (first // TOGETHER - loose)[:, None]
    places &= step <= ((stop - 1) // TOGETHER + loose)[:, None]
    return phones, places, count


def _paths_in_turn(
    each: Tensor, following: Tensor, phones: Tensor, places: Tensor, count: Tensor
) -> Tensor:
    """Return the logarithm of the sum over the paths that pass through all `phones`, (B,)."""
    unknown = phones == UNSURE
    named = phones.masked_fill(unknown, 0)
    own = each.gather(2, named[:, None].expand(-1, each.shape[1], -1))
    own = own.masked_fill(unknown[:, None], 0.0) + FORBIDDEN * ~places
    change = following[named[:, :-1], named[:, 1:]]
    change = change.masked_fill(unknown[:, :-1] | unknown[:, 1:], 0.0)
    likely = own.unbind(1)
    before = torch.full_like(likely[0][:, :1], NEVER)
    total = torch.cat([likely[0][:, :1], torch.full_like(likely[0][:, 1:], NEVER)], dim=1)
    for here in likely[1:]:
        entered = torch.cat([before, total[:, :-1] + change], dim=1)
        total = torch.logaddexp(total, entered) + here
    return total.gather(1, count[:, None] - 1)[:, 0]


def _all_paths(each: Tensor, following: Tensor) -> Tensor:
    """Return the logarithm of the sum over all paths through `each` (B, S, n), (B,).

    A share that is too small for a float's exponent is lost; a detour through the step's likeliest
    phone, which costs two pairs, is worth far more.
    """
    likely = each.exp().unbind(1)
    share, sums = likely[0], []
    for here in likely[1:]:
        sums.append(share.sum(1, keepdim=True))
        share = (share / sums[-1] @ following) * here
    sums.append(share.sum(1, keepdim=True))
    return torch.cat(sums, dim=1).log().sum(1)
