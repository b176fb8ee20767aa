"""The objective of pretraining: `a3t.learning.loop`, with a critic if it has one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from a3t.learning.loop import LossConfig, Objective
from a3t.model.a3t import A3T, Filled
from a3t.model.conformer import Batch
from a3t.model.variance.adaptors import Total, decided
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
        """Return the critic's losses in training; in validation what can be compared."""
        if not self.training:
            return figures(filled.mel, filled.pitch, batch)
        if self.critic is None:
            return {}
        with torch.autocast(batch.mel.device.type, torch.bfloat16, bfloat16):
            losses = losses_of_batch(self.critic, self.network, filled.after, batch, total)
        return {"total": losses.total(self.adversarial, self.matching), **losses._asdict()}


def network_weights(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the network's weights, out of those of an objective (or of it with its critic)."""
    whole = any(name.startswith(NETWORK) for name in weights)
    return {
        name.removeprefix(NETWORK): value
        for name, value in weights.items()
        if (name.startswith(NETWORK) if whole else not name.startswith(CRITIC))
    }


def figures(filled: Tensor, pitch: Tensor | None, batch: Batch) -> dict[str, Tensor]:
    """Return figures that can be compared between configurations, whatever their losses.

    Over the masked frames: the cepstral distance in dB, and the detail
    (mean second difference across bins) over the recording's; for a
    predicted pitch (B, T, 2) the error in octaves and the share of frames with wrong voicing.
    """
    masked = batch.masked
    found = {
        "dB": cepstral_distance(filled[masked], batch.mel[masked]).mean(),
        "detail": _detail(filled[masked]) / _detail(batch.mel[masked]),
    }
    if pitch is not None and batch.pitch is not None:
        predicted, true = decided(pitch)[masked], batch.pitch[masked]
        both = (predicted > 0) & (true > 0)
        found["octaves"] = (predicted - true)[both].abs().sum() / both.sum().clamp(min=1)
        found["voicing"] = ((predicted > 0) != (true > 0)).float().mean()
    return found


def _detail(mel: Tensor) -> Tensor:
    return mel.diff(n=2, dim=-1).abs().mean()


def cepstral_distance(one: Tensor, other: Tensor) -> Tensor:
    """Return the distance in dB of log10 mels (n, 80), per frame (n,): MCD without WORLD.

    That is 10 / ln 10 √(2 Σ d²) of the cosine coefficients 1 to 24 of the natural-log mels,
    c_k = 2/80 Σ log|X| cos(kω): by Parseval's theorem the RMS difference in dB of two smoothed
    log spectra without their mean levels.
    """
    return cepstra(one - other).square().sum(-1).sqrt()


def cepstra(mel: Tensor) -> Tensor:
    """Return cepstra (n, 24) of log10 mels (n, 80), scaled so that their distance is in dB."""
    bins = mel.shape[-1]
    order = torch.arange(1, 25, dtype=mel.dtype, device=mel.device)[:, None]
    angle = math.pi / bins * (torch.arange(bins, dtype=mel.dtype, device=mel.device) + 0.5)
    return mel @ torch.cos(order * angle).T * (20.0 * 2**0.5 / bins)
