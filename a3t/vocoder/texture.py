"""The fine structure of a spectrum: harmonics where there is a voice, and drawn noise elsewhere.

A spectrum of 601 bins that is a linear map of 256 features can't have sharp harmonics for every
pitch: each pitch needs a comb of its own. So the combs are computed, one for each of many pitches;
the network says how likely each pitch is, and for each bin how far the comb stands out there.
Neural source-filter models (Wang, Takaki and Yamagishi 2019) do the same in the waveform.

The spectrum of noisy speech scatters, but a network predicts its mean. So where no harmonic stands
out, its magnitudes shape white noise instead: harmonics plus noise (Stylianou 2001, "Applying the
harmonic plus noise model in concatenative speech synthesis"). The noise is a sound: neighbouring
frames agree in it as they do in speech. It comes in pulses, as breath does where the vocal folds
open and close, and in bursts: a window is longer than several of either.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from a3t.audio.analysis.mel import WINDOW_SAMPLES
from a3t.grid import HOP, SAMPLE_RATE
from a3t.vocoder.stft import BINS

# The mean magnitude of white noise of power one in a Hann window: the window's energy is 3/8 of its
# length, and magnitudes are Rayleigh's.
MEAN = math.sqrt(3 / 8 * WINDOW_SAMPLES * math.pi / 4)

# Where the network's phases are good enough to show when the vocal folds close.
PULSED_BAND = (300.0, 4000.0)  # Hz
QUICK, SLOW = 24, 1200  # samples averaged: 1 ms lies within a period of the voice, 50 ms holds some
BLOCK = 60  # samples, a divisor of the hop
SILENCE = 1e-10  # power below which nothing pulses
WEAKEST = 0.01  # of the power between two pulses
AROUND = (5, 9)  # frames, bins whose mean is taken from a logarithm: what remains is texture
PULSE_REACH = SLOW // HOP + 2  # frames on either side that both averages hear


def pulse_band() -> Tensor:
    """1 for the bins (601,) of `PULSED_BAND`, 0 for the others."""
    hertz = torch.linspace(0, SAMPLE_RATE / 2, BINS)
    return ((hertz >= PULSED_BAND[0]) & (hertz < PULSED_BAND[1])).float()


def pulsed(noise: Tensor, draft: Tensor, strength: float) -> Tensor:
    """``noise`` (B, 300 T) with the envelope of a ``draft`` (B, 300 T) of the sound, raised to
    ``strength``; its power over 50 ms stays what it was."""
    power = draft.square() + SILENCE
    envelope = (_averaged(power, QUICK) / _slowly_averaged(power)).clamp(min=WEAKEST)
    envelope = envelope ** (strength / 2)
    return noise * envelope / _slowly_averaged(envelope.square()).sqrt()


def _averaged(values: Tensor, count: int) -> Tensor:
    """(B, n), each averaged with its neighbours under a Hann window of ``count`` samples."""
    window = torch.hann_window(count + 1, periodic=False, device=values.device)
    padded = functional.pad(values, (count // 2, count // 2))
    return functional.conv1d(padded[:, None], window[None, None] / window.sum())[:, 0]


def _slowly_averaged(values: Tensor) -> Tensor:
    """`_averaged` over SLOW samples, for every BLOCK-th of them; linear in between."""
    blocks = functional.avg_pool1d(values[:, None], BLOCK)[:, 0]
    smooth = _averaged(blocks, SLOW // BLOCK)
    return functional.interpolate(smooth[:, None], scale_factor=float(BLOCK), mode="linear")[:, 0]


def local_contrast(logs: Tensor) -> Tensor:
    """Log magnitudes or powers (B, T, bins) minus their mean over the `AROUND` of each."""
    around = [size // 2 for size in AROUND]
    smooth = functional.avg_pool2d(logs[:, None], AROUND, 1, around, count_include_pad=False)
    return logs - smooth[:, 0]


def aperiodicity(periodicity: Tensor, limits: tuple[float, float]) -> Tensor:
    """The share of noise in each bin's power (B, T, 601): none below the first limit, Hz, and above
    the second what ``periodicity`` (B, T, 601), how far harmonics stand out, leaves."""
    hertz = torch.linspace(0, SAMPLE_RATE / 2, BINS, device=periodicity.device)
    rise = ((hertz - limits[0]) / (limits[1] - limits[0])).clamp(0, 1)
    return (1 - periodicity) * rise


def textured(phase: Tensor, aperiodic: Tensor, drawn: Tensor) -> Tensor:
    """Factors (B, T, 601) of mean magnitude about one, for a network's magnitudes: its ``phase``,
    of modulus one, and the spectrum ``drawn`` of white noise of power one; all three complex, or of
    twice the width, real parts first."""
    repeats = phase.shape[-1] // BINS
    share = aperiodic.repeat(1, 1, repeats)
    # Of 0 a root has no gradient.
    steady, noise = (part.clamp(min=1e-8).sqrt() * (part > 0) for part in (1 - share, share))
    return steady * phase + noise * (drawn / MEAN)


LOWEST, HIGHEST = 60.0, 500.0  # Hz, of the classes of pitch
VALLEY = 0.1  # of a harmonic's magnitude, between two of them: no voice is perfectly steady


def class_pitches(classes: int) -> Tensor:
    """The pitch of each class in Hz, (classes,), evenly spaced by their logarithms."""
    return torch.exp(torch.linspace(math.log(LOWEST), math.log(HIGHEST), classes))


def class_of(log_pitch: Tensor, classes: int) -> Tensor:
    """The class, int64, nearest to each log2 of a pitch in Hz; ``classes`` where that is 0: no
    voice."""
    low, high = math.log2(LOWEST), math.log2(HIGHEST)
    nearest = ((log_pitch - low) / (high - low) * (classes - 1)).round().clamp(0, classes - 1)
    return torch.where(log_pitch > 0, nearest, classes).long()


NEAR = 3  # classes on either side of the likeliest that its mean takes in


def likely_pitch(scores: Tensor) -> Tensor:
    """Return the pitch (B, T) in Hz of scores (B, T, classes + 1), 0 where no voice is likelier."""
    classes = scores.shape[-1] - 1
    likely = scores.float().softmax(-1)
    best = likely[..., :classes].argmax(-1, keepdim=True)
    around = best + torch.arange(-NEAR, NEAR + 1, device=scores.device)
    inside = (around >= 0) & (around < classes)
    around = around.clamp(0, classes - 1)
    weights = likely.gather(-1, around) * inside
    logs = class_pitches(classes).to(scores.device).log()[around]
    hertz = ((weights * logs).sum(-1) / weights.sum(-1).clamp(min=1e-12)).exp()
    voiced = likely[..., :classes].sum(-1) > likely[..., classes]
    return torch.where(voiced, hertz, 0.0)


def combs(classes: int) -> Tensor:
    """Log magnitude (classes, 601) of steady harmonics in a Hann window, each of mean zero."""
    bins = torch.arange(BINS, dtype=torch.float64)
    rows = []
    for pitch in class_pitches(classes).double() * WINDOW_SAMPLES / SAMPLE_RATE:  # in bins
        # Harmonics beyond the last bin still reach it.
        harmonics = pitch * torch.arange(1, int(BINS / pitch) + 3)
        power = hann_response(bins[:, None] - harmonics).square().sum(1)
        rows.append((power + VALLEY**2).log() / 2)
    table = torch.stack(rows)
    return (table - table.mean(1, keepdim=True)).float()


def hann_response(offset: Tensor) -> Tensor:
    """A Hann window's response ``offset`` bins away from a sine, relative to that at the sine."""
    # At one bin the quotient is 0 / 0, and its limit a half.
    distance = torch.where(offset.abs() == 1, offset + 1e-6, offset)
    return torch.sinc(distance) / (1 - distance.square())


class Harmonics(nn.Module):
    """Features (B, T, width) -> a comb to add to log magnitudes (B, T, 601), scores of pitches, and
    how far harmonics stand out (B, T, 601), 0 to 1.

    The scores (B, T, classes + 1) are logits; the last is that of no voice, whose comb is flat. A
    network trained without this is unchanged at first: the comb's strength begins at zero.
    """

    shapes: Tensor

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.classes = classes
        self.pitch = nn.Linear(width, classes + 1)
        self.strength = nn.Linear(width, BINS)
        self.register_buffer("shapes", combs(classes), persistent=False)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        scores = self.pitch(features)
        likely = scores.softmax(-1)[..., : self.classes]
        strength = self.strength(features)
        periodicity = (strength * likely.sum(-1, keepdim=True)).clamp(0, 1)
        return strength * (likely @ self.shapes), scores, periodicity

    def begin_silent(self) -> None:
        """Let the combs have no strength yet."""
        nn.init.zeros_(self.strength.weight)
        nn.init.zeros_(self.strength.bias)
