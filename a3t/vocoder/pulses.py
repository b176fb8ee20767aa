"""Phases of a voice's pulses: what a network at the frame rate can't keep over time.

Within a period of the voice the sound rises where the vocal folds close and falls until they close
again. A network that gives every frame's phase on its own loses a third of that. So in voiced
frames the phases are those of a pulse train at the voice's pitch, filtered by the spectrum's
envelope with minimum phase, as a vocal tract does and as WORLD synthesises (Morise, Yokomori and
Ozawa 2016).
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from a3t.audio.analysis.mel import MEL_WINDOW_SAMPLES
from a3t.grid import HOP, SAMPLE_RATE
from a3t.vocoder.stft import BINS, spectrum, unit
from alignment.boolean_runs import runs_of

TOP_VOICE_HZ = 8000.0  # above, speech is noise
QUEFRENCIES = 60  # samples of the cepstrum that the envelope keeps
MIN_MAGNITUDE = 1e-5  # of a magnitude, before its logarithm is taken
ANCHOR_FRAMES = 48  # 0.6 s: the pitch gives way by 1 % at 83 Hz, less above
VOICED_FRAMES = 3  # frames over which voicing fades in and out
PULSES_REACH = ANCHOR_FRAMES + VOICED_FRAMES  # frames on either side that a frame's phases hear
# Of `a3t.audio.analysis.pitch_modulation`, band by band: its mean over 35 people's recordings, and
# how the pulses' share follows it in new words, relative to that of a copy (docs/log.md).
USUAL_MODULATION = np.array([0.30, 0.33, 0.28])
USUAL_GAIN, GAIN_SLOPE, GAIN_LIMITS = 0.92, 4.6, (0.15, 1.54)
# Hz between which the gain goes from one to that of the first band, …, to that of the third.
GAINS_AT_HZ = (500.0, 700.0, 1300.0, 1700.0, 3200.0, 3800.0)


class Pulses(NamedTuple):
    """A voice's pulses in every frame of a mel.

    ``hertz`` (B, T): the pitch at each frame's centre, 0 where there is no voice; ``cycles``
    (B, T), float64: periods of the voice, a whole number where the vocal folds close.
    """

    hertz: Tensor
    cycles: Tensor


def pulses_of(hertz: Tensor, first_frame: int = 0) -> Pulses:
    """Return the pulses of a pitch (B, T) in Hz, 0 where there is no voice.

    ``first_frame`` is the mel's place in the whole. At every `ANCHOR_FRAMES`-th frame of that the
    vocal folds close, and between two such frames the pitch gives way, by half a period in all at
    most: so a part has the pulses that it has within the whole. A run of voice that holds none of
    these frames begins with a pulse.
    """
    frames = torch.arange(first_frame, first_frame + hertz.shape[1])
    anchored = (frames % ANCHOR_FRAMES == 0).numpy()
    cycles = np.zeros(hertz.shape)
    contours = hertz.double().cpu().numpy()
    for row, contour in zip(cycles, contours, strict=True):
        for first, last in runs_of(contour > 0):
            pitch = contour[first:last]
            steps = (pitch[1:] + pitch[:-1]) / 2 * HOP / SAMPLE_RATE
            row[first:last] = _anchored(steps, np.flatnonzero(anchored[first:last]))
    return Pulses(hertz, torch.from_numpy(cycles).to(hertz.device))


def _anchored(steps: np.ndarray, anchors: np.ndarray) -> np.ndarray:
    """Return the cycles (n + 1,) of frames that are ``steps`` (n,) apart, whole at ``anchors``."""
    steps = steps.copy()
    for here, after in itertools.pairwise(anchors):
        total = steps[here:after].sum()
        steps[here:after] *= max(round(total), 1) / total
    cycles = np.concatenate([[0.0], np.cumsum(steps)])
    return cycles - cycles[anchors[0]] if len(anchors) else cycles


def pulse_train(pulses: Pulses) -> Tensor:
    """Return the sound (B, 300 T) of all harmonics below `TOP_VOICE_HZ`, cosines of amplitude 1.

    Between frames the pitch changes linearly; half a hop beyond a run's ends it stays.
    """
    hertz, cycles = pulses.hertz.double(), pulses.cycles
    place = torch.arange(HOP, device=hertz.device, dtype=torch.float64) / HOP  # of a hop
    after = functional.pad(hertz[:, 1:], (0, 1))
    both = (hertz > 0) & (after > 0)
    slope = torch.where(both, after - hertz, 0.0)[..., None]
    seconds = place * HOP / SAMPLE_RATE
    turn = cycles[..., None] + seconds * (hertz[..., None] + slope * place / 2)
    later = functional.pad(cycles[:, 1:], (0, 1))
    # Where the pitch gives way: what is left at the next frame is spread over the hop.
    left = later - cycles - (hertz + after) / 2 * HOP / SAMPLE_RATE
    turn = turn + place * torch.where(both, left, 0.0)[..., None]
    pitch = hertz[..., None] + slope * place
    # Before a run's first frame, too: its window reaches back.
    lone = (hertz == 0) & (after > 0)
    back = later[..., None] + (seconds - HOP / SAMPLE_RATE) * after[..., None]
    turn = torch.where(lone[..., None], back, turn)
    pitch = torch.where(lone[..., None], after[..., None], pitch)
    sounds = pitch > 0
    harmonics = (TOP_VOICE_HZ / pitch.clamp(min=1.0)).floor()
    angle = 2 * math.pi * (turn - turn.round())
    half = (angle / 2).sin()
    # The sum of the cosines of 1 to n times an angle (Dirichlet's kernel), n where that is 0.
    near = half.abs() < 1e-6
    summed = ((harmonics + 0.5) * angle).sin() / (2 * torch.where(near, 1.0, half)) - 0.5
    summed = torch.where(near, harmonics, summed)
    return torch.where(sounds, summed, 0.0).float().flatten(1)


def minimum_phase(magnitude: Tensor) -> Tensor:
    """Return the minimum phase of the envelope of magnitudes (B, T, 601), alike, of modulus 1."""
    cepstrum = torch.fft.irfft((magnitude + MIN_MAGNITUDE).log(), n=MEL_WINDOW_SAMPLES)
    keep = torch.zeros(MEL_WINDOW_SAMPLES, device=magnitude.device)
    keep[1:QUEFRENCIES] = 1 + torch.cos(math.pi * torch.arange(1, QUEFRENCIES) / QUEFRENCIES)
    angle = torch.fft.rfft(cepstrum * keep).imag
    return torch.polar(torch.ones_like(angle), angle)


@torch.no_grad()
def pulse_phases(magnitude: Tensor, pulses: Pulses, window: Tensor) -> Tensor:
    """Return the phases (B, T, 601), of modulus 1, of pulses through magnitudes (B, T, 601)."""
    return unit(spectrum(pulse_train(pulses), window)) * minimum_phase(magnitude)


def pulse_gain(modulation: np.ndarray | None, filled: np.ndarray) -> Tensor | None:
    """Return by how much the pulses' share is multiplied, (T, 601): one outside ``filled`` (T,).

    A filled spectrum is smooth, so the same share is heard in it as more, whatever the recording's
    voice and room are. So there it follows the recording's own ``modulation`` (3,) at the pitch;
    None if that isn't known.
    """
    if modulation is None:
        return None
    gain = USUAL_GAIN + GAIN_SLOPE * (modulation - USUAL_MODULATION)
    low, middle, high = gain.clip(*GAIN_LIMITS)
    hertz = np.linspace(0, SAMPLE_RATE / 2, BINS)
    gains = np.interp(hertz, GAINS_AT_HZ, (1.0, low, low, middle, middle, high))
    return torch.from_numpy(np.where(filled[:, None], gains, 1.0)).float()


def share_of_pulses(pulses: Pulses, share: float | Tensor) -> Tensor:
    """Return the pulses' share (B, T, 601) of the phases, 0 unvoiced or above `TOP_VOICE_HZ`.

    ``share``: what it is elsewhere, a number or (T, 601).
    """
    voiced = (pulses.hertz > 0).float()[:, None]
    voiced = -functional.max_pool1d(-voiced, VOICED_FRAMES, 1, VOICED_FRAMES // 2)
    voiced = functional.avg_pool1d(voiced, VOICED_FRAMES, 1, VOICED_FRAMES // 2)[:, 0]
    hertz = torch.linspace(0, SAMPLE_RATE / 2, BINS, device=voiced.device)
    return share * voiced[..., None] * (hertz < TOP_VOICE_HZ)


def with_pulses(
    phase: Tensor, magnitude: Tensor, pulses: Pulses, share: float | Tensor, window: Tensor
) -> Tensor:
    """Return a network's phases (B, T, 601) mixed with those of pulses."""
    mixed = share_of_pulses(pulses, share)
    return unit((1 - mixed) * phase + mixed * pulse_phases(magnitude, pulses, window))
