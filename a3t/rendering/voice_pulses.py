"""The pulses of the voice in a window: the recording's own, and a fill's that go on from them."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from a3t.audio.analysis.voice_pitch import track_pitch
from a3t.audio.reading.recording import Recording
from a3t.grid import HOP, SAMPLE_RATE
from a3t.plan.edit_windows import WindowFrames
from a3t.spans import Span
from a3t.vocoder.base import Pulses
from a3t.vocoder.pulses import heard_cycles, joined_pulses


def hertz_of(pitch: Tensor) -> Tensor:
    """Return log2 Hz, 0 where unvoiced, as Hz."""
    return torch.where(pitch > 0, torch.exp2(pitch), 0.0)


def pulses_around(
    recording: Recording, window: WindowFrames, source: Span, pitch: Tensor | None
) -> Pulses | None:
    """Return the voice's pulses in a window, None without a ``pitch``.

    In visible frames they are the recording's own; in masked ones they go on from there at the
    ``pitch`` (N,), log2 Hz, that these were filled with.
    """
    if pitch is None:
        return None
    samples = recording.resampled(source[0] * HOP, source[1] * HOP, SAMPLE_RATE)
    frames = source[1] - source[0]
    samples = np.pad(samples, (0, max(frames * HOP - len(samples), 0)))[: frames * HOP]
    heard = torch.from_numpy(track_pitch(samples, frames)).float()[None]
    cycles = heard_cycles(torch.from_numpy(samples).float()[None], heard)
    place = torch.from_numpy(window.source - source[0]).clamp(0, frames - 1)
    visible = torch.from_numpy(~window.masked)
    hertz = torch.where(visible, heard[0, place], hertz_of(pitch))[None]
    return joined_pulses(hertz, cycles[:, place], visible[None] & (hertz > 0))
