"""Spans of samples, frames or words, and maps between an edit's source and its output."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

Span = tuple[int, int]  # samples, frames or words [first, last)
Margins = tuple[int, int]  # how many of them before a span, and after it


@dataclass(frozen=True, slots=True)
class SpanPair:
    """A stretch [first, last) of the source and the one that stands for it in the output."""

    source: Span
    output: Span

    @property
    def growth(self) -> int:
        """The growth of the stretch from source to output."""
        return (self.output[1] - self.output[0]) - (self.source[1] - self.source[0])


@dataclass(frozen=True)
class SpanMap:
    """A source and an output that differ in ``changes``, in order, and in nothing else.

    Places are samples, or words, counted from 0; ``length`` is how many the source has.
    """

    changes: tuple[SpanPair, ...]
    length: int

    @classmethod
    def replacing(cls, replaced: Iterable[tuple[Span, int]], length: int) -> SpanMap:
        """Map a source in which spans, in order, are replaced by others of these lengths."""
        changes, growth = [], 0
        for (first, last), new_length in replaced:
            start = first + growth
            changes.append(SpanPair((first, last), (start, start + new_length)))
            growth += changes[-1].growth
        return cls(tuple(changes), length)

    @cached_property
    def shifts(self) -> tuple[int, ...]:
        """The shift of what follows the first k changes, for k = 0, 1, … all of them."""
        return tuple(accumulate((change.growth for change in self.changes), initial=0))

    @property
    def output_length(self) -> int:
        """The number of places in the output."""
        return self.length + self.shifts[-1]

    def output_of(self, place: int) -> int:
        """Return the output's place for one in the source; inside a change, the change's start."""
        k = bisect_right(self._source_starts, place)
        if k and place < self.changes[k - 1].source[1]:
            return self.changes[k - 1].output[0]
        return place + self.shifts[k]

    def output_span(self, span: Span) -> Span:
        """Return the output's stretch for one of the source that cuts no change in two.

        What is inserted at its ends belongs to it.
        """
        before = bisect_left(self._source_starts, span[0])
        past = bisect_right([change.source[1] for change in self.changes], span[1])
        return span[0] + self.shifts[before], span[1] + self.shifts[past]

    def kept(self) -> Iterator[SpanPair]:
        """Yield the stretches that are the same in both: before, between and after changes."""
        here = there = 0
        for change in self.changes:
            yield SpanPair((here, change.source[0]), (there, change.output[0]))
            here, there = change.source[1], change.output[1]
        yield SpanPair((here, self.length), (there, self.output_length))

    def kept_places(self) -> Iterator[tuple[int, int]]:
        """Each place of the source that is kept, and the place in the output that it has there."""
        for same in self.kept():
            yield from zip(range(*same.source), range(*same.output), strict=True)

    @cached_property
    def _source_starts(self) -> list[int]:
        return [change.source[0] for change in self.changes]


@dataclass(frozen=True)
class EditMap:
    """The map of an edited recording to its source, in samples and in words.

    Each edit is one change. Words are numbered as in the plan, which for a long recording has only
    those around the edits. sample_rate: in Hz, the recording's own.
    """

    samples: SpanMap
    words: SpanMap
    sample_rate: int

    def seconds(self, samples: int) -> float:
        """Convert samples, at the recording's own rate, to seconds."""
        return samples / self.sample_rate

    @property
    def output_seconds(self) -> float:
        """The edited recording's duration."""
        return self.seconds(self.samples.output_length)
