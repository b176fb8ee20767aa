"""BatchNorm over several processes, with the statistics of the whole batch."""

from __future__ import annotations

import torch
import torch.distributed
from torch import Tensor, nn
from torch.distributed.nn.functional import all_reduce

from a3t.model.conformer import MaskedBatchNorm


class SyncedBatchNorm(MaskedBatchNorm):
    """`MaskedBatchNorm` whose training statistics are summed over all processes.

    Its parameters and buffers have the same names, so checkpoints of one process and of several are
    interchangeable.
    """

    def forward(self, x: Tensor, valid: Tensor) -> Tensor:  # type: ignore[override]
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
