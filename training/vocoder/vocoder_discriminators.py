"""Discriminators of recorded and synthetic sound, by complex spectra at several resolutions.

A loss that compares one sound with another rewards the mean of all that there could have been,
which has no texture. Discriminators compare with every recording (Goodfellow et al. 2014); complex
spectra show them phase as well (Kumar et al. 2023, Descript's codec), and windows of several
lengths harmonics as well as clicks (Jang et al. 2021, UnivNet). Least squares (Mao et al. 2017)
with matched features (Larsen et al. 2016).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.vocoder.vocoder_losses import known_bins

VOCODER, DISCRIMINATORS = "vocoder", "discriminators"  # parts of what is trained, by their names
SIZES = (512, 1024, 2048)  # samples of a window; the hop is a quarter
KERNEL = (3, 9)  # frames, bins
STRIDES, DILATIONS = (2, 2, 2), (1, 2, 4)  # of bins, of frames
SLOPE = 0.1
COMPRESSION = 0.3  # exponent of the magnitudes
EVEN, MEAN, SPREAD = 3.0, -9.0, 3.0  # bring compressed spectra, and log powers, to even strength


@dataclass(frozen=True)
class DiscriminatorConfig:
    """The ``discriminators:`` part of a vocoder's configuration.

    Args:
        channels: of each layer; with 0 there are no discriminators.
        adversarial: weight of the vocoder's adversarial loss.
        matching: weight of its feature-matching loss.
        warmup: steps over which both weights rise from zero, while the discriminators learn.
    """

    channels: int = 0
    adversarial: float = 1.0
    matching: float = 2.0
    warmup: int = 300


class SpectrumDiscriminator(nn.Module):
    """Samples (B, n) and their ``top`` (B,) Hz -> the layers (B, C, T, bins), the last of which is
    the verdict per patch, ideally 1 where recorded and 0 where synthetic."""

    def __init__(self, size: int, channels: int) -> None:
        super().__init__()
        self.size = size
        inputs = (4, *[channels] * len(STRIDES))
        self.layers = nn.ModuleList(
            nn.Conv2d(before, channels, KERNEL, (1, stride), (dilation, 4), (dilation, 1))
            for before, stride, dilation in zip(inputs, STRIDES, DILATIONS, strict=False)
        )
        self.layers.append(nn.Conv2d(channels, channels, 3, padding=1))
        self.verdict = nn.Conv2d(channels, 1, 3, padding=1)
        for layer in (*self.layers, self.verdict):  # of even strength, so that they learn at once
            nn.init.kaiming_normal_(layer.weight, SLOPE)
            nn.init.zeros_(layer.bias)

    def forward(self, samples: Tensor, top: Tensor) -> list[Tensor]:
        x = self._shown(samples, top)
        layers = []
        for layer in self.layers:
            x = functional.leaky_relu(layer(x), SLOPE)
            layers.append(x)
        return [*layers, self.verdict(x)]

    def _shown(self, samples: Tensor, top: Tensor) -> Tensor:
        """(B, 4, T, bins): the compressed spectrum, its log magnitude, and the bins' heights; all
        zero above the recording's highest frequency."""
        size, window = self.size, torch.hann_window(self.size, device=samples.device)
        spectra = torch.stft(samples, size, size // 4, size, window, return_complex=True)
        spectra = spectra.transpose(1, 2) / (3 / 8 * size) ** 0.5  # noise is alike in all sizes
        power = spectra.real.square() + spectra.imag.square() + 1e-8
        scale = EVEN * power ** ((COMPRESSION - 1) / 2)
        height = torch.linspace(-1.0, 1.0, power.shape[2], device=samples.device)
        logs = (power.log() - MEAN) / SPREAD
        known = known_bins(top, power.shape[2])[:, None]
        shown = [spectra.real * scale, spectra.imag * scale, logs, height.expand_as(power)]
        return torch.stack(shown, dim=1) * known


class Discriminators(nn.Module):
    """One discriminator for each of ``SIZES``."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.each = nn.ModuleList(SpectrumDiscriminator(size, channels) for size in SIZES)

    def forward(self, samples: Tensor, top: Tensor) -> list[list[Tensor]]:
        return [own(samples, top) for own in self.each]


def discriminator_losses(
    discriminators: Discriminators, made: Tensor, true: Tensor, top: Tensor
) -> dict[str, Tensor]:
    """The losses of both sides of samples (B, n), for one backward pass and one optimiser.

    "discriminator" has no gradient in ``made``; "adversarial" and "matching", which are the
    vocoder's, have none in the discriminators.
    """
    recorded = discriminators(true, top)
    synthetic = discriminators(made.detach(), top)
    fixed = {name: value.detach() for name, value in discriminators.named_parameters()}
    seen = torch.func.functional_call(discriminators, fixed, (made, top))
    own = [
        (real[-1].float() - 1).square().mean() + fake[-1].float().square().mean()
        for real, fake in zip(recorded, synthetic, strict=True)
    ]
    fooled = [(layers[-1].float() - 1).square().mean() for layers in seen]
    matched = [
        (a - b.detach()).abs().float().mean() / b.detach().abs().float().mean().clamp(min=1e-3)
        for heard, real in zip(seen, recorded, strict=True)
        for a, b in zip(heard[:-1], real[:-1], strict=True)
    ]
    return {
        "discriminator": torch.stack(own).mean(),
        "adversarial": torch.stack(fooled).mean(),
        "matching": torch.stack(matched).mean(),
    }


def vocoder_weights(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The vocoder's weights, out of those that were trained."""
    parts = {name.partition(".")[0] for name in weights}
    own = f"{VOCODER}." if VOCODER in parts else ""
    return {
        name.removeprefix(own): value for name, value in weights.items() if name.startswith(own)
    }
