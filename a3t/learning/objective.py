"""A3T's training objective: equation 4.1 of the thesis, and the losses added to it.

Both the plain loop and ESPnet's Trainer use it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from a3t.model.a3t import A3T, Filled
from a3t.model.conformer import Batch
from a3t.model.speaker_encoder import SpeakerEncoder, load_speaker_encoder
from a3t.model.variance.adaptors import Total, energy_loss, pitch_loss

ENOUGH = 20  # masked frames, a quarter of a second: shorter stretches have no voice to speak of


@dataclass(frozen=True)
class LossConfig:
    """The losses and their weights.

    Args:
        power: 1 for L1, 2 for L2.
        pitch: weight of the pitch loss, if the network predicts pitch.
        energy: weight of the energy loss, if the network predicts energy.
        speaker, speaker_matching: weights of the two losses of `speaker_loss`;
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
        ``total`` see `a3t.model.variance.adaptors.pitch_loss`.
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
        if not self.training:  # whatever the losses, this can be compared
            found["l1"] = (filled.mel - batch.mel)[batch.masked].abs().mean()
        return found

    def more_losses(
        self, filled: Filled, batch: Batch, bfloat16: bool, total: Total
    ) -> dict[str, Tensor]:
        """Another objective's own losses and figures, and the losses' weighted sum, "total"; none
        here."""
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


def speaker_loss(
    encoder: SpeakerEncoder, filled: Tensor, batch: Batch, total: Total = lambda count: count
) -> tuple[Tensor, Tensor]:
    """The distance of the filled voice from the recording's, and that of a fixed speaker encoder's
    hidden layers, two scalars; 0 if too little is masked.

    Not in the thesis. L1 weighs every bin alike, and a critic of small patches hears texture; what
    makes a voice is spread thinly over all of them. As in zero-shot speech synthesis (the speaker
    consistency loss of YourTTS, Casanova et al. 2022), with matched hidden features as in
    perceptual losses (Johnson et al. 2016).

    filled: (B, T, 80) log10. The voice aimed at is that of the recording's own masked frames and of
    the whole crop, in equal parts. For ``total`` see `a3t.model.variance.adaptors.pitch_loss`.
    """
    time = torch.arange(batch.mel.shape[1], device=batch.mel.device)
    inside = time < batch.frames[:, None]
    counted = batch.masked & inside
    mixed = torch.where(batch.masked[..., None], filled, batch.mel)
    vector, hidden = encoder(mixed, counted)
    with torch.no_grad():
        true, wanted = encoder(batch.mel, counted)
        whole, _ = encoder(batch.mel, inside)
        aim = torch.nn.functional.normalize(true + whole, dim=-1)
    frames = counted.sum(1)
    enough = (frames >= ENOUGH).float() * frames
    apart = (enough * (1 - (vector * aim).sum(-1))).sum() / total(enough.sum()).clamp(min=1.0)
    weight = counted[..., None].float()
    count = total(weight.sum()).clamp(min=1.0)
    differences = [
        ((a - b).abs().float() * weight).sum() / (b.abs().float() * weight).sum().clamp(min=1.0)
        for a, b in zip(hidden, wanted, strict=True)
    ]
    return apart, torch.stack(differences).mean() * (weight.sum() / count)
