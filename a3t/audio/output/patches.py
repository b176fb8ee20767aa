"""A patch, which replaces a part of a recording; and a recording with patches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from a3t.audio.reading.formats import Native, quantise, to_float
from a3t.audio.reading.recording import BLOCK, Recording
from a3t.spans import Span, SpanMap


@dataclass(frozen=True, eq=False)
class Patch:
    """The recording's samples [first, last) give way to `samples`.

    samples: (n, channels) float64, full scale at 1. They hold everything that differs from the
    recording, cross-fades included; n may differ from last - first.
    """

    source: Span
    samples: np.ndarray

    def __post_init__(self) -> None:
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
    """The patches sorted by place. Raises ValueError if two overlap or one does not fit."""
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
    """A map of the recording's samples to the result's; ValueError as `in_order`."""
    ordered = in_order(patches, recording)
    replaced = ((patch.source, len(patch.samples)) for patch in ordered)
    return SpanMap.replacing(replaced, recording.samples)


def insert_patches(recording: Recording, patches: Sequence[Patch]) -> Iterator[Native]:
    """The edited recording in blocks of (<= BLOCK, channels), in the recording's own dtype.

    Every sample outside the patches is the recording's own, never converted.
    """
    position = 0
    for patch in in_order(patches, recording):
        yield from recording.blocks(position, patch.source[0])
        for start in range(0, len(patch.samples), BLOCK):
            yield quantise(patch.samples[start : start + BLOCK], recording.format)
        position = patch.source[1]
    yield from recording.blocks(position)


def read_patched(
    recording: Recording, patches: Sequence[Patch], first: int, last: int
) -> np.ndarray:
    """Samples [first, last) of the edited recording, (last - first, channels) float64.

    What is read costs what the span costs, however long the recording is. Raises ValueError if
    the span isn't the edited recording's.
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
