"""The built-in vocoder: a convolutional network at the frame rate, then an inverse STFT.

The idea is Vocos' (Siuzdak 2023): nothing is computed at the sample rate but one inverse Fourier
transform, so it is one to two orders faster on a CPU than generators that upsample. The network
says magnitude and phase of each frame. Two old methods then do what a small network does badly:
multiplicative updates make the magnitudes agree with the mel, and a few Griffin-Lim steps from the
network's phase make neighbouring frames agree with one another. In these steps the magnitudes give
way as well, as far as the mel lets them: what the network blurred no sound could have. Where speech
is noise, the texture that the network's means lack is drawn first (`a3t.vocoder.texture`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from a3t.audio.analysis.mel import MELS, N_FFT, WINDOW, mel_filters
from a3t.grid import HOP
from a3t.spans import Span
from a3t.vocoder.spectral_refinement import REFINED_FRAMES, Refinement
from a3t.vocoder.stft import BINS, REACH, griffin_lim, modulus, spectrum, unit, waveform
from a3t.vocoder.texture import PULSE_REACH, Harmonics, aperiodicity, pulse_band, pulsed, textured

# What the network may say of a magnitude, natural log: a full-scale sine has log 300 = 5.7.
LOG_MAGNITUDES = (-12.0, 7.0)


class ConvNeXtBlock(nn.Module):
    """x + scale * W2 gelu(W1 norm(depthwise x)), all (B, T, C) -> (B, T, C)."""

    def __init__(self, width: int, hidden: int, kernel: int, scale: float) -> None:
        super().__init__()
        self.mix_time = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.widen = nn.Linear(width, hidden)
        self.narrow = nn.Linear(hidden, width)
        self.scale = nn.Parameter(torch.full((width,), scale))

    def forward(self, x: Tensor) -> Tensor:
        y = self.mix_time(x.transpose(1, 2)).transpose(1, 2)  # B, T, C
        y = self.narrow(nn.functional.gelu(self.widen(self.norm(y))))
        return x + self.scale * y


class Spectra(NamedTuple):
    """The network's output for a mel's frames.

    ``magnitude`` (B, T, 601); ``cosine`` and ``sine`` of the phase, alike; ``pitch``
    (B, T, classes + 1), the logits of the classes of pitch, or None without them; ``periodicity``
    (B, T, 601), how far harmonics stand out, from 0 to 1; ``features`` (B, T, width), from which
    all that came.
    """

    magnitude: Tensor
    cosine: Tensor
    sine: Tensor
    pitch: Tensor | None
    periodicity: Tensor
    features: Tensor

    @property
    def phase(self) -> Tensor:
        """Complex, of modulus one."""
        return torch.complex(self.cosine, self.sine)


class SpectralVocoder(nn.Module):
    """Log10 mel (B, T, 80) -> samples (B, 300 T) at 24 kHz; 3.8 M parameters by default.

    The arguments are the configuration: ``mel_updates`` multiplicative updates of the magnitudes,
    then ``iterations`` Griffin-Lim steps with ``momentum``, in which the magnitudes go by
    ``relaxation`` (0: not at all; 1: all the way) towards those of a real sound, and back to the
    mel. Between the two frequencies of ``texture``, Hz, the share of drawn noise rises from none to
    all that isn't periodic; the noise follows the pulses of the voice with the exponent ``pulses``
    (0: it is steady). None of these has parameters, so they can be changed for weights that
    are trained. With ``pitches``, harmonics are drawn by so many classes of pitch
    (``a3t.vocoder.texture``); with ``refined``, a network of so many channels goes over the result
    (``a3t.vocoder.spectral_refinement``).
    """

    mean: Tensor
    std: Tensor
    window: Tensor
    filters: Tensor
    pulse_band: Tensor

    def __init__(
        self,
        width: int = 256,
        hidden: int = 768,
        blocks: int = 8,
        kernel: int = 7,
        mel_updates: int = 4,
        iterations: int = 16,
        momentum: float = 0.9,
        relaxation: float = 0.85,
        pitches: int = 0,
        texture: Sequence[float] | None = None,
        pulses: float = 0.0,
        refined: int = 0,
    ) -> None:
        super().__init__()
        self.mel_updates = mel_updates
        self.iterations = iterations
        self.momentum = momentum
        self.relaxation = relaxation
        self.texture = (texture[0], texture[1]) if texture else None
        self.pulses = pulses
        self.kernel = kernel
        self.embed = nn.Conv1d(MELS, width, kernel, padding=kernel // 2)
        self.norm_in = nn.LayerNorm(width, eps=1e-6)
        self.blocks = nn.ModuleList(
            ConvNeXtBlock(width, hidden, kernel, 1.0 / blocks) for _ in range(blocks)
        )
        self.norm_out = nn.LayerNorm(width, eps=1e-6)
        self.head = nn.Linear(width, 3 * BINS)  # log magnitude, and a phase as a direction
        self.harmonics = Harmonics(width, pitches) if pitches else None
        self.refinement: Refinement | None = None
        self.register_buffer("mean", torch.zeros(MELS))
        self.register_buffer("std", torch.ones(MELS))
        self.register_buffer("window", torch.hann_window(WINDOW), persistent=False)
        self.register_buffer("filters", mel_filters_at_bins(), persistent=False)
        self.register_buffer("pulse_band", pulse_band(), persistent=False)
        self.apply(_initialise)
        # Speech is quiet: start near its mean level, not at magnitude one.
        nn.init.constant_(self.head.bias[:BINS], -3.0)
        if self.harmonics is not None:
            self.harmonics.begin_silent()
        if refined:
            self.refinement = Refinement(width, refined)

    @property
    def receptive_frames(self) -> int:
        """Frames on either side that a frame's samples depend on."""
        network = (1 + len(self.blocks)) * (self.kernel // 2)
        drawn = PULSE_REACH + REACH if self.texture and self.pulses else 0
        refined = REFINED_FRAMES if self.refinement is not None else 0
        return network + drawn + REACH + REACH * self.iterations + refined

    def spectra(self, mel: Tensor) -> Spectra:
        """Magnitude and phase of each frame of a mel (B, T, 80), before they are made to agree."""
        x = (mel - self.mean) / self.std  # B, T, 80
        x = self.norm_in(self.embed(x.transpose(1, 2)).transpose(1, 2))  # B, T, C
        for block in self.blocks:
            x = block(x)
        x = self.norm_out(x)
        log_magnitude, real, imaginary = self.head(x).float().split(BINS, dim=-1)
        pitch, periodicity = None, torch.zeros_like(log_magnitude)
        if self.harmonics is not None:
            comb, pitch, periodicity = self.harmonics(x)
            log_magnitude = log_magnitude + comb.float()
        magnitude = log_magnitude.clamp(*LOG_MAGNITUDES).exp()
        with torch.autocast(mel.device.type, enabled=False):
            target = torch.pow(10.0, mel)
            magnitude = fit_to_mel(magnitude, target, self.filters, self.mel_updates)
        size = torch.sqrt(real**2 + imaginary**2 + 1e-8)
        return Spectra(magnitude, real / size, imaginary / size, pitch, periodicity.float(), x)

    def settling(self, magnitude: Tensor, mel: Tensor) -> Callable[[Tensor], Tensor] | None:
        """The rule by which magnitudes (B, T, 601) give way to those that a sound has, or None."""
        if not self.relaxation:
            return None
        kept = magnitude ** (1 - self.relaxation)
        target = torch.pow(10.0, mel)

        def settle(found: Tensor) -> Tensor:
            # Never quite 0, where a root has no gradient.
            mixed = kept * (found + 1e-6) ** self.relaxation
            return fit_to_mel(mixed, target, self.filters, 1)

        return settle

    def sound(self, magnitude: Tensor, phase: Tensor, mel: Tensor, iterations: int) -> Tensor:
        """Samples (B, 300 T) of what ``spectra`` gave for the mel, after so many iterations."""
        settle = self.settling(magnitude, mel)
        return griffin_lim(magnitude, phase, self.window, iterations, self.momentum, settle=settle)

    def forward(
        self,
        mel: Tensor,
        noise: Tensor | None = None,
        refined: Sequence[Span] | None = None,
    ) -> Tensor:
        """``noise``: white, of power one, (B, 300 T), from which texture is drawn; without it there
        is none. ``refined``: the frames that are refined, all by default."""
        return self.textured_sound(self.spectra(mel), mel, noise, refined)

    def textured_sound(
        self,
        found: Spectra,
        mel: Tensor,
        noise: Tensor | None,
        refined: Sequence[Span] | None = None,
    ) -> Tensor:
        """Samples (B, 300 T) of what ``spectra`` gave for the mel, iterated and refined."""
        magnitude, phase = found.magnitude, found.phase
        if self.texture and noise is not None:
            if self.pulses:
                with torch.no_grad():
                    draft = waveform(magnitude * phase * self.pulse_band, self.window)
                    noise = pulsed(noise, draft, self.pulses)
            share = aperiodicity(found.periodicity, self.texture)
            factors = textured(phase, share, spectrum(noise, self.window))
            magnitude, phase = magnitude * modulus(factors), unit(factors)
        draft = self.sound(magnitude, phase, mel, self.iterations)
        if self.refinement is None or noise is None:
            return draft
        if refined is None:
            return self.refinement(draft, found.features, found.periodicity, noise)
        frames, sound = mel.shape[1], draft.clone()
        for first, last in refined:
            begin, end = max(first - REFINED_FRAMES, 0), min(last + REFINED_FRAMES, frames)
            samples = slice(begin * HOP, end * HOP)
            finished = self.refinement(
                draft[:, samples],
                found.features[:, begin:end],
                found.periodicity[:, begin:end],
                noise[:, samples],
            )
            own = slice((first - begin) * HOP, (last - begin) * HOP)
            sound[:, first * HOP : last * HOP] = finished[:, own]
        return sound


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Conv1d | nn.Linear):
        nn.init.trunc_normal_(module.weight, std=0.02)
        if module.bias is not None:
            nn.init.zeros_(module.bias)


