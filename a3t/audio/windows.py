"""The recording on the frame grid: how many frames it has, and the mel of some of them."""

from __future__ import annotations

from torch import Tensor

from a3t.audio.mel import HOP, N_FFT, SAMPLE_RATE, log_mel
from a3t.audio.recording import Recording

# Frames on either side that a frame's Fourier transform reaches into, and one to be sure.
REACH = N_FFT // 2 // HOP + 2


def grid_samples(recording: Recording) -> int:
    """The recording's length in samples of the 24 kHz clock, a last part of one not counted."""
    return recording.samples * SAMPLE_RATE // recording.sample_rate


def grid_frames(recording: Recording) -> int:
    """How many frames the whole recording's mel has."""
    return 1 + grid_samples(recording) // HOP


def mel_window(recording: Recording, first: int, last: int) -> Tensor:
    """Frames [first, last) of the whole recording's mel, (last - first, 80) log10.

    Only the samples that they depend on are read; they equal those of the whole.
    """
    begin, end = max(0, first - REACH), last + REACH
    stop = min(end * HOP, grid_samples(recording))
    mel = log_mel(recording.resampled(begin * HOP, stop, SAMPLE_RATE))
    return mel[first - begin : last - begin]
