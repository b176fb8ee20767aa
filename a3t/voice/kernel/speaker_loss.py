"""A loss that compares the voice of filled mel with the speaker's, by a fixed speaker encoder.

Not in the thesis. L1 weighs every bin alike, and a critic of small patches hears texture; what
makes a voice is spread thinly over all of them. As in zero-shot speech synthesis (the speaker
consistency loss of YourTTS, Casanova et al. 2022), with matched hidden features as in perceptual
losses (Johnson et al. 2016).
"""

from __future__ import annotations

import torch
from torch import Tensor

from a3t.model.embeddings import Batch
from a3t.model.speaker_encoder import SpeakerEncoder
from a3t.model.variance.pitch import Total

ENOUGH = 20  # masked frames, a quarter of a second: shorter stretches have no voice to speak of


def speaker_loss(
    encoder: SpeakerEncoder, filled: Tensor, batch: Batch, total: Total = lambda count: count
) -> tuple[Tensor, Tensor]:
    """The distance of the filled voice from the recording's, and that of the hidden
    layers, two scalars; 0 if too little is masked.

    filled: (B, T, 80) log10. The voice aimed at is that of the recording's own masked frames and of
    the whole crop, in equal parts. For ``total`` see `a3t.model.variance.pitch.pitch_loss`.
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
