"""A tone over words that nobody is to hear."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from a3t.audio.output.patches import Patch
from a3t.audio.reading.recording import Recording
from a3t.spans import Span

FREQUENCY = 1000.0  # Hz, as broadcasters have it
RAMP = 0.005  # seconds
AROUND = 2.0  # seconds of the recording whose level it takes
LOUDEST = 0.25  # amplitude, full scale at 1


def with_bleep(patch: Patch, recording: Recording, span: Span) -> Patch:
    """A patch of silence with a tone over samples [first, last) of the recording, at the level of
    the sound around it."""
    rate, (first, last) = recording.sample_rate, span
    reach = round(AROUND * rate)
    around = recording.mono(max(0, first - reach), min(recording.samples, last + reach))
    level = float(np.sqrt(np.mean(np.square(around, dtype=np.float64))))
    place = np.arange(last - first)
    ends = np.minimum(place + 0.5, place[::-1] + 0.5) / (RAMP * rate)
    tone = np.sin(2 * np.pi * FREQUENCY * place / rate) * np.clip(ends, 0.0, 1.0)
    samples = patch.samples.copy()
    begin = first - patch.source[0]
    samples[begin : begin + len(tone)] += min(np.sqrt(2) * level, LOUDEST) * tone[:, None]
    return replace(patch, samples=samples)
