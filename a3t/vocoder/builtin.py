"""The built-in vocoder as the editor uses it: weights from a folder, checked, one mel at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from a3t.errors import InputError
from a3t.grid import HOP
from a3t.pretrained import load_checkpoint
from a3t.spans import Span
from a3t.vocoder.base import check_mel, placed_normal
from a3t.vocoder.spectral import SpectralVocoder


class BuiltinVocoder:
    """A ``SpectralVocoder`` with its weights' name and sha256."""

    def __init__(
        self,
        model: SpectralVocoder,
        name: str = "builtin",
        sha256: str | None = None,
        device: str = "cpu",
    ) -> None:
        self.name = name
        self.sha256 = sha256
        self.model = model.to(device).eval()
        self._device = torch.device(device)

    @classmethod
    def load(
        cls, folder: Path | str, name: str | None = None, device: str = "cpu"
    ) -> BuiltinVocoder:
        """Read config.yaml and model.safetensors; InputError if they don't fit together."""
        folder = Path(folder)
        config, tensors, sha256 = load_checkpoint(folder)
        settings = config.get("vocoder")
        if not isinstance(settings, dict):
            raise InputError(f"{folder}/config.yaml has no vocoder: it is not a vocoder's folder.")
        try:
            model = SpectralVocoder(**settings)
            model.load_state_dict({key: value.float() for key, value in tensors.items()})
        except (TypeError, RuntimeError) as error:
            first = str(error).splitlines()[0]
            raise InputError(f"The weights in {folder} are not this vocoder's: {first}") from None
        return cls(model, name or folder.name, sha256, device)

    @property
    def receptive_frames(self) -> int:
        return self.model.receptive_frames

    @torch.inference_mode()
    def __call__(
        self,
        mel: Tensor,
        first_frame: int = 0,
        seed: int = 0,
        finished: Sequence[Span] | None = None,
    ) -> Tensor:
        mel = check_mel(mel.detach())
        noise = torch.from_numpy(placed_normal(seed, first_frame, len(mel), HOP)).float()
        mel, noise = mel.to(self._device), noise.flatten().to(self._device)
        return self.model(mel[None], noise[None], finished)[0].cpu().clone()
