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

from a3t.audio.analysis.mel import MEL_WINDOW_SAMPLES
from a3t.grid import HOP, SAMPLE_RATE
from a3t.vocoder.stft import BINS

# The mean magnitude of white noise of power one in a Hann window: the window's energy is 3/8 of its
# length, and magnitudes are Rayleigh's.
MEAN_MAGNITUDE = math.sqrt(3 / 8 * MEL_WINDOW_SAMPLES * math.pi / 4)

# Where the network's phases are good enough to show when the vocal folds close.
PULSED_BAND_HZ = (300.0, 4000.0)  # Hz
# Samples averaged: 1 ms lies within a period of the voice, 50 ms holds some.
QUICK_SAMPLES, SLOW_SAMPLES = 24, 1200
AVERAGED_SAMPLES = 60  # samples, a divisor of the hop
MIN_PULSING_POWER = 1e-10  # power below which nothing pulses
MIN_ENVELOPE = 0.01  # of the power between two pulses
CONTRAST_SIZE = (5, 9)  # frames, bins whose mean is taken from a logarithm: what remains is texture
PULSE_REACH_FRAMES = SLOW_SAMPLES // HOP + 2  # frames on either side that both averages hear
LOWEST_CLASS_HZ, HIGHEST_CLASS_HZ = 60.0, 500.0  # Hz, of the classes of pitch
VALLEY = 0.1  # of a harmonic's magnitude, between two of them: no voice is perfectly steady
NEAR_CLASSES = 3  # classes on either side of the likeliest that its mean takes in


def pulse_band() -> Tensor:
    """Return 1 for the bins (601,) of `PULSED_BAND_HZ`, 0 for the others."""
    hertz = torch.linspace(0, SAMPLE_RATE / 2, BINS)
    return ((hertz >= PULSED_BAND_HZ[0]) & (hertz < PULSED_BAND_HZ[1])).float()


def pulsed(noise: Tensor, draft: Tensor, strength: float) -> Tensor:
    """Give ``noise`` (B, 300 T) the envelope of a ``draft`` (B, 300 T), raised to ``strength``.

    Its power over 50 ms stays what it was.
    """
    power = draft.square() + MIN_PULSING_POWER
    envelope = (_averaged(power, QUICK_SAMPLES) / _slowly_averaged(power)).clamp(min=MIN_ENVELOPE)
    envelope = envelope ** (strength / 2)
    return noise * envelope / _slowly_averaged(envelope.square()).sqrt()


