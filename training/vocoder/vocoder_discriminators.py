"""Discriminators of recorded and synthetic sound, by the texture of spectra at several resolutions.

A loss that compares one sound with another rewards the mean of all that there could have been,
which has no texture. Discriminators compare with every recording (Goodfellow et al. 2014), in
windows of several lengths, so that they see harmonics as well as clicks (Jang et al. 2021,
UnivNet). One patch of a spectrum says little of its texture, so their verdict is on a window's
whole time, by the means and deviations of what convolutions find, as in speaker encoders (Snyder et
al. 2018); docs/log.md has how much sooner they learn. Least squares (Mao et al. 2017) with matched
features (Larsen et al. 2016): means and deviations too, since noise need not be the recording's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from a3t.vocoder.texture import local_contrast
from training.vocoder.vocoder_losses import known_bins

VOCODER, DISCRIMINATORS = "vocoder", "discriminators"  # parts of what is trained, by their names
SIZES = (512, 1024, 2048)  # samples of a window; the hop is a quarter
PERIODS = (2, 3, 5, 7, 11)  # samples
PERIOD_WIDTHS = (1, 2, 4, 4)  # of its layers, in channels of the first
TILT = 0.05  # of the strength at 12 kHz that 0 Hz has
KERNEL = (3, 9)  # frames, bins
STRIDES, DILATIONS = (2, 2, 2), (1, 2, 4)  # of bins, of frames
SLOPE = 0.1
MEAN, SPREAD = -9.0, 3.0  # bring log powers to even strength
HIDDEN, BAND = 32, 4  # channels of the verdict; bins of the last layer in one of its bands


@dataclass(frozen=True)
class DiscriminatorConfig:
    """The ``discriminators:`` part of a vocoder's configuration.

    Args:
        channels: of each layer; with 0 there are no discriminators.
        period_channels: of the first layer of those by periods; with 0 there are none of these.
        adversarial: weight of the vocoder's adversarial loss.
        matching: weight of its feature-matching loss.
        alone: steps in which the discriminators learn and the vocoder waits.
        warmup: steps after that, over which both weights rise from zero.
        rate: of the discriminators, relative to the vocoder's.
    """

    channels: int = 0
    period_channels: int = 0
    adversarial: float = 1.0
    matching: float = 2.0
    alone: int = 0
    warmup: int = 300
    rate: float = 1.0


class SpectrumDiscriminator(nn.Module):
    """A judge of samples (B, n) with their ``top`` (B,) Hz by their spectra.

    It gives the layers (B, C, T, bins), and last the verdict per band (B, 1, bands), ideally 1
    where recorded and 0 where synthetic.
    """

    def __init__(self, size: int, channels: int) -> None:
        super().__init__()
        self.size = size
        inputs = (4, *[channels] * len(STRIDES))
        self.layers = nn.ModuleList(
            nn.Conv2d(before, channels, KERNEL, (1, stride), (1, 4))
            for before, stride in zip(inputs, STRIDES, strict=False)
        )
        self.layers.append(nn.Conv2d(channels, channels, 3, padding=1))
        self.hidden = nn.Conv1d(2 * channels, HIDDEN, 3, padding=1)
        self.verdict = nn.Conv1d(HIDDEN, 1, 3, padding=1)
        # Of even strength, so that they learn at once.
        for layer in (*self.layers, self.hidden, self.verdict):
            nn.init.kaiming_normal_(layer.weight, SLOPE)
            nn.init.zeros_(layer.bias)

    def forward(self, samples: Tensor, top: Tensor) -> list[Tensor]:
        """Return the layers and the verdict."""
        x = self._shown(samples, top).contiguous(memory_format=torch.channels_last)
        layers = []
        for layer, dilation in zip(self.layers, (*DILATIONS, 1), strict=True):
            x = functional.leaky_relu(dilated(layer, x, dilation), SLOPE)
            layers.append(x)
        found = functional.avg_pool1d(torch.cat(over_time(x), dim=1), BAND, ceil_mode=True)
        return [*layers, self.verdict(functional.leaky_relu(self.hidden(found), SLOPE))]

    def _shown(self, samples: Tensor, top: Tensor) -> Tensor:
        """Return what a judge is shown, (B, 4, T, bins).

        It is the texture of the log power and its square, the log power, and the bins' heights; all
        zero above the recording's highest frequency.
        """
        size, window = self.size, torch.hann_window(self.size, device=samples.device)
        spectra = torch.stft(samples, size, size // 4, size, window, return_complex=True)
        spectra = spectra.transpose(1, 2) / (3 / 8 * size) ** 0.5  # noise is alike in all sizes
        power = spectra.real.square() + spectra.imag.square() + 1e-8
        height = torch.linspace(-1.0, 1.0, power.shape[2], device=samples.device)
        logs = (power.log() - MEAN) / SPREAD
        known = known_bins(top, power.shape[2])[:, None]
        texture = 2 * local_contrast(logs)
        shown = [texture, texture.square() - 1, logs, height.expand_as(power)]
        return torch.stack(shown, dim=1) * known


def over_time(layer: Tensor) -> tuple[Tensor, Tensor]:
    """Return the means and deviations (B, C, bins) of a layer (B, C, T, bins) over its frames."""
    x = layer.float()
    return x.mean(2), (x.var(2) + 1e-4).sqrt()


def dilated(layer: nn.Module, x: Tensor, dilation: int) -> Tensor:
    """Apply a layer that sees three frames to (B, C, T, bins), ``dilation`` apart.

    Every ``dilation``-th frame becomes a sequence of its own: on a CPU that and channels that lie
    together in memory are four times as fast as the library's dilated convolution.
    """
    count, channels, frames, bins = x.shape
    each = -(-frames // dilation)
    x = functional.pad(x, (0, 0, 0, each * dilation - frames))
    apart = x.view(count, channels, each, dilation, bins).transpose(2, 3).transpose(1, 2)
    apart = apart.reshape(count * dilation, channels, each, bins)
    y = layer(apart.contiguous(memory_format=torch.channels_last))
    y = y.view(count, dilation, *y.shape[1:]).permute(0, 2, 3, 1, 4)
    return y.reshape(count, y.shape[1], each * dilation, -1)[:, :, :frames]


class PeriodDiscriminator(nn.Module):
    """A judge of samples (B, n) with their ``top`` (B,) Hz by their pulses.

    It gives the layers (B, C, T, period), and last the verdict (B, 1, period), ideally 1 where
    recorded and 0 where synthetic.

    Each sees every so many samples alone, as in HiFi-GAN (Kong et al. 2020), and so the pulses of
    a voice, which spectra in long windows don't show.
    """

    def __init__(self, period: int, channels: int) -> None:
        super().__init__()
        self.period = period
        widths = (1, *(channels * factor for factor in PERIOD_WIDTHS))
        self.layers = nn.ModuleList(
            nn.Conv1d(before, after, 5, 3, 2)
            for before, after in zip(widths, widths[1:], strict=False)
        )
        self.hidden = nn.Conv1d(2 * widths[-1], HIDDEN, 1)
        self.verdict = nn.Conv1d(HIDDEN, 1, 1)
        for layer in (*self.layers, self.hidden, self.verdict):
            nn.init.kaiming_normal_(layer.weight, SLOPE)
            nn.init.zeros_(layer.bias)

    def forward(self, samples: Tensor, top: Tensor) -> list[Tensor]:
        """Return the layers and the verdict."""
        count = len(samples)
        x = evened(samples, top)
        x = functional.pad(x, (0, -x.shape[1] % self.period))
        x = x.view(count, -1, self.period).transpose(1, 2).flatten(0, 1)[:, None]
        layers = []
        for layer in self.layers:
            x = functional.leaky_relu(layer(x), SLOPE)
            layers.append(x.view(count, self.period, *x.shape[1:]).permute(0, 2, 3, 1))
        found = torch.cat(over_time(layers[-1]), dim=1)
        return [*layers, self.verdict(functional.leaky_relu(self.hidden(found), SLOPE))]


def evened(samples: Tensor, top: Tensor) -> Tensor:
    """Return samples (B, n) below their ``top`` (B,) Hz, each window of power 1.

    Their spectrum is tilted so that what is high is heard beside what is low.
    """
    with torch.autocast(samples.device.type, enabled=False):
        spectra = torch.fft.rfft(samples.float())
        tilt = torch.linspace(TILT, 1.0, spectra.shape[-1], device=samples.device)
        spectra = spectra * tilt * known_bins(top, spectra.shape[-1])[:, 0]
        x = torch.fft.irfft(spectra, samples.shape[-1])
        return x / (x.square().mean(1, keepdim=True) + 1e-8).sqrt()


class Discriminators(nn.Module):
    """One discriminator for each of ``SIZES``, and with channels for them each of ``PERIODS``."""

    def __init__(self, channels: int, period_channels: int = 0) -> None:
        super().__init__()
        self.each = nn.ModuleList(SpectrumDiscriminator(size, channels) for size in SIZES)
        if period_channels:
            self.each.extend(PeriodDiscriminator(each, period_channels) for each in PERIODS)

    def forward(self, samples: Tensor, top: Tensor) -> list[list[Tensor]]:
        """Return the layers of each."""
        return [own(samples, top) for own in self.each]


def recognition_loss(recorded: list[list[Tensor]], synthetic: list[list[Tensor]]) -> Tensor:
    """Return the squared error of the verdicts, the discriminators' last layers, on both."""
    own = [
        (real[-1].float() - 1).square().mean() + fake[-1].float().square().mean()
        for real, fake in zip(recorded, synthetic, strict=True)
    ]
    return torch.stack(own).mean()