def mel_filters_at_bins() -> Tensor:
    """The mel filters for spectra of 601 bins, (80, 601).

    The mel is defined on 1025 bins; magnitudes there are read off the 601 by straight lines.
    """
    fine = N_FFT // 2 + 1
    place = torch.arange(fine) * (BINS - 1) / (fine - 1)
    below = place.floor().long().clamp(max=BINS - 2)
    share = place - below
    lines = torch.zeros(fine, BINS)
    lines[torch.arange(fine), below] = 1 - share
    lines[torch.arange(fine), below + 1] += share
    return mel_filters() @ lines


def fit_to_mel(magnitude: Tensor, target: Tensor, filters: Tensor, updates: int) -> Tensor:
    """Magnitudes (B, T, 601) moved towards a mel (B, T, 80), not its log; ``filters`` (80, 601).

    A network blurs: its magnitudes say where the harmonics are, but have not quite the mel that was
    asked for. A few multiplicative updates of non-negative matrix factorisation (Lee and Seung
    2001, for the Kullback-Leibler distance, with the filters held fixed) repair that and keep the
    fine structure. They are frame by frame, differentiable, and cost next to nothing.

    Bins that no filter reaches (above 7600 Hz) stay as they are.
    """
    reach = filters.sum(0)  # 601
    inside = reach > 1e-5
    back = torch.where(inside, filters / reach.clamp(min=1e-5), 0.0)
    outside = (~inside).to(magnitude.dtype)
    for _ in range(updates):
        ratio = target / (magnitude @ filters.T + 1e-8)
        magnitude = magnitude * (ratio @ back + outside)
    return magnitude
