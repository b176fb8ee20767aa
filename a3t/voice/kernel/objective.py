"""A3T's training objective: equation 4.1 of the thesis, and the losses added to it.

Both the plain loop and ESPnet's Trainer use it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from a3t.model.a3t import A3T, Filled
from a3t.model.embeddings import Batch
from a3t.model.speaker_encoder import load_speaker_encoder
from a3t.model.variance.energy import energy_loss
from a3t.model.variance.pitch import Total, decided, pitch_loss
from a3t.voice.kernel.speaker_loss import speaker_loss


@dataclass(frozen=True)
class LossConfig:
    """The losses and their weights.

    Args:
        power: 1 for L1, 2 for L2.
        pitch: weight of the pitch loss, if the network predicts pitch.
        energy: weight of the energy loss, if the network predicts energy.
        speaker, speaker_matching: weights of the two losses of `a3t.voice.kernel.speaker_loss`;
            above 0 what is filled is heard by ``encoder``.
        encoder: the speaker encoder, a shipped one or a folder.
    """

    power: int = 1
    pitch: float = 0.1
    energy: float = 0.5
    speaker: float = 0.0
    speaker_matching: float = 0.0
    encoder: str = "speakers"


class Objective(nn.Module):
    """A network and its losses on a batch."""

    def __init__(self, network: A3T, config: LossConfig) -> None:
        super().__init__()
        self.network, self.config = network, config
        hears = config.speaker > 0 or config.speaker_matching > 0
        self.speaker = load_speaker_encoder(config.encoder) if hears else None

    def forward(
        self, batch: Batch, bfloat16: bool = False, total: Total = lambda count: count
    ) -> dict[str, Tensor]:
        """All losses by name, and their weighted sum, "total".

        In validation the network predicts pitch and energy itself, as when it edits. For
        ``total`` see `a3t.model.variance.pitch.pitch_loss`.
        """
        config, kind = self.config, batch.mel.device.type
        with torch.autocast(kind, torch.bfloat16, bfloat16 and self.training):
            filled = self.network(batch if self.training else replace(batch, pitch=None))
        scale = self.network.mel_scale if self.network.normalise else 1.0
        mel = reconstruction_loss(filled.before, filled.after, batch, scale, config.power)
        found = {"total": mel, "mel": mel}
        if filled.pitch is not None and batch.pitch is not None:
            found["pitch"] = pitch_loss(filled.pitch, batch, total)
            found["total"] = found["total"] + config.pitch * found["pitch"]
        if filled.energy is not None:
            found["energy"] = energy_loss(filled.energy, batch)
            found["total"] = found["total"] + config.energy * found["energy"]
        more = self.more_losses(filled, batch, bfloat16, total)
        found["total"] = found["total"] + more.pop("total", 0.0)
        found |= more
        if self.speaker is not None:
            found["speaker"], matching = speaker_loss(self.speaker, filled.after, batch, total)
            mine = config.speaker * found["speaker"] + config.speaker_matching * matching
            found["total"] = found["total"] + mine
        if not self.training:
            found |= figures(filled.mel, filled.pitch, batch)
        return found

    def more_losses(
        self, filled: Filled, batch: Batch, bfloat16: bool, total: Total
    ) -> dict[str, Tensor]:
        """Another objective's own losses, and their weighted sum, "total"; none here."""
        return {}


def reconstruction_loss(
    before: Tensor, after: Tensor, batch: Batch, scale: Tensor | float = 1.0, power: int = 1
) -> Tensor:
    """Equation 4.1: L1 (or L2) of both outputs over the masked frames, averaged over them.

    ``scale`` (80,) divides the mel first, where the network standardises it.
    """
    time = torch.arange(batch.mel.shape[1], device=batch.mel.device)
    counted = batch.masked & (time < batch.frames[:, None])
    # Not by picking the masked frames out: a GPU would have to tell how many there are.
    values = counted.sum().clamp(min=1) * batch.mel.shape[2]
    off = (((output - batch.mel) / scale).abs() ** power for output in (before, after))
    return sum((each * counted[..., None]).sum() / values for each in off)  # type: ignore[return-value]


def figures(filled: Tensor, pitch: Tensor | None, batch: Batch) -> dict[str, Tensor]:
    """Figures that can be compared between configurations, whatever their losses.

    Over the masked frames: the mean L1 in log10 units, the cepstral distance in dB, and the detail
    (mean second difference across bins) over the recording's; for a
    predicted pitch (B, T, 2) the error in octaves and the share of frames with wrong voicing.
    """
    masked = batch.masked
    found = {
        "l1": (filled[masked] - batch.mel[masked]).abs().mean(),
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


@torch.no_grad()
def validate(objective: Objective, batches: Iterable[Batch]) -> dict[str, float]:
    """Mean losses and figures over batches, weighted by their masked frames."""
    sums: dict[str, float] = {}
    frames = 0
    objective.eval()
    for batch in batches:
        count = int(batch.masked.sum())
        frames += count
        for name, value in objective(batch).items():
            sums[name] = sums.get(name, 0.0) + count * float(value)
    return {name: value / max(1, frames) for name, value in sums.items()}


def cepstral_distance(one: Tensor, other: Tensor) -> Tensor:
    """Distance in dB of log10 mels (n, 80), per frame (n,): mel-cepstral distortion without WORLD.

    Cepstra are cosine coefficients 1 to 24 of the natural-log mel, c_k = 2/80 Σ log|X| cos(kω),
    and the distance is 10 / ln 10 √(2 Σ d²).
    """
    bins = one.shape[-1]
    order = torch.arange(1, 25, device=one.device)[:, None]
    angle = math.pi / bins * (torch.arange(bins, device=one.device)[None] + 0.5)
    basis = torch.cos(order * angle) * (2.0 / bins)  # (24, 80)
    difference = (one - other) * math.log(10.0) @ basis.T
    return 10.0 / math.log(10.0) * (2.0 * difference.square().sum(-1)).sqrt()
