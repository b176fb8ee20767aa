"""Some frames of a recording's mel, computed without reading the rest."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from a3t.audio.analysis.mel import FMAX, N_FFT, log_mel
from a3t.audio.reading.recording import Recording
from a3t.grid import HOP, SAMPLE_RATE, grid_samples

# Frames on either side that a frame's Fourier transform reaches into, and one to be sure.
REACH = N_FFT // 2 // HOP + 2


def mel_window(recording: Recording, first: int, last: int) -> Tensor:
    """Frames [first, last) of the whole recording's mel, (last - first, 80) log10.

    Only the samples that they depend on are read; they equal those of the whole.
    """
    begin, end = max(0, first - REACH), last + REACH
    stop = min(end * HOP, grid_samples(recording.samples, recording.sample_rate))
    samples = recording.resampled(begin * HOP, stop, SAMPLE_RATE)
    if recording.sample_rate < 2 * FMAX:
        # The upper bins would hold nothing at all, which no recording does that the network has
        # learnt from: there, telephone lines end in the noise of 16 bits.
        samples = np.round(samples * 32768).astype(np.float32) / 32768
    mel = log_mel(samples)
    return mel[first - begin : last - begin]
