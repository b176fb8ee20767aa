"""The objective as a model that ESPnet's Trainer can train."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed
from espnet2.torch_utils.device_funcs import force_gatherable
from espnet2.train.abs_espnet_model import AbsESPnetModel
from torch import Tensor

from a3t.model.a3t import A3T
from a3t.model.conformer import Batch
from a3t.model.variance.adaptors import Total
from training.pretraining_objective import PretrainingLosses, PretrainingObjective


def share_of(weight: Tensor) -> Total:
    """The divisor for a process's sum, given its count: such that the weighted average over all
    processes is the sum of all over the count of all. The identity for a single process."""
    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return lambda count: count

    def over_all(count: Tensor) -> Tensor:
        counts = torch.stack([count * (weight > 0), weight])  # an idle process counts nothing
        torch.distributed.all_reduce(counts)
        return counts[0] * weight / counts[1]

    return over_all


class A3TModel(PretrainingObjective, AbsESPnetModel):
    """The loss, the figures to report, and their weight, for one batch.

    ``weight`` is the number of masked frames: ESPnet averages over processes and over steps by it,
    so that a batch on two processes and the same batch on one have the same loss and gradient.
    """

    def __init__(self, network: A3T, config: PretrainingLosses, low: bool = False) -> None:
        super().__init__(network, config)
        self.low = low  # matrix products in bfloat16

    def forward(  # type: ignore[override]
        self, utt_id: Any = None, **fields: Tensor
    ) -> tuple[Tensor, dict[str, Tensor], Tensor]:
        """``fields`` are those of `Batch`."""
        batch = Batch(**fields)
        weight = batch.masked.sum().float()
        found = super().forward(batch, self.low, share_of(weight))
        loss = found.pop("total")
        stats = {"loss": loss.detach()} | {name: value.detach() for name, value in found.items()}
        # A process without a share of the batch has means of nothing, of weight 0.
        stats = {name: value.nan_to_num() for name, value in stats.items()}
        # Several processes are summed over a dimension that this adds.
        return force_gatherable((loss, stats, weight), loss.device)

    def collect_feats(self, **_: Any) -> dict[str, torch.Tensor]:
        """Nothing: the feature store provides the statistics."""
        return {}
