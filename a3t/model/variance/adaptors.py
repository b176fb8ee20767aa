"""Pitch and energy between encoder and decoder, as FastSpeech 2's variance adaptor has them.

Ren et al. 2021; not in the thesis. A network that is trained by L1 alone fills the mean of all
pitches that a word could have been said at, and a mean of harmonics is a blur. Told the pitch, it
has one answer. How loud each frame is counts from how loud the visible frames are, so that what is
filled follows the recording's own level, whatever it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from a3t.audio.analysis.mel import MEL_WINDOW_SAMPLES, MELS, N_FFT, mel_filters
from a3t.grid import SAMPLE_RATE
from a3t.model.conformer import Batch
from alignment.boolean_runs import runs_of

Total = Callable[[Tensor], Tensor]  # see `pitch_loss`

MIDDLE_LOG2_HZ = math.log2(180.0)  # log2 Hz, from which pitch is counted in octaves
WAVES = 4  # cosines and sines of the pitch: the finest has 4 periods in an octave
# The table of combs: 84 steps an octave.
LOWEST_LOG2_HZ, OCTAVES, STEPS_PER_OCTAVE = math.log2(55.0), 3.5, 84
DEEPEST = 1.5  # log10 units that a comb's valleys may lie below its teeth
# Frames by which the hold of a visible pitch on the contour beside it falls to 1/e (docs/log.md).
KNOWN_REACH_FRAMES = 12.0
KERNEL_FRAMES = 5  # frames of the predictors' convolutions
SLOPE_FRAMES = 8  # over which a slope is measured, 0.1 s
STEEP_SHARE = 0.95  # the quantile of the visible voice's slopes that widening may reach
PARTS = (1.0, 0.75, 0.5, 0.25, 0.0)  # of the widening that are tried
STEEPEST = (0.12, 0.3)  # octaves in `SLOPE_FRAMES`, between which that lies
ENOUGH_SLOPES = 24  # of the visible voice; of fewer nothing is learnt
END_FRAMES = 5  # of a voice, 60 ms, in which its pitch doesn't turn
LOUD_QUANTILE = 0.8  # the share of the visible frames that are quieter than the recording's level


def combs() -> Tensor:
    """Return the log10 mel of a voice without a mouth, pitch by pitch.

    (STEPS_PER_OCTAVE × OCTAVES + 1, 80): every harmonic is a line, as wide as the analysis window
    (Hann, 1200 samples) makes it. Each comb's mean is 0; the valleys are not let fall without
    bound, since a real voice's don't.
    """
    # On the processor wherever the network is built: mel_filters are there.
    hertz = torch.linspace(0.0, SAMPLE_RATE / 2, N_FFT // 2 + 1, device="cpu")
    octaves = torch.arange(int(STEPS_PER_OCTAVE * OCTAVES) + 1, device="cpu") / STEPS_PER_OCTAVE
    pitch = torch.pow(2.0, LOWEST_LOG2_HZ + octaves)[:, None]
    distance = (hertz + pitch / 2) % pitch - pitch / 2  # from the nearest harmonic, Hz
    place = distance * MEL_WINDOW_SAMPLES / SAMPLE_RATE  # in bins of the window
    # A Hann window's spectrum is three sincs; beyond its main lobe there is next to nothing.
    lobe = torch.sinc(place) + 0.5 * (torch.sinc(place - 1) + torch.sinc(place + 1))
    lobe = torch.where((place.abs() < 2) & (hertz > pitch / 2), lobe.abs(), 0.0)
    area = mel_filters().sum(1)
    mel = (lobe @ mel_filters().T / area).clamp(min=1e-6).log10()
    mel = mel.clamp(min=mel.amax(1, keepdim=True) - DEEPEST)
    return mel - mel.mean(1, keepdim=True)


class PitchAdaptor(nn.Module):
    """Says each frame's pitch from what the encoder knows, and tells the decoder.

    Only masked frames get theirs as input; the others show it.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Conv1d(width, width, KERNEL_FRAMES, padding=KERNEL_FRAMES // 2)
        self.first_norm = nn.LayerNorm(width)
        self.second = nn.Conv1d(width, width, KERNEL_FRAMES, padding=KERNEL_FRAMES // 2)
        self.second_norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, 2)
        self.embed = nn.Linear(2 + 2 * WAVES + MELS, width)
        self.combs: Tensor
        self.register_buffer("combs", combs().to(torch.get_default_device()), persistent=False)

    def predict(self, x: Tensor, valid: Tensor) -> Tensor:
        """Predict voicing's logit and octaves, (B, T, 2), from encoded frames (B, T, D).

        valid: (B, T, 1).
        """
        for convolution, norm in ((self.first, self.first_norm), (self.second, self.second_norm)):
            x = convolution((x * valid).transpose(1, 2)).transpose(1, 2)
            x = norm(F.relu(x))
        return self.output(x).float()

    def condition(self, pitch: Tensor, masked: Tensor) -> Tensor:
        """Turn a log2 F0 (B, T), 0 where unvoiced, into what is added to the frames, (B, T, D)."""
        voiced = (pitch > 0)[..., None]
        octaves = torch.where(voiced, pitch[..., None] - MIDDLE_LOG2_HZ, 0.0)
        periods = torch.arange(1, WAVES + 1, device=pitch.device)
        angles = 2 * math.pi * octaves * periods  # (B, T, WAVES)
        features = [torch.ones_like(octaves), octaves, angles.cos(), angles.sin(), self.comb(pitch)]
        return self.embed(torch.cat(features, dim=-1) * voiced) * masked[..., None]

    def comb(self, pitch: Tensor) -> Tensor:
        """Return the log10 mel (B, T, 80) of the harmonics of a log2 F0 (B, T).

        It lies between two of the table.
        """
        place = ((pitch - LOWEST_LOG2_HZ) * STEPS_PER_OCTAVE).clamp(0, len(self.combs) - 1.001)
        below = place.long()
        share = (place - below)[..., None]
        return self.combs[below] * (1 - share) + self.combs[below + 1] * share


def decided(predicted: Tensor) -> Tensor:
    """Return the prediction (B, T, 2) as log2 F0 (B, T), 0 where there is no voice."""
    return torch.where(predicted[..., 0] > 0, predicted[..., 1] + MIDDLE_LOG2_HZ, 0.0)


def spread_out(pitch: Tensor, masked: Tensor, visible: Tensor, factor: float) -> Tensor:
    """Widen the predicted melody: log2 F0 (B, T), 0 where unvoiced; masked, visible: (B, T) bool.

    The distances of each masked run from its mean are ``factor`` times as wide, but less so near
    the visible voice, where the run goes on from it, and within a voiced stretch only as far as
    that gets no steeper than the visible voice's `STEEP_SHARE`. Where a voice ends, its pitch
    doesn't turn.

    A predictor trained by L1 gives the middle of what could have been, and so a flat melody. At a
    joint there is little that could have been, and what is predicted fits.
    """
    if factor == 1.0:
        return pitch
    result = pitch.clone()
    for clip, hidden, seen in zip(result, masked.cpu().numpy(), visible.cpu().numpy(), strict=True):
        contour = clip.double().cpu().numpy()
        voiced = contour > 0
        heard = seen & voiced
        known = np.flatnonzero(heard)
        steepest = _steepest(contour, heard)
        added = np.zeros(len(contour))
        for first, last in runs_of(hidden):
            inside = first + np.flatnonzero(voiced[first:last])
            if not len(inside):
                continue
            share = np.full(len(inside), factor - 1)
            for beside in (*known[known < first][-1:], *known[known >= last][:1]):
                share *= 1 - np.exp(-np.abs(inside - beside) / KNOWN_REACH_FRAMES)
            added[inside] = share * (contour[inside] - contour[inside].mean())
        for first, last in runs_of(hidden & voiced):
            begins, ends = not heard[first - 1 : first].any(), not heard[last : last + 1].any()
            moved = added[first:last].mean() if begins and ends else 0.0
            contour[first:last] = _no_steeper(
                contour[first:last] + moved, added[first:last] - moved, steepest
            )
            if ends:
                _end_without_turn(contour[first:last])
        clip.copy_(torch.from_numpy(contour))
    return result


def _no_steeper(contour: np.ndarray, added: np.ndarray, steepest: float) -> np.ndarray:
    """Add to a voiced stretch (n,) as large a part as its slopes allow, none of it at last."""
    for part in PARTS:
        wider: np.ndarray = contour + part * added
        if _slopes(wider).max(initial=0.0) <= steepest:
            break
    return wider


def _slopes(contour: np.ndarray) -> np.ndarray:
    """Return by how many octaves the pitch (n,) of a voiced stretch moves in `SLOPE_FRAMES`."""
    return np.abs(contour[SLOPE_FRAMES:] - contour[:-SLOPE_FRAMES])


def _steepest(contour: np.ndarray, heard: np.ndarray) -> float:
    """Return the slope that a widened melody may have: the visible voice's, within bounds."""
    slopes = np.concatenate([np.empty(0), *(_slopes(contour[slice(*r)]) for r in runs_of(heard))])
    if len(slopes) < ENOUGH_SLOPES:
        return STEEPEST[1]
    return float(np.clip(np.quantile(slopes, STEEP_SHARE), *STEEPEST))


def _end_without_turn(contour: np.ndarray) -> None:
    """Hold the last `END_FRAMES` of a voiced run (n,) level if the pitch turns in them."""
    if len(contour) > 2 * END_FRAMES:
        before, here, end = contour[[-1 - 2 * END_FRAMES, -1 - END_FRAMES, -1]]
        if (end - here) * (here - before) < 0:
            contour[-END_FRAMES:] = here


def raised(pitch: Tensor, rise: Tensor | None) -> Tensor:
    """Add octaves (B, T) to a log2 F0 (B, T), 0 where unvoiced, where there is a voice."""
    return pitch if rise is None else torch.where(pitch > 0, pitch + rise, pitch)


def pitch_loss(predicted: Tensor, batch: Batch, total: Total = lambda count: count) -> Tensor:
    """Cross-entropy of the voice and L1 of the octaves where there is one, over all frames.

    ``total`` makes of how many frames there are here what the sums are divided by: several
    processes that share a batch count the frames of all.
    """
    assert batch.pitch is not None
    time = torch.arange(batch.mel.shape[1], device=batch.mel.device)
    valid = time < batch.frames[:, None]
    voiced = batch.pitch > 0
    entropy = F.binary_cross_entropy_with_logits(
        predicted[..., 0], voiced.float(), valid.float(), reduction="sum"
    )
    both = valid & voiced
    octaves = (predicted[..., 1] + MIDDLE_LOG2_HZ - batch.pitch).abs() * both
    voice = entropy / total(valid.sum().float()).clamp(min=1e-6)
    return voice + 4.0 * octaves.sum() / total(both.sum().float()).clamp(min=1e-6)


def frame_energy(mel: Tensor) -> Tensor:
    """Return the log10 RMS over the bins of a log10 mel, (B, T, 80) -> (B, T)."""
    power = torch.logsumexp(2 * math.log(10.0) * mel, -1) / math.log(10.0)
    return 0.5 * (power - math.log10(mel.shape[-1]))


def visible_level(energy: Tensor, visible: Tensor) -> Tensor:
    """Return the visible speech's level: the `LOUD_QUANTILE` of its frames' energy, (B, 1).

    energy (B, T), visible (B, T) bool. 0 where nothing is visible: there the energy is absolute.
    """
    return quantile(energy, visible, LOUD_QUANTILE)


def quantile(values: Tensor, among: Tensor, share: float) -> Tensor:
    """Return the value (B, 1) that a share of some values is below; 0 where there is none.

    values (B, T), among (B, T) bool.
    """
    ordered = torch.where(among, values, torch.inf).sort(dim=1).values
    place = ((among.sum(1, keepdim=True) - 1).clamp(min=0) * share).long()
    return torch.where(among.any(1, keepdim=True), ordered.gather(1, place), 0.0)


class EnergyAdaptor(nn.Module):
    """Predicts each frame's energy from the encoded frames, and gives the decoder it.

    Begun with zeros where it enters the decoder, so that weights without it are a valid start.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Conv1d(width, width // 2, KERNEL_FRAMES, padding=KERNEL_FRAMES // 2)
        self.first_norm = nn.LayerNorm(width // 2)
        self.output = nn.Linear(width // 2, 1)
        self.embed = nn.Linear(3, width)
        nn.init.zeros_(self.embed.weight)
        nn.init.zeros_(self.embed.bias)

    def predict(self, x: Tensor, valid: Tensor) -> Tensor:
        """Predict the energy above the visible level, (B, T), from encoded frames (B, T, D).

        valid: (B, T, 1).
        """
        x = self.first((x * valid).transpose(1, 2)).transpose(1, 2)
        return self.output(self.first_norm(F.relu(x)))[..., 0].float()

    def condition(self, energy: Tensor, masked: Tensor) -> Tensor:
        """Turn energy above the visible level (B, T) into what the frames are given, (B, T, D)."""
        features = torch.stack([torch.ones_like(energy), energy, energy.tanh()], dim=-1)
        return self.embed(features) * masked[..., None]


def relative_energy(batch: Batch) -> Tensor:
    """Return the energy of a batch's own frames above the level of its visible ones, (B, T)."""
    energy = frame_energy(batch.mel)
    return energy - visible_level(energy, visible_frames(batch))


def visible_frames(batch: Batch) -> Tensor:
    """Find the frames that are neither masked nor padding, (B, T) bool."""
    time = torch.arange(batch.mel.shape[1], device=batch.mel.device)
    return ~batch.masked & (time < batch.frames[:, None])


def energy_loss(predicted: Tensor, batch: Batch) -> Tensor:
    """Return the L1 of the masked frames' energy, in log10 units."""
    time = torch.arange(batch.mel.shape[1], device=batch.mel.device)
    counted = batch.masked & (time < batch.frames[:, None])
    off = (predicted - relative_energy(batch)).abs() * counted
    return off.sum() / counted.sum().clamp(min=1)
