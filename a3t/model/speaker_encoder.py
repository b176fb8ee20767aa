"""Speaker encoder: a small network that turns a stretch of mel into a vector, near for one voice.

An x-vector network (Snyder et al. 2018) with attentive statistics (Okabe et al. 2018), trained to
tell the training data's voices apart (`training.train_speakers`). It judges whether filled mel
sounds like its voice in training, and compares recordings with saved voices.

B stretches, T frames, C channels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from a3t.errors import InputError
from a3t.grid import seconds_of
from a3t.model.conformer import attentive_statistics

ENCODER_DILATIONS = (1, 2, 3, 4)
# The cosine from which so many seconds of speech pass for a voice's: the more is heard, the nearer
# is a speaker's vector to his own and the further from another's. Chosen on some voices; of others,
# 3, 4, 1 and 1% were below it beside their own voice, and 7, 3, 3 and 0% above it beside another's.
SAME_VOICE_COSINES = {1.5: 0.40, 5.0: 0.52, 10.0: 0.62, 20.0: 0.70}


class SpeakerEncoder(nn.Module):
    """log10 mel -> a unit vector a stretch; see `forward`. It doesn't hear how loud speech is.

    Args:
        mels: bins of the mel.
        channels: of the convolutions.
        size: of the vector.
    """

    def __init__(self, mels: int = 80, channels: int = 128, size: int = 128) -> None:
        super().__init__()
        self.mel_mean: Tensor
        self.mel_scale: Tensor
        self.register_buffer("mel_mean", torch.zeros(mels))
        self.register_buffer("mel_scale", torch.ones(mels))
        self.first = nn.Conv1d(mels, channels, 5, padding=2)
        self.layers = nn.ModuleList(
            nn.Conv1d(channels, channels, 3, padding=dilation, dilation=dilation)
            for dilation in ENCODER_DILATIONS
        )
        self.norms = nn.ModuleList(
            nn.LayerNorm(channels) for _ in range(len(ENCODER_DILATIONS) + 1)
        )
        self.attention = nn.Linear(channels, 1)
        self.output = nn.Linear(2 * channels, size)

    def forward(self, mel: Tensor, counted: Tensor) -> tuple[Tensor, list[Tensor]]:
        """Return vectors (B, size) and hidden layers (B, T, C).

        mel (B, T, 80) log10, counted (B, T) bool. Frames that don't count have no say, but those
        that do are heard beside them.
        """
        weight = counted[..., None].to(mel.dtype)
        x = (mel - self.mel_mean) / self.mel_scale
        frames = weight.sum((1, 2), keepdim=True).clamp(min=1.0)
        x = x - (x * weight).sum((1, 2), keepdim=True) / (frames * mel.shape[2])
        x = F.relu(self.norms[0](_over_time(self.first, x)))
        hidden = [x]
        for layer, norm in zip(self.layers, self.norms[1:], strict=True):
            x = x + F.relu(norm(_over_time(layer, x)))
            hidden.append(x)
        x = x.float()
        vector = self.output(attentive_statistics(x, self.attention(x), counted)).float()
        return F.normalize(vector, dim=-1), hidden


def least_likeness(frames: int) -> float:
    """Return the cosine from which so many frames of speech pass for a voice's.

    Between the entries of `SAME_VOICE_COSINES` it grows with the logarithm of the time.
    """
    seconds = max(seconds_of(frames), min(SAME_VOICE_COSINES))
    return float(
        np.interp(
            np.log(seconds), np.log(list(SAME_VOICE_COSINES)), list(SAME_VOICE_COSINES.values())
        )
    )


@torch.inference_mode()
def speech_vector(encoder: SpeakerEncoder, mels: Sequence[Tensor]) -> Tensor:
    """Return the vector (size,) of stretches of one person's speech, (T, 80) log10 each."""
    mel = torch.cat(list(mels))[None].float()
    vector, _ = encoder(mel, torch.ones(mel.shape[:2], dtype=torch.bool))
    return vector[0].clone()


@torch.random.fork_rng(devices=[])
def load_speaker_encoder(name_or_path: str = "speakers") -> SpeakerEncoder:
    """Load a shipped encoder, or one from a folder; it is not trained any more.

    Raises InputError if it can't be used.
    """
    from a3t.pretrained import load_checkpoint

    encoder = SpeakerEncoder()
    _, tensors, _ = load_checkpoint(name_or_path)
    try:
        encoder.load_state_dict({name: value.float() for name, value in tensors.items()})
    except RuntimeError:
        raise InputError(f"{name_or_path} does not hold a speaker encoder.") from None
    return encoder.requires_grad_(False).eval()


def _over_time(layer: nn.Module, x: Tensor) -> Tensor:
    result: Tensor = layer(x.transpose(1, 2)).transpose(1, 2)
    return result