def discriminator_losses(
    discriminators: Discriminators, made: Tensor, true: Tensor, top: Tensor
) -> dict[str, Tensor]:
    """Return the losses of both sides of samples (B, n), for one backward pass and one optimiser.

    "discriminator" has no gradient in ``made``; "adversarial" and "matching", which are the
    vocoder's, have none in the discriminators.
    """
    recorded = discriminators(true, top)
    synthetic = discriminators(made.detach(), top)
    fixed = {name: value.detach() for name, value in discriminators.named_parameters()}
    seen = torch.func.functional_call(discriminators, fixed, (made, top))
    fooled = [(layers[-1].float() - 1).square().mean() for layers in seen]
    matched = [
        (a - b).abs().mean() / b.abs().mean().clamp(min=1e-3)
        for heard, real in zip(seen, recorded, strict=True)
        for mine, its in zip(heard[:-1], real[:-1], strict=True)
        for a, b in zip(over_time(mine), over_time(its.detach()), strict=True)
    ]
    return {
        "discriminator": recognition_loss(recorded, synthetic),
        "adversarial": torch.stack(fooled).mean(),
        "matching": torch.stack(matched).mean(),
    }


def vocoder_weights(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the vocoder's weights, out of those that were trained."""
    parts = {name.partition(".")[0] for name in weights}
    own = f"{VOCODER}." if VOCODER in parts else ""
    return {
        name.removeprefix(own): value for name, value in weights.items() if name.startswith(own)
    }
