"""A patch, which replaces a part of a recording; and a recording with patches."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np
import soundfile

from a3t.audio.reading.formats import Native, quantise, to_float
from a3t.audio.reading.recording import BLOCK_SAMPLES, Recording
from a3t.grid import FRAMES_PER_SECOND
from a3t.spans import Span, SpanMap

# Sample types that are written unchanged; all others decode to floats.
EXACT_SUBTYPES = ("PCM_16", "PCM_24", "PCM_32", "PCM_U8", "FLOAT", "DOUBLE")


@dataclass(frozen=True, eq=False)
class Patch:
    """The recording's samples [first, last) give way to `samples`.

    samples: (n, channels) float64, full scale at 1. They hold everything that differs from the
    recording, cross-fades included; n may differ from last - first.
    """

    source: Span
    samples: np.ndarray

    def __post_init__(self) -> None:
        """Raise ValueError for a span that ends before it begins, or samples that aren't finite."""
        first, last = self.source
        if not 0 <= first <= last:
            raise ValueError(f"[{first}, {last}) is not a span")
        if self.samples.ndim != 2 or not np.isfinite(self.samples).all():
            raise ValueError("a patch is a finite array of (samples, channels)")

    @property
    def growth(self) -> int:
        """The samples by which the recording becomes longer."""
        return len(self.samples) - (self.source[1] - self.source[0])


def in_order(patches: Sequence[Patch], recording: Recording) -> tuple[Patch, ...]:
    """Return the patches sorted by place; raise ValueError if two overlap or one does not fit."""
    ordered = tuple(sorted(patches, key=lambda patch: patch.source))
    end = 0
    for patch in ordered:
        if patch.source[0] < end:
            raise ValueError(f"two patches overlap at sample {patch.source[0]}")
        if patch.samples.shape[1] != recording.channels:
            raise ValueError(
                f"a patch has {patch.samples.shape[1]} channels, not {recording.channels}"
            )
        end = patch.source[1]
    if end > recording.samples:
        raise ValueError(f"a patch ends at {end}, after the recording's {recording.samples}")
    return ordered


def sample_map(recording: Recording, patches: Sequence[Patch]) -> SpanMap:
    """Map the recording's samples to the result's; raise ValueError as `in_order` does."""
    ordered = in_order(patches, recording)
    replaced = ((patch.source, len(patch.samples)) for patch in ordered)
    return SpanMap.replacing(replaced, recording.samples)


def insert_patches(recording: Recording, patches: Sequence[Patch]) -> Iterator[Native]:
    """Yield the edited recording in blocks (<= BLOCK_SAMPLES, channels) of its own dtype.

    Every sample outside the patches is the recording's own, never converted.
    """
    position = 0
    for patch in in_order(patches, recording):
        yield from recording.blocks(position, patch.source[0])
        for start in range(0, len(patch.samples), BLOCK_SAMPLES):
            yield quantise(patch.samples[start : start + BLOCK_SAMPLES], recording.format)
        position = patch.source[1]
    yield from recording.blocks(position)


def read_patched(
    recording: Recording, patches: Sequence[Patch], first: int, last: int
) -> np.ndarray:
    """Read samples [first, last) of the edited recording, (last - first, channels) float64.

    What is read costs what the span costs, however long the recording is. Raises ValueError if the
    span isn't the edited recording's.
    """
    ordered, spans = in_order(patches, recording), sample_map(recording, patches)
    if not 0 <= first <= last <= spans.output_length:
        raise ValueError(f"[{first}, {last}) is not within [0, {spans.output_length})")
    pieces = [np.empty((0, recording.channels))]
    for kept, change, patch in zip_longest(spans.kept(), spans.changes, ordered):
        begin, end = max(first, kept.output[0]), min(last, kept.output[1])
        if begin < end:
            shift = kept.source[0] - kept.output[0]
            pieces.append(to_float(recording.read(begin + shift, end + shift)))
        if change is None:  # after the last patch
            break
        start = change.output[0]
        begin, end = max(first, start), min(last, change.output[1])
        if begin < end:
            pieces.append(patch.samples[begin - start : end - start])
    return np.concatenate(pieces)


def whole_frames(rate: int) -> int:
    """Return the fewest samples at a rate in Hz that are a whole number of the grid's frames."""
    return rate // math.gcd(rate, FRAMES_PER_SECOND)


@contextmanager
def audio_slice(recording: Recording, span: Span) -> Iterator[Recording]:
    """Write samples [first, last) to a recording of their own while the context lasts.

    For all samples it is the recording itself. Raises ValueError unless the span begins with a
    frame of the grid, so that both have the same frames.
    """
    first, last = span
    if not 0 <= first < last <= recording.samples or first % whole_frames(recording.sample_rate):
        raise ValueError(span)
    if span == (0, recording.samples):
        yield recording
        return
    with tempfile.TemporaryDirectory() as folder:
        samples, rate = recording.read(first, last), recording.sample_rate
        path = Path(folder) / "stretch.wav"
        subtype = recording.subtype if recording.subtype in EXACT_SUBTYPES else "FLOAT"
        soundfile.write(path, samples, rate, subtype, format="WAV")
        yield Recording(path, rate, recording.channels, len(samples), subtype, "WAV")
