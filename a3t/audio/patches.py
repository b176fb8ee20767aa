"""A patch: what replaces a stretch of a recording, and what several of them do to its clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from a3t.audio.formats import Native, quantise, to_float
from a3t.audio.recording import BLOCK, Recording

Span = tuple[int, int]  # samples [first, last)


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
        """By how many samples the recording becomes longer."""
        return len(self.samples) - (self.source[1] - self.source[0])


@dataclass(frozen=True)
class SpanPair:
    """A patched stretch [first, last) in the source's samples and in the output's."""

    source: Span
    output: Span


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


def output_spans(patches: Sequence[Patch]) -> tuple[SpanPair, ...]:
    """Where each of the ordered patches lies in the source and in the output."""
    pairs, growth = [], 0
    for patch in patches:
        first = patch.source[0] + growth
        pairs.append(SpanPair(patch.source, (first, first + len(patch.samples))))
        growth += patch.growth
    return tuple(pairs)


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
    ordered = in_order(patches, recording)
    length = recording.samples + sum(patch.growth for patch in ordered)
    if not 0 <= first <= last <= length:
        raise ValueError(f"[{first}, {last}) is not within [0, {length})")
    pieces = [np.empty((0, recording.channels))]
    kept, position = 0, 0  # places in the source and in the output
    for patch in [*ordered, None]:
        until = recording.samples if patch is None else patch.source[0]
        begin, end = max(first, position), min(last, position + until - kept)
        if begin < end:
            shift = kept - position
            pieces.append(to_float(recording.read(begin + shift, end + shift)))
        position += until - kept
        if patch is not None:
            begin, end = max(first - position, 0), min(last - position, len(patch.samples))
            if begin < end:
                pieces.append(patch.samples[begin:end])
            position += len(patch.samples)
            kept = patch.source[1]
    return np.concatenate(pieces)
