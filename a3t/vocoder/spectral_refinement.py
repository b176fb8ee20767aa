"""The last touch on a vocoder's sound: a small network that sees its spectrogram bin by bin.

A spectrum of 601 bins that is a linear map of 256 features has no local structure of its own, and
steps towards consistency smooth what there was. So at the end convolutions over frames and bins see
the whole sound, and drawn noise beside it, and say by how much each bin grows, how it turns, and
how much noise is added. They are trained against discriminators (`training.vocoder`), as a
generator of images that refines a draft is (Shrivastava et al. 2017, "Learning from simulated and
unsupervised images through adversarial training").
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from a3t.audio.analysis.mel import WINDOW
from a3t.model.threads import on_threads
from a3t.vocoder.stft import BINS, REACH, modulus, spectrum, unit, waveform
from a3t.vocoder.texture import AROUND, MEAN, local_contrast

SHOWN = 10  # channels that the network is shown of the sound, beside those of the features
HINTS, BAND = 4, 20  # channels of the vocoder's features, for each band of so many bins
LAYERS = ((1, 1), (2, 1), (1, 2), (2, 4), (1, 1))  # dilations of frames, of bins
KERNEL = (3, 5)  # frames, bins
COARSE, COARSE_LAYERS = 8, 2  # bins that the coarse path takes together, and its layers
BRANCH = 1  # the layer after which the coarse path is added
SLOPE = 0.1
CENTRE, SPREAD = -4.5, 3.0  # bring log magnitudes to even strength
GAIN = 2.0  # natural log, at most
THREADS = 2  # of the convolutions, which sum alike on any number of them; the rest has one

REFINED_FRAMES = (
    KERNEL[0] // 2 * (1 + sum(frames for frames, _ in LAYERS) + COARSE_LAYERS)
    + AROUND[0] // 2
    + 2 * REACH
)
"""Frames on either side that a refined frame's samples depend on."""


class Refinement(nn.Module):
    """Samples (B, 300 T) of a draft -> the same, refined. Unchanged before it is trained.

    ``features`` (B, T, width) are the vocoder's, ``periodicity`` (B, T, 601) its own, ``noise``
    (B, 300 T) white, of power one.
    """

    window: Tensor

    def __init__(self, width: int, channels: int) -> None:
        super().__init__()
        self.hints = nn.Linear(width, HINTS * -(-BINS // BAND))
        self.enter = nn.Conv2d(SHOWN + HINTS, channels, KERNEL, padding=(1, 2))
        self.layers = nn.ModuleList(
            nn.Conv2d(channels, channels, KERNEL, padding=(apart, 2 * wide), dilation=(apart, wide))
            for apart, wide in LAYERS
        )
        self.coarse = nn.ModuleList(
            nn.Conv2d(channels, channels, KERNEL, padding=(1, 2)) for _ in range(COARSE_LAYERS)
        )
        self.leave = nn.Conv2d(channels, 3, 1)
        self.register_buffer("window", torch.hann_window(WINDOW), persistent=False)
        for name, value in self.named_parameters():
            if name.endswith("bias") or name.startswith("leave"):
                nn.init.zeros_(value)
            elif value.dim() == 4:
                nn.init.kaiming_normal_(value, SLOPE)
        with torch.no_grad():
            for layer in (*self.layers, self.coarse[-1]):
                layer.weight *= 0.3  # each adds to what came before

    def forward(
        self, draft: Tensor, features: Tensor, periodicity: Tensor, noise: Tensor
    ) -> Tensor:
        with torch.autocast(draft.device.type, enabled=False):
            spectra = spectrum(draft, self.window)
            # Mirrored, the noise is another one: the draft's own texture was drawn from it.
            drawn = spectrum(noise, self.window).flip(-1) / MEAN
            shown = _shown(spectra, drawn, periodicity)
        hints = self.hints(features).unflatten(-1, (HINTS, -1)).transpose(1, 2)
        hints = hints.repeat_interleave(BAND, dim=-1)[..., :BINS]
        x = torch.cat([shown, hints.to(shown.dtype)], dim=1)
        # In training so many threads as that has.
        with on_threads(torch.get_num_threads() if self.training else THREADS):
            x = self._convolved(x.contiguous(memory_format=torch.channels_last))
        gain, turn, added = self.leave(x).float().unbind(1)
        with torch.autocast(draft.device.type, enabled=False):
            size = modulus(spectra)
            whole = torch.complex(torch.ones_like(turn), turn) * unit(spectra) + added * drawn
            refined = size * (GAIN * torch.tanh(gain / GAIN)).exp() * whole
            return waveform(refined, self.window)

    def _convolved(self, x: Tensor) -> Tensor:
        """(B, C, T, 601), ready for the last layer."""
        x = self.enter(x)
        for number, layer in enumerate(self.layers):
            x = x + layer(functional.leaky_relu(x, SLOPE))
            if number == BRANCH:
                x = x + self._wide(x)
        return functional.leaky_relu(x, SLOPE)

    def _wide(self, x: Tensor) -> Tensor:
        """The coarse path's share of (B, C, T, 601)."""
        y = functional.avg_pool2d(x, (1, COARSE), ceil_mode=True)
        for layer in self.coarse:
            y = layer(functional.leaky_relu(y, SLOPE))
        y = y.repeat_interleave(COARSE, dim=-1)[..., :BINS]
        return y.contiguous(memory_format=torch.channels_last)


def _shown(spectra: Tensor, drawn: Tensor, periodicity: Tensor) -> Tensor:
    """(B, SHOWN, T, 601): the texture of the log magnitudes and its square, the log magnitudes, the
    turns from frame to frame and from bin to bin, the noise, periodicity, and the bins' heights."""
    logs = (modulus(spectra) + 1e-4).log()
    texture = local_contrast(logs)
    direction = unit(spectra)
    bins = torch.arange(BINS, device=logs.device)
    # A steady sine of a bin's own frequency turns by this much in a hop: by quarters of a circle.
    quarters = torch.tensor([1, -1j, -1, 1j], dtype=spectra.dtype, device=logs.device)
    along = functional.pad(
        direction[:, 1:] * direction[:, :-1].conj() * quarters[bins % 4], (0, 0, 1, 0)
    )
    across = functional.pad(direction[..., 1:] * direction[..., :-1].conj() * -1, (1, 0))
    height = torch.linspace(-1.0, 1.0, BINS, device=logs.device).expand_as(logs)
    shown = [
        texture,
        texture.square() - 0.3,
        (logs - CENTRE) / SPREAD,
        along.real,
        along.imag,
        across.real,
        drawn.real,
        drawn.imag,
        periodicity,
        height,
    ]
    return torch.stack(shown, dim=1)
