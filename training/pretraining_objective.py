"""The objective of pretraining: `a3t.voice.kernel.objective`, with a critic if it has one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from a3t.model.a3t import A3T, Filled
from a3t.model.embeddings import Batch
from a3t.model.variance.pitch import Total
from a3t.voice.kernel.objective import LossConfig, Objective
from training.critic import Critic, losses_of_batch

NETWORK = "network."  # what the names of an objective's weights begin with
CRITIC = "critic."


@dataclass(frozen=True)
class PretrainingLosses(LossConfig):
    """The ``loss:`` part of a configuration.

    Args:
        adversarial: weight of the adversarial loss; above 0 a critic (`training.critic`) is trained
            beside the network.
        matching: weight of the critic's feature-matching loss.
    """

    adversarial: float = 0.0
    matching: float = 2.0


class PretrainingObjective(Objective):
    """A network, its critic if there is one, and their losses on a batch."""

    def __init__(self, network: A3T, config: PretrainingLosses) -> None:
        super().__init__(network, config)
        self.adversarial, self.matching = config.adversarial, config.matching
        self.critic = Critic() if config.adversarial > 0 else None

    def more_losses(
        self, filled: Filled, batch: Batch, bfloat16: bool, total: Total
    ) -> dict[str, Tensor]:
        """The critic's; it has no part in validation."""
        if self.critic is None or not self.training:
            return {}
        with torch.autocast(batch.mel.device.type, torch.bfloat16, bfloat16):
            losses = losses_of_batch(self.critic, self.network, filled.after, batch, total)
        return {"total": losses.total(self.adversarial, self.matching), **losses._asdict()}


def network_weights(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The network's weights, out of those of an objective (or of a network with its critic)."""
    whole = any(name.startswith(NETWORK) for name in weights)
    return {
        name.removeprefix(NETWORK): value
        for name, value in weights.items()
        if (name.startswith(NETWORK) if whole else not name.startswith(CRITIC))
    }
