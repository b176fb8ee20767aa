"""The objective as a model that ESPnet's Trainer can train."""

from __future__ import annotations

from typing import Any

import torch
from espnet2.torch_utils.device_funcs import force_gatherable
from espnet2.train.abs_espnet_model import AbsESPnetModel
from torch import Tensor

from a3t.model.a3t import A3T
from a3t.model.conformer import Batch
from training.pretraining_objective import PretrainingLosses, PretrainingObjective
from training.synced_batch_norm import share_of


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
        """Compute the losses; ``fields`` are those of `Batch`."""
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
        """Return nothing: the feature store provides the statistics."""
        return {}