def _averaged(values: Tensor, count: int) -> Tensor:
    """Average each of (B, n) with its neighbours under a Hann window of ``count`` samples."""
    window = torch.hann_window(count + 1, periodic=False, device=values.device)
    padded = functional.pad(values, (count // 2, count // 2))
    return functional.conv1d(padded[:, None], window[None, None] / window.sum())[:, 0]


def _slowly_averaged(values: Tensor) -> Tensor:
    """Average over SLOW_SAMPLES, for every AVERAGED_SAMPLES-th of them; linear in between."""
    blocks = functional.avg_pool1d(values[:, None], AVERAGED_SAMPLES)[:, 0]
    smooth = _averaged(blocks, SLOW_SAMPLES // AVERAGED_SAMPLES)
    return functional.interpolate(
        smooth[:, None], scale_factor=float(AVERAGED_SAMPLES), mode="linear"
    )[:, 0]


def local_contrast(logs: Tensor) -> Tensor:
    """Log magnitudes or powers (B, T, bins) minus their mean over the `CONTRAST_SIZE` of each."""
    around = [size // 2 for size in CONTRAST_SIZE]
    smooth = functional.avg_pool2d(logs[:, None], CONTRAST_SIZE, 1, around, count_include_pad=False)
    return logs - smooth[:, 0]


def aperiodicity(periodicity: Tensor, limits: tuple[float, float]) -> Tensor:
    """Return the share of noise in each bin's power (B, T, 601).

    It is none below the first limit, Hz, and above the second what ``periodicity`` (B, T, 601), how
    far harmonics stand out, leaves.
    """
    hertz = torch.linspace(0, SAMPLE_RATE / 2, BINS, device=periodicity.device)
    rise = ((hertz - limits[0]) / (limits[1] - limits[0])).clamp(0, 1)
    return (1 - periodicity) * rise


def textured(phase: Tensor, aperiodic: Tensor, drawn: Tensor) -> Tensor:
    """Return factors (B, T, 601) of mean magnitude about one, for a network's magnitudes.

    phase: its phase, of modulus one. drawn: the spectrum of white noise of power one. All three are
    complex, or of twice the width, real parts first.
    """
    repeats = phase.shape[-1] // BINS
    share = aperiodic.repeat(1, 1, repeats)
    # Of 0 a root has no gradient.
    steady, noise = (part.clamp(min=1e-8).sqrt() * (part > 0) for part in (1 - share, share))
    return steady * phase + noise * (drawn / MEAN_MAGNITUDE)


def class_pitches(classes: int) -> Tensor:
    """Return the pitch of each class in Hz, (classes,), evenly spaced by their logarithms."""
    return torch.exp(torch.linspace(math.log(LOWEST_CLASS_HZ), math.log(HIGHEST_CLASS_HZ), classes))


def class_of(log_pitch: Tensor, classes: int) -> Tensor:
    """Return the class, int64, nearest to each log2 of a pitch in Hz.

    It is ``classes`` where that is 0: no voice.
    """
    low, high = math.log2(LOWEST_CLASS_HZ), math.log2(HIGHEST_CLASS_HZ)
    nearest = ((log_pitch - low) / (high - low) * (classes - 1)).round().clamp(0, classes - 1)
    return torch.where(log_pitch > 0, nearest, classes).long()


def likely_pitch(scores: Tensor) -> Tensor:
    """Return the pitch (B, T) in Hz of scores (B, T, classes + 1), 0 where no voice is likelier."""
    classes = scores.shape[-1] - 1
    likely = scores.float().softmax(-1)
    best = likely[..., :classes].argmax(-1, keepdim=True)
    around = best + torch.arange(-NEAR_CLASSES, NEAR_CLASSES + 1, device=scores.device)
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
    for pitch in class_pitches(classes).double() * MEL_WINDOW_SAMPLES / SAMPLE_RATE:  # in bins
        # Harmonics beyond the last bin still reach it.
        harmonics = pitch * torch.arange(1, int(BINS / pitch) + 3)
        power = hann_response(bins[:, None] - harmonics).square().sum(1)
        rows.append((power + VALLEY**2).log() / 2)
    table = torch.stack(rows)
    return (table - table.mean(1, keepdim=True)).float()


def hann_response(offset: Tensor) -> Tensor:
    """Return a Hann window's response ``offset`` bins from a sine, relative to that at the sine."""
    # At one bin the quotient is 0 / 0, and its limit a half.
    distance = torch.where(offset.abs() == 1, offset + 1e-6, offset)
    return torch.sinc(distance) / (1 - distance.square())


class Harmonics(nn.Module):
    """A network from features (B, T, width) to combs, pitch scores and periodicity.

    The combs are to add to log magnitudes (B, T, 601); periodicity (B, T, 601), 0 to 1, is how far
    harmonics stand out. The scores (B, T, classes + 1) are logits; the last is that of no voice,
    whose comb is flat. A network trained without this is unchanged at first: the comb's strength
    begins at zero.
    """

    shapes: Tensor

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.classes = classes
        self.pitch = nn.Linear(width, classes + 1)
        self.strength = nn.Linear(width, BINS)
        self.register_buffer("shapes", combs(classes), persistent=False)

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the comb, the scores and the periodicity of features (B, T, width)."""
        scores = self.pitch(features)
        likely = scores.softmax(-1)[..., : self.classes]
        strength = self.strength(features)
        periodicity = (strength * likely.sum(-1, keepdim=True)).clamp(0, 1)
        return strength * (likely @ self.shapes), scores, periodicity

    def begin_silent(self) -> None:
        """Let the combs have no strength yet."""
        nn.init.zeros_(self.strength.weight)
        nn.init.zeros_(self.strength.bias)
