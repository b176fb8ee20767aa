"""A part of a recording as a separate recording, in a temporary file."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import soundfile

from a3t.audio.reading.recording import Recording
from a3t.grid import FRAMES_PER_SECOND
from a3t.spans import Span

# Sample types that are written unchanged; all others decode to floats.
SUBTYPES = ("PCM_16", "PCM_24", "PCM_32", "PCM_U8", "FLOAT", "DOUBLE")


def whole_frames(rate: int) -> int:
    """The fewest samples at this rate, in Hz, that are a whole number of frames of the grid."""
    return rate // math.gcd(rate, FRAMES_PER_SECOND)


@contextmanager
def audio_slice(recording: Recording, span: Span) -> Iterator[Recording]:
    """Samples [first, last) of a recording while the context lasts, sample for sample; the
    recording itself for all of it. ValueError unless it begins with a frame of the grid, so that
    both have the same frames."""
    first, last = span
    if not 0 <= first < last <= recording.samples or first % whole_frames(recording.sample_rate):
        raise ValueError(span)
    if span == (0, recording.samples):
        yield recording
        return
    with tempfile.TemporaryDirectory() as folder:
        samples, rate = recording.read(first, last), recording.sample_rate
        path = Path(folder) / "stretch.wav"
        subtype = recording.subtype if recording.subtype in SUBTYPES else "FLOAT"
        soundfile.write(path, samples, rate, subtype, format="WAV")
        yield Recording(path, rate, recording.channels, len(samples), subtype, "WAV")
