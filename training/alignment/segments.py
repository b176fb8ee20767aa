"""Segments that the phone network learns from, otherwise each time: batches on any device.

Everything works on the power of mel bands every 5 ms (alignment.network.phone_network.band_power):
powers of independent sounds add, a diffuse tail is a decay in each band, another pace and another
vocal tract are other positions in time and frequency. What is played when is a place in the
recordings for each frame of a segment, so that one gather takes it all from the device's memory.

B segments of T frames, N frames in all clips.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from alignment.network.phone_network import (
    BANDS,
    HOP_SAMPLES,
    INDEX,
    POWER_FLOOR,
    SAMPLE_RATE_HZ,
    STRIDE,
    band_edges,
    band_power,
    mel,
)
from alignment.result import PAUSE
from training.alignment.distortions import music
from training.alignment.examples import Example

SEGMENT = 320  # frames of 10 ms
VIEW = 120  # at most so many more frames are normalised with a segment
FRAMES_PER_SECOND = SAMPLE_RATE_HZ / HOP_SAMPLES

TRACT = 0.12  # the logarithm of a vocal tract's length against another's, at most
SLOWER, FASTER = 0.2, 0.25  # likewise for the pace
CHAIN = 6  # clips one after the other where they are short
PAUSES = 3  # in a segment, at most
PAUSE_FRAMES = (10, 120)
QUIET = 32  # frames that are known of a clip's quietest
HIDDEN_BANDS, HIDDEN_FRAMES = 6, 40  # at most, beside each other

CENTRES = band_edges()[1:-1]
"""Hz of each band, (BANDS,)."""

Draw = torch.Generator


@dataclass(frozen=True, slots=True)
class Clips:
    """All recordings, one after the other, at every 5 ms.

    The logarithm of their bands' power (N, BANDS), float16, the phone (N,) and the frames until its
    word ends (N,); of each clip its first frame and length, `quiet` frames, the logarithm of its
    power, and the weight of it and all before it.
    """

    logarithms: Tensor
    phones: Tensor
    until: Tensor
    first: Tensor
    length: Tensor
    quiet: Tensor
    level: Tensor
    upto: Tensor

    @classmethod
    def of(cls, examples: Sequence[Example], device: torch.device) -> Clips:
        """Lay the examples one after the other."""
        length = np.array([len(each.logarithms) for each in examples])
        first = np.cumsum(length) - length
        phones, until, quiet, level = [], [], [], []
        for start, each in zip(first, examples, strict=True):
            times = np.arange(len(each.logarithms)) / FRAMES_PER_SECOND
            at = np.minimum(np.searchsorted(each.ends, times, "right"), len(each.ends) - 1)
            phones.append(each.symbols[at])
            ends = np.append(each.ends[each.last] * FRAMES_PER_SECOND, math.inf).round()
            until.append(ends[np.searchsorted(ends, np.arange(len(times)))] - np.arange(len(times)))
            loud = np.exp(each.logarithms.astype(np.float32)).sum(axis=1)
            level.append(np.log(loud.mean()))
            quietest = np.argsort(loud)[: max(len(loud) // 20, 1)]
            quiet.append(start + np.resize(quietest[:: len(quietest) // QUIET + 1], QUIET))
        weights = np.cumsum(length * np.array([each.weight for each in examples]))
        given = (
            np.concatenate([each.logarithms for each in examples]),
            np.concatenate(phones),
            np.concatenate(until).astype(np.float32),
            first,
            length,
            np.stack(quiet),
            np.array(level, np.float32),
            weights / weights[-1],
        )
        return cls(*(torch.from_numpy(each).to(device) for each in given))


@dataclass(frozen=True, slots=True)
class Backgrounds:
    """Powers (K, BANDS) of sounds that are not speech, both longer than a segment."""

    noise: Tensor
    music: Tensor

    @classmethod
    def synthesised(
        cls, seconds: float, random: np.random.Generator, device: torch.device
    ) -> Backgrounds:
        """Make white noise, and chords with beats; their level is left to `degraded`."""
        count = round(seconds * SAMPLE_RATE_HZ)
        sounds = random.standard_normal(count).astype(np.float32), music(count, random)
        return cls(*(torch.from_numpy(band_power(each)).to(device) for each in sounds))


def segments(
    clips: Clips, backgrounds: Backgrounds, count: int, draw: Draw
) -> tuple[Tensor, Tensor]:
    """Draw the network's input (B, SEGMENT * STRIDE, BANDS), and its phones (B, SEGMENT)."""
    power, phones = speech(clips, count, draw)
    spoilt = _some(0.8, count, draw)
    power = torch.where(spoilt[:, None, None], degraded(power, backgrounds, draw), power)
    seen = STRIDE * _whole(SEGMENT, SEGMENT + VIEW, (count, 1), draw)
    inside = (torch.arange(power.shape[1], device=draw.device) < seen)[..., None]
    loudest = (power * inside).amax((1, 2), keepdim=True)
    logarithms = (power + POWER_FLOOR * loudest + 1e-12).log()
    mean = (logarithms * inside).sum(1, keepdim=True) / seen[..., None]
    inputs = (logarithms - mean) / 3.0
    start = (_between(0, 1, (count, 1), draw) * (seen // STRIDE - SEGMENT + 1)).long()
    frames = STRIDE * start + torch.arange(SEGMENT * STRIDE, device=draw.device)
    rows = torch.arange(count, device=draw.device)[:, None]
    return hidden(inputs[rows, frames], draw), phones[rows, frames[:, ::STRIDE]]


def speech(clips: Clips, count: int, draw: Draw) -> tuple[Tensor, Tensor]:
    """Draw the power (B, T, BANDS) and phones (B, T) of clips.

    They are equally loud, at any pace and by any tract, with pauses of their own room tone between
    some words.
    """
    device = draw.device
    frames = (SEGMENT + VIEW) * STRIDE
    changed = _some(0.75, count, draw)[:, None]
    pace = torch.where(changed, _between(-SLOWER, FASTER, (count, 1), draw).exp(), 1.0)
    tract = torch.where(changed, _between(-TRACT, TRACT, (count, 1), draw).exp(), 1.0)

    drawn = torch.searchsorted(clips.upto, _between(0, 1, (count, CHAIN), draw).double())
    own = drawn.clamp(max=len(clips.upto) - 1)
    length, first = clips.length[own], clips.first[own]
    spare = (length[:, :1] - frames * pace).clamp(min=0) * _between(0, 1, (count, 1), draw)
    skipped = torch.cat([spare.long(), torch.zeros_like(own[:, 1:])], dim=1)
    first, length = first + skipped, length - skipped
    ends = length.cumsum(1)

    def found(places: Tensor) -> tuple[Tensor, Tensor]:
        """Return the clip that is played at places in their sequence, and the place among all N."""
        which = torch.searchsorted(ends, places.long(), right=True).clamp(max=CHAIN - 1)
        inside = places - (ends - length).gather(1, which)
        inside = torch.minimum(inside.clamp(min=0), length.gather(1, which) - 1.0)
        return which, first.gather(1, which) + inside.double()

    wanted = _between(0, frames, (count, PAUSES), draw) * pace
    at = wanted + clips.until[found(wanted)[1].long()]
    many = _whole(1, PAUSES + 1, (count, 1), draw)
    paused = _some(0.3, count, draw)[:, None] & (torch.arange(PAUSES, device=device) < many)
    at = torch.where(paused & (at < ends[:, -1:]), at, math.inf).sort(1).values
    silence = _between(*PAUSE_FRAMES, (count, PAUSES), draw).floor()
    begin = (at / pace + silence.cumsum(1) - silence)[..., None]
    since = torch.arange(frames, device=device) - begin  # (B, PAUSES, T)
    silent = ((since >= 0) & (since < silence[..., None])).any(1)
    late = torch.minimum(since.clamp(min=0), silence[..., None]).sum(1)
    places = (torch.arange(frames, device=device) - late) * pace
    silent |= places >= ends[:, -1:]

    which, place = found(places)
    clip = own.gather(1, which)
    pick = _whole(0, QUIET, clip.shape, draw)
    before = torch.where(silent, clips.quiet[clip, pick], place.long())
    last = (first + length - 1).gather(1, which)
    after = torch.where(silent, before, torch.minimum(before + 1, last))
    share = (place - place.floor()).float()[..., None]
    logarithms = clips.logarithms[before] * (1 - share) + clips.logarithms[after] * share
    louder = clips.level[own[:, :1]] - clips.level[clip]
    phones = torch.where(silent, INDEX[PAUSE], clips.phones[before].long())
    return ((logarithms @ by_tract(tract)) + louder[..., None]).exp(), phones


def by_tract(tract: Tensor) -> Tensor:
    """Return matrices (B, BANDS, BANDS) for what `phone_network.with_tract` does to logarithms."""
    mels = mel(CENTRES)
    hertz = tract * torch.tensor(CENTRES, device=tract.device, dtype=torch.float32)
    places = (2595 * (1 + hertz / 700).log10() - mels[0]) / (mels[1] - mels[0])
    bands = torch.arange(BANDS, device=tract.device)[:, None]
    return (1 - (places.clamp(0, BANDS - 1)[:, None] - bands).abs()).clamp(min=0)


def degraded(power: Tensor, backgrounds: Backgrounds, draw: Draw) -> Tensor:
    """Degrade speech (B, T, BANDS) by some of: a room, a background, a narrow band.

    The background is noise, the segment before it as another talker, or music.
    """
    count, frames, _ = power.shape
    centres = torch.tensor(CENTRES, device=power.device, dtype=torch.float32)
    roomy = _some(0.35, count, draw)[:, None, None]
    result = torch.where(roomy, in_a_room(power, draw), power)

    kind = _between(0, 1, (count, 1, 1), draw)
    noise = _excerpts(backgrounds.noise, count, frames, draw) * _colour(count, centres, draw)
    other = torch.where(kind < 0.55, noise, power.roll(1, 0))
    other = torch.where(kind < 0.75, other, _excerpts(backgrounds.music, count, frames, draw))
    quietest = torch.where(kind < 0.55, 28.0, 22.0)
    loudest = torch.where((kind >= 0.55) & (kind < 0.75), 0.0, -2.0)
    decibels = loudest + (quietest - loudest) * _between(0, 1, kind.shape, draw)
    level = _loudness(result) / _loudness(other).clamp(min=1e-20) * 10 ** (-decibels / 10)
    result = result + other * torch.where(_some(0.7, count, draw)[:, None, None], level, 0.0)

    low = torch.where(_some(0.5, count, draw), _between(150, 400, (count,), draw), 0.0)
    high = torch.where(
        _some(0.7, count, draw), _between(3000, 7000, (count,), draw), SAMPLE_RATE_HZ
    )
    kept = (low[:, None] <= centres) & (high[:, None] >= centres)
    kept |= ~_some(0.3, count, draw)[:, None]
    return result * torch.where(kept, 1.0, 1e-6)[:, None]


def in_a_room(power: Tensor, draw: Draw) -> Tensor:
    """Add a diffuse tail: T60 0.15 to 0.8 s, 6 dB above the direct sound to 12 dB below it."""
    count, frames, _ = power.shape
    decay = -6 * math.log(10) / (_between(0.15, 0.8, (count, 1), draw) * FRAMES_PER_SECOND)
    ratio = 10 ** (-_between(-6, 12, (count, 1), draw) / 10)
    tail = ratio * (1 - decay.exp()) * (decay * torch.arange(frames, device=power.device)).exp()
    size = 2 * frames
    spectrum = torch.fft.rfft(power, size, dim=1) * torch.fft.rfft(tail, size)[..., None]
    # The first milliseconds of the tail fall in the frame itself.
    return power + torch.fft.irfft(spectrum, size, dim=1)[:, :frames].clamp(min=0)


def _loudness(power: Tensor) -> Tensor:
    return power.sum(2, keepdim=True).mean(1, keepdim=True)


def _excerpts(power: Tensor, count: int, frames: int, draw: Draw) -> Tensor:
    """Draw parts of `power` (K, BANDS), (B, T, BANDS)."""
    start = _whole(0, len(power) - frames, (count, 1), draw)
    return power[start + torch.arange(frames, device=draw.device)]


def _colour(count: int, centres: Tensor, draw: Draw) -> Tensor:
    """Draw gains of the bands, (B, 1, BANDS), that colour white noise.

    They make it pink, brown or something in between, in three of ten a hum or a hiss.
    """
    gains = centres ** -_between(-0.3, 2.0, (count, 1), draw)
    pick = _whole(0, BANDS, (count, 1), draw)
    away = (centres / centres[pick]).log() / _between(0.2, 1.0, (count, 1), draw)
    gains *= torch.where(_some(0.3, count, draw)[:, None], (-0.5 * away**2).exp(), 1.0)
    return (gains / gains.mean(1, keepdim=True))[:, None]


def hidden(inputs: Tensor, draw: Draw) -> Tensor:
    """Hide some neighbouring bands in two of ten segments (B, K, BANDS).

    In four of ten, hide a fifth of a second at most.
    """
    count, frames, bands = inputs.shape
    shown = torch.ones_like(inputs, dtype=torch.bool)
    for share, most, size, axis in ((0.2, HIDDEN_BANDS, bands, 2), (0.4, HIDDEN_FRAMES, frames, 1)):
        first = _between(0, size - most, (count, 1), draw).floor()
        many = _between(1, most + 1, (count, 1), draw).floor()
        since = torch.arange(size, device=draw.device) - first
        seen = (since < 0) | (since >= many) | ~_some(share, count, draw)[:, None]
        shown = shown & seen.unsqueeze(3 - axis)
    return inputs * shown


def _between(low: float, high: float, shape: tuple[int, ...], draw: Draw) -> Tensor:
    return low + (high - low) * torch.rand(shape, generator=draw, device=draw.device)


def _whole(low: int, high: int, shape: tuple[int, ...], draw: Draw) -> Tensor:
    return torch.randint(low, high, shape, generator=draw, device=draw.device)


def _some(share: float, count: int, draw: Draw) -> Tensor:
    """Choose such a share of the segments, (B,) bool."""
    return torch.rand(count, generator=draw, device=draw.device) < share
