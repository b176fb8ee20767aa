"""The plain-PyTorch network as a model that ESPnet's Trainer can train."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from espnet2.torch_utils.device_funcs import force_gatherable
from espnet2.train.abs_espnet_model import AbsESPnetModel
from torch import Tensor

from a3t.model.a3t import A3T, reconstruction_loss
from a3t.model.embeddings import Batch
from a3t.model.pitch import pitch_loss
from a3t.training.critic import Critic, criticised
from a3t.training.pretrain import cepstral_distance


class A3TModel(AbsESPnetModel):
    """Loss, figures to report and their weight for one batch.

    ``weight`` is the number of masked frames: ESPnet averages over processes and over steps by it,
    so that a batch on two processes and the same batch on one have the same loss and gradient.
    """

    def __init__(
        self,
        network: A3T,
        power: int = 1,
        pitch_weight: float = 0.1,
        bf16: bool = False,
        critic: Critic | None = None,
        adversarial_weight: float = 0.0,
        matching_weight: float = 0.0,
    ) -> None:
        super().__init__()
        self.network = network
        self.critic = critic
        self.power = power
        self.pitch_weight = pitch_weight
        self.adversarial_weight = adversarial_weight
        self.matching_weight = matching_weight
        self.bf16 = bf16

    def forward(
        self,
        mel: Tensor,
        mel_lengths: Tensor,
        masked: Tensor,
        phones: Tensor,
        phones_lengths: Tensor,
        frame_phone: Tensor,
        row_offset: Tensor,
        pitch: Tensor | None = None,
        **_: Any,
    ) -> tuple[Tensor, dict[str, Tensor], Tensor]:
        """The loss of equation 4.1, and the pitch's where the network predicts one.

        Shapes: `a3t.training.espnet.preprocess.collate`. In validation the network is not told the
        pitch, as in use.
        """
        batch = Batch(
            mel, masked, phones, frame_phone, mel_lengths, phones_lengths, row_offset, pitch
        )
        with torch.autocast(mel.device.type, torch.bfloat16, self.bf16 and self.training):
            filled = self.network(batch if self.training else replace(batch, pitch=None))
        scale = self.network.mel_scale if self.network.normalise else 1.0
        loss = reconstruction_loss(filled.before, filled.after, batch, scale, self.power)
        stats = {"mel_loss": loss.detach()}
        if filled.pitch is not None and pitch is not None:
            stats["pitch_loss"] = pitch_loss(filled.pitch, batch)
            loss = loss + self.pitch_weight * stats["pitch_loss"]
            stats["pitch_loss"] = stats["pitch_loss"].detach()
        stats["loss"] = loss.detach()
        if self.critic is not None and self.training:
            with torch.autocast(mel.device.type, torch.bfloat16, self.bf16):
                losses = criticised(self.critic, self.network, filled.after, batch)
            loss = loss + losses.total(self.adversarial_weight, self.matching_weight)
            for name, value in losses._asdict().items():
                stats[f"{name}_loss"] = value.detach()
        with torch.no_grad():
            # Whatever the loss is: these two compare between configurations.
            stats["l1"] = (filled.after[masked] - mel[masked]).abs().mean()
            stats["cepstral_db"] = cepstral_distance(filled.after[masked], mel[masked]).mean()
        # Several processes are summed over a dimension that this adds.
        return force_gatherable((loss, stats, masked.sum().float()), loss.device)

    def collect_feats(self, mel: Tensor, mel_lengths: Tensor, **_: Any) -> dict[str, Tensor]:
        """What the statistics are taken of: the mel itself, which the feature dump computed."""
        return {"mel": mel, "mel_lengths": mel_lengths}
