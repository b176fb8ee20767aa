"""BatchNorm and means over several processes, with the statistics of the whole batch."""

from __future__ import annotations

import torch
import torch.distributed
from torch import Tensor, nn
from torch.distributed.nn.functional import all_reduce

from a3t.model.conformer import MaskedBatchNorm
from a3t.model.variance.adaptors import Total


class SyncedBatchNorm(MaskedBatchNorm):
    """`MaskedBatchNorm` whose training statistics are summed over all processes.

    Its parameters and buffers have the same names, so checkpoints of one process and of several are
    interchangeable.
    """

    def forward(self, x: Tensor, valid: Tensor) -> Tensor:  # type: ignore[override]
        """Normalise the values that are valid, by the statistics of all processes."""
        if not self.training:
            return super().forward(x, valid)
        values = x.float()
        # One message for the sums and the count, which has no gradient.
        sums = torch.cat([(values * valid).sum((0, 1)), valid.sum()[None]])
        sums = all_reduce(sums)
        count = sums[-1].detach().clamp(min=1.0)
        mean = sums[:-1] / count
        variance = all_reduce(((values - mean).square() * valid).sum((0, 1))) / count
        self.follow(mean, variance, count)
        normal = (values - mean) * torch.rsqrt(variance + self.eps)
        return (normal * self.weight + self.bias).to(x.dtype)


def synchronise(module: nn.Module) -> None:
    """Replace every `MaskedBatchNorm` in a module by a `SyncedBatchNorm`, in place."""
    for name, child in module.named_children():
        if type(child) is MaskedBatchNorm:
            synced = SyncedBatchNorm(child.num_features, eps=child.eps, momentum=child.momentum)
            synced.load_state_dict(child.state_dict())
            setattr(module, name, synced)
        else:
            synchronise(child)


def share_of(weight: Tensor) -> Total:
    """Return the divisor for a process's sum, given its count.

    With it the weighted average over all processes is the sum of all over the count of all. It is
    the identity for a single process.
    """
    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return lambda count: count

    def over_all(count: Tensor) -> Tensor:
        counts = torch.stack([count * (weight > 0), weight])  # an idle process counts nothing
        torch.distributed.all_reduce(counts)
        return counts[0] * weight / counts[1]

    return over_all
