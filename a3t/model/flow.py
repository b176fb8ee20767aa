"""Conditional flow matching over frames: from noise to one of all that could be said.

Not in the thesis. A regression answers with the mean of what is likely, which is a blur in a
spectrogram and flat in a melody. A flow learns the velocity that carries noise along straight lines
to recorded speech (Lipman et al. 2023, "Flow Matching for Generative Modeling"), here as infilling
(Le et al. 2023, "Voicebox"), and a few Euler steps draw a sample. B clips, T frames, C channels.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from a3t.audio.mel import MELS
from a3t.model.conformer import Layout

WAVES = 32  # cosines and sines of the time
SCALE = 100.0  # the fastest of them turns so many radians between noise and speech
DRAWS = 2  # times at which a step of training looks at each clip
NOISE = MELS + 3  # channels of the noise of a frame: the mel's, then the contours' of the prosody


def standard_noise(frames: int, seed: int = 0) -> Tensor:
    """Standard normal numbers (T, NOISE) on the processor, the same for the same seed; those of the
    first frames are the same however many there are."""
    generator = torch.Generator("cpu").manual_seed(seed)
    # Sixteen numbers are drawn at a time, so that an odd end would change the last of them.
    whole = -(-frames // 16) * 16
    return torch.randn(whole, NOISE, generator=generator, device="cpu")[:frames]


class FlowBlock(nn.Module):
    """ConvNeXt's block (Liu et al. 2022) whose norm is scaled and shifted by time and voice."""

    def __init__(self, width: int, kernel: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.norm = nn.LayerNorm(width, elementwise_affine=False)
        self.film = nn.Linear(width, 2 * width)
        self.grow = nn.Linear(width, 3 * width)
        self.shrink = nn.Linear(3 * width, width)

    def forward(self, x: Tensor, moment: Tensor, layout: Layout) -> Tensor:
        """x (B, T, width), moment (B, 1, width) -> (B, T, width)."""
        scale, shift = self.film(moment).chunk(2, dim=-1)
        hidden = self.norm(layout.convolve(self.depthwise, x)) * (1 + scale) + shift
        return x + self.shrink(F.gelu(self.grow(hidden)))


class Flow(nn.Module):
    """A velocity field for each frame's C channels, given a condition.

    Args:
        channels: C.
        condition: channels of the condition.
        width, blocks, kernel: of the ConvNeXt blocks.
        voice: size of the voice vector, 0 for none.
    """

    def __init__(
        self, channels: int, condition: int, width: int, blocks: int, kernel: int, voice: int
    ) -> None:
        super().__init__()
        self.state = nn.Linear(channels, width)
        self.given = nn.Linear(condition, width, bias=False)
        self.first = nn.Linear(2 * WAVES, width)
        self.second = nn.Linear(width, width)
        self.voice = nn.Linear(voice, width, bias=False) if voice else None
        self.blocks = nn.ModuleList(FlowBlock(width, kernel) for _ in range(blocks))
        self.norm = nn.LayerNorm(width)
        self.output = nn.Linear(width, channels)
        nn.init.zeros_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def loss(
        self, target: Tensor, noise: Tensor, condition: Tensor, voice: Tensor | None, where: Layout
    ) -> Tensor:
        """The squared error of the velocity, (DRAWS × B, T, C) float32: all clips at a random time,
        then once more at others.

        target, noise: (B, T, C), both ends of the way; condition: (B, T, condition).
        """
        B = len(target)
        first = torch.rand(B, 1, 1, device=target.device)
        time = torch.cat([(first + k / DRAWS) % 1.0 for k in range(DRAWS)])
        target, noise = target.repeat(DRAWS, 1, 1), noise.repeat(DRAWS, 1, 1)
        given = self.given(condition).repeat(DRAWS, 1, 1)
        voice = None if voice is None else voice.repeat(DRAWS, 1)
        where = Layout(where.valid.repeat(DRAWS, 1, 1), where.positions, where.seam)
        state = torch.lerp(noise, target, time)
        found = self._velocity(state, given, self._moment(time, voice), where)
        return (found - (target - noise)).square()

    def sample(
        self,
        noise: Tensor,
        condition: Tensor,
        voice: Tensor | None,
        where: Layout,
        masked: Tensor,
        steps: int,
    ) -> Tensor:
        """Carry noise (B, T, C) to a sample in so many Euler steps, (B, T, C) float32; frames that
        are not masked (B, T) stay as they are."""
        state, given = noise.float(), self.given(condition)
        # Shorter steps at first, where the velocity changes most (CosyVoice's cosine schedule).
        times = [1 - math.cos(0.5 * math.pi * k / steps) for k in range(steps + 1)]
        for start, end in zip(times, times[1:], strict=False):
            time = torch.full((len(noise), 1, 1), start, device=noise.device)
            velocity = self._velocity(state, given, self._moment(time, voice), where)
            state = state + (end - start) * velocity * masked[..., None]
        return state

    def _moment(self, time: Tensor, voice: Tensor | None) -> Tensor:
        """time (B, 1, 1), voice (B, size) -> (B, 1, width)."""
        places = torch.arange(WAVES, dtype=torch.float32, device=time.device)
        angles = time * torch.exp(places * (math.log(SCALE) / (WAVES - 1)))
        moment = self.second(F.silu(self.first(torch.cat([angles.sin(), angles.cos()], dim=-1))))
        if self.voice is not None and voice is not None:
            moment = moment + self.voice(voice)[:, None]
        return F.silu(moment)

    def _velocity(self, state: Tensor, given: Tensor, moment: Tensor, where: Layout) -> Tensor:
        x = self.state(state) + given
        for block in self.blocks:
            x = block(x, moment, where)
        return self.output(self.norm(x)).float()


def mean_over(errors: Tensor, masked: Tensor, where: Layout) -> Tensor:
    """The mean of errors (n × B, T, C) over the masked frames (B, T), a scalar."""
    counted = (masked[..., None] * where.valid).repeat(len(errors) // len(masked), 1, 1)
    return (errors.mean(-1, keepdim=True) * counted).sum() / counted.sum().clamp(min=1.0)


class FlowPostNet(nn.Module):
    """Draws what the decoder's mel lacks: the difference of the masked frames' own mel from it.

    It is given the filled mel, with what is visible in its place, the decoder's last hidden state
    and the voice; none of them is trained by it.

    Args:
        mels: bins of the mel.
        hidden: channels of the decoder's state.
        width, blocks: of the flow.
        voice: size of the voice vector, 0 for none.
        steps: Euler steps of a sample.
        temperature: by which the noise is scaled.
    """

    KERNEL = 7

    def __init__(
        self,
        mels: int,
        hidden: int,
        width: int,
        blocks: int,
        voice: int,
        steps: int,
        temperature: float,
    ) -> None:
        super().__init__()
        self.flow = Flow(mels, mels + 1 + hidden, width, blocks, self.KERNEL, voice)
        self.steps, self.temperature = steps, temperature

    def loss(
        self,
        filled: Tensor,
        mel: Tensor,
        masked: Tensor,
        hidden: Tensor,
        voice: Tensor | None,
        where: Layout,
    ) -> Tensor:
        """The mean over the masked frames, a scalar; arguments as in `sample`."""
        condition = self._condition(filled, mel, masked, hidden)
        target = (mel - filled.detach()) * masked[..., None]
        noise = torch.randn_like(target) * masked[..., None]
        voice = None if voice is None else voice.detach()
        errors = self.flow.loss(target, noise, condition, voice, where)
        return mean_over(errors, masked, where)

    def sample(
        self,
        filled: Tensor,
        mel: Tensor,
        masked: Tensor,
        hidden: Tensor,
        voice: Tensor | None,
        where: Layout,
        noise: Tensor,
    ) -> Tensor:
        """The masked frames drawn, (B, T, 80); all mels are standardised.

        filled (B, T, 80) the decoder's, mel (B, T, 80) the clip's own, masked (B, T), hidden
        (B, T, D), voice (B, size), noise (B, T, 80).
        """
        condition = self._condition(filled, mel, masked, hidden)
        noise = noise * masked[..., None] * self.temperature
        drawn = self.flow.sample(noise, condition, voice, where, masked, self.steps)
        return filled + drawn

    @staticmethod
    def _condition(filled: Tensor, mel: Tensor, masked: Tensor, hidden: Tensor) -> Tensor:
        shown = torch.where(masked[..., None], filled, mel)
        return torch.cat([shown, masked[..., None].float(), hidden.float()], dim=-1).detach()
