"""Pitch, voicing and energy of masked frames drawn together, by a flow (`a3t.model.flow`).

Not in the thesis. The contours go on from those of the visible frames, as the pitch predictor reads
them from the mel; the melody counts from the speaker's own median and the energy from the
recording's own level. B clips, T frames.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from a3t.model.conformer import Layout
from a3t.model.embeddings import Batch
from a3t.model.energy import quantile, relative_energy, visible_frames
from a3t.model.flow import Flow, mean_over
from a3t.model.pitch import MIDDLE, decided

CONTOURS = 3  # voicing, log2 F0, energy
OCTAVE, ENERGY, QUIET = 4.0, 1.6, 0.5  # scales that give the contours a deviation of about 1
SMOOTH = 3.0  # frames, the deviation of the Gaussian by which the noise is smoothed
LOWEST, HIGHEST = 5.8, 9.3  # log2 Hz of a sampled pitch: 55 to 630 Hz


class ProsodyFlow(nn.Module):
    """Draws the contours of the masked frames.

    Its noise is smooth, as contours are. What it is given, the encoded frames, the predicted
    contours and the voice, is not trained by it.

    Args:
        hidden: channels of the encoded frames.
        width, blocks: of the flow.
        voice: size of the voice vector, 0 for none.
        steps: Euler steps of a sample.
        temperature: by which the noise is scaled.
    """

    KERNEL = 15

    def __init__(
        self, hidden: int, width: int, blocks: int, voice: int, steps: int, temperature: float
    ) -> None:
        super().__init__()
        self.flow = Flow(CONTOURS, hidden + CONTOURS + 1, width, blocks, self.KERNEL, voice)
        self.steps, self.temperature = steps, temperature

    def loss(
        self,
        encoded: Tensor,
        pitch: Tensor,
        energy: Tensor,
        voice: Tensor | None,
        batch: Batch,
        where: Layout,
    ) -> Tensor:
        """The mean over the masked frames, a scalar; arguments as in `sample`, and the batch's own
        pitch."""
        assert batch.pitch is not None
        pitch, energy = pitch.detach(), energy.detach()
        middle = speakers_middle(pitch, batch)
        hidden = batch.masked[..., None]
        known = torch.where(batch.masked, batch.pitch, decided(pitch))
        target = _contours(known, relative_energy(batch), middle)
        shown = _shown(pitch, batch, middle)
        noise = smoothed(torch.randn_like(target))
        condition = _condition(encoded, pitch, energy, batch, middle)
        voice = None if voice is None else voice.detach()
        ends = torch.where(hidden, target, shown), torch.where(hidden, noise, shown)
        return mean_over(self.flow.loss(*ends, condition, voice, where), batch.masked, where)

    def sample(
        self,
        encoded: Tensor,
        pitch: Tensor,
        energy: Tensor,
        voice: Tensor | None,
        batch: Batch,
        where: Layout,
        noise: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """log2 F0 (B, T), 0 where unvoiced, and energy above the visible level (B, T), drawn for
        the masked frames.

        encoded (B, T, D), pitch (B, T, 2) and energy (B, T) as predicted, voice (B, size), noise
        (B, T, 3).
        """
        middle = speakers_middle(pitch, batch)
        shown = _shown(pitch, batch, middle)
        start = torch.where(batch.masked[..., None], smoothed(noise) * self.temperature, shown)
        condition = _condition(encoded, pitch, energy, batch, middle)
        drawn = self.flow.sample(start, condition, voice, where, batch.masked, self.steps)
        octaves = (drawn[..., 1] / OCTAVE + middle).clamp(LOWEST, HIGHEST)
        return torch.where(drawn[..., 0] > 0, octaves, 0.0), drawn[..., 2] / ENERGY - QUIET


def speakers_middle(pitch: Tensor, batch: Batch) -> Tensor:
    """The median log2 F0 of the visible voice, (B, 1), of the predicted pitch (B, T, 2)."""
    octaves = decided(pitch)
    voiced = visible_frames(batch) & (octaves > 0)
    return torch.where(voiced.any(1, keepdim=True), quantile(octaves, voiced, 0.5), MIDDLE)


def smoothed(noise: Tensor) -> Tensor:
    """Standard normal numbers (B, T, C) made smooth along the frames, each still of variance 1."""
    T, reach = noise.shape[1], int(3 * SMOOTH)
    weights = [math.exp(-0.5 * (k / SMOOTH) ** 2) for k in range(-reach, reach + 1)]
    # Shifted sums, since a convolution would be one of low precision where training has it so.
    padded = F.pad(noise, (0, 0, reach, reach))
    ones = F.pad(torch.ones_like(noise[:1, :, :1]), (0, 0, reach, reach))
    smooth = sum(w * padded[:, k : k + T] for k, w in enumerate(weights))
    variance = sum(w * w * ones[:, k : k + T] for k, w in enumerate(weights))
    return smooth / variance.sqrt()  # type: ignore[union-attr]


def interpolated(values: Tensor, known: Tensor) -> Tensor:
    """values (B, T) with straight lines between the known ones, and level beyond the outermost;
    0 where none is known."""
    T = values.shape[1]
    place = torch.arange(T, device=values.device)
    earlier = known[:, None] & (place[None] <= place[:, None])  # (B, T, T): j known, and j <= i
    later = known[:, None] & (place[None] >= place[:, None])
    before = torch.where(earlier, place, -1).amax(2)
    after = torch.where(later, place, T).amin(2)
    first, last = before.clamp(min=0), after.clamp(max=T - 1)
    low, high = values.gather(1, first), values.gather(1, last)
    low, high = torch.where(before < 0, high, low), torch.where(after >= T, low, high)
    share = (place - first) / (last - first).clamp(min=1)
    return torch.where(known.any(1, keepdim=True), low + (high - low) * share, 0.0)


def _contours(pitch: Tensor, energy: Tensor, middle: Tensor) -> Tensor:
    """log2 F0 (B, T) with 0 where unvoiced, energy (B, T), middle (B, 1) -> (B, T, 3)."""
    voiced = pitch > 0
    melody = interpolated(pitch - middle, voiced) * OCTAVE
    return torch.stack([2.0 * voiced - 1.0, melody, (energy + QUIET) * ENERGY], dim=-1)


def _shown(pitch: Tensor, batch: Batch, middle: Tensor) -> Tensor:
    """The visible frames' contours, which know nothing of masked ones, (B, T, 3)."""
    own = torch.where(batch.masked, 0.0, decided(pitch))
    return _contours(own, relative_energy(batch), middle)


def _condition(
    encoded: Tensor, pitch: Tensor, energy: Tensor, batch: Batch, middle: Tensor
) -> Tensor:
    predicted = [
        pitch[..., 0].tanh(),
        (pitch[..., 1] + MIDDLE - middle) * OCTAVE,
        (energy + QUIET) * ENERGY,
        batch.masked.float(),
    ]
    return torch.cat([encoded.float(), torch.stack(predicted, dim=-1)], dim=-1).detach()
