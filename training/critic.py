"""An adversarial critic of filled mels, trained beside the network (Goodfellow et al. 2014).

Not in the thesis. L1 alone yields the average of everything that could have been spoken, which is
blurred. The critic learns to distinguish filled mel from recorded mel in its surroundings, and the
network learns to leave it nothing to go by. Least squares (Mao et al. 2017) with
matched features (Larsen et al. 2016); patches of the mel are judged as Isola et al. (2017) do.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from a3t.model.a3t import A3T
from a3t.model.conformer import Batch
from a3t.model.variance.adaptors import Total

# The critic's gradient is ten times the network's, and both are clipped together: unscaled, it
# alone would determine the clipping. Adam is indifferent to the scale of a loss.
CRITIC_SHARE = 0.05
STRIDES = ((1, 2), (2, 2), (1, 2), (1, 1))  # frames, bins
SLOPE = 0.2


class Judged(NamedTuple):
    """A verdict per patch (B, T', 10), ideally 1 where recorded and 0 where filled.

    With it the hidden layers (B, C, T', bins) that led to it.
    """

    verdicts: Tensor
    hidden: list[Tensor]


class Critic(nn.Module):
    """Two-dimensional convolutions over (frames, bins); a patch sees 21 frames and 53 bins.

    Its inputs include the mask, so that it needn't look for the joints, and the height of each bin.
    """

    def __init__(self, channels: int = 24) -> None:
        super().__init__()
        sizes = (3, channels, 2 * channels, 2 * channels, 2 * channels)
        self.layers = nn.ModuleList(
            nn.Conv2d(sizes[k], sizes[k + 1], 5, stride, padding=2)
            if k < 2
            else nn.Conv2d(sizes[k], sizes[k + 1], 3, stride, padding=1)
            for k, stride in enumerate(STRIDES)
        )
        self.verdict = nn.Conv2d(sizes[-1], 1, 3, padding=1)

    def forward(self, mel: Tensor, masked: Tensor) -> Judged:
        """Judge a standardised mel (B, T, 80), masked (B, T)."""
        height = torch.linspace(-1.0, 1.0, mel.shape[2], device=mel.device).expand_as(mel)
        shown = masked[..., None].expand_as(mel).to(mel.dtype)
        x = torch.stack([mel, shown, height], dim=1)
        hidden = []
        for layer in self.layers:
            x = F.leaky_relu(layer(x), SLOPE)
            hidden.append(x)
        return Judged(self.verdict(x)[:, 0].float(), hidden)


class CriticLosses(NamedTuple):
    """Three scalars: one that trains the critic, and two that train the network."""

    critic: Tensor
    adversarial: Tensor
    matching: Tensor

    def total(self, adversarial: float, matching: float) -> Tensor:
        """Return the critic's part of a step's loss by the weights of the network's two losses."""
        mine = adversarial * self.adversarial + matching * self.matching
        return CRITIC_SHARE * self.critic + mine


def critic_losses(
    critic: Critic, filled: Tensor, recorded: Tensor, masked: Tensor, total: Total = lambda n: n
) -> CriticLosses:
    """Return the losses of both sides, for one backward pass and one optimiser.

    ``filled`` and ``recorded`` (B, T, 80) standardised, ``masked`` (B, T). The critic's loss has
    no gradient in the network, nor the network's losses in the critic. Only masked patches count;
    for ``total`` see `a3t.model.variance.adaptors.pitch_loss`.
    """
    filled = torch.where(masked[..., None], filled, recorded)
    true = critic(recorded, masked)
    false = critic(filled.detach(), masked)
    weights = _at(masked, true.verdicts)
    loss = _mean((true.verdicts - 1).square() + false.verdicts.square(), weights, total)
    fixed = {name: value.detach() for name, value in critic.named_parameters()}
    seen = torch.func.functional_call(critic, fixed, (filled, masked))
    adversarial = _mean((seen.verdicts - 1).square(), weights, total)
    differences = [
        _mean((a - b.detach()).abs().float().mean(1), _at(masked, a[:, 0]), total)
        for a, b in zip(seen.hidden, true.hidden, strict=True)
    ]
    return CriticLosses(loss, adversarial, torch.stack(differences).mean())


def losses_of_batch(
    critic: Critic, network: A3T, after: Tensor, batch: Batch, total: Total = lambda n: n
) -> CriticLosses:
    """Return the `critic_losses` of the mel with which a network filled a batch.

    It is (B, T, 80) log10.
    """
    recorded = batch.mel
    if network.normalise:
        after, recorded = (
            (mel - network.mel_mean) / network.mel_scale for mel in (after, recorded)
        )
    return critic_losses(critic, after, recorded, batch.masked, total)


def _at(masked: Tensor, patches: Tensor) -> Tensor:
    """Weigh patches by masked (B, T), at the frames on which they are centred: (B, T', 1)."""
    step = -(-masked.shape[1] // patches.shape[1])
    return masked[:, ::step, None].float()


def _mean(values: Tensor, weights: Tensor, total: Total) -> Tensor:
    """Average values (B, T', bins) where weights (B, T', 1) are 1."""
    return (values * weights).sum() / (total(weights.sum()) * values.shape[2]).clamp(min=1e-6)
