"""The map of an edited recording to its source: in samples, in seconds and in words."""

from __future__ import annotations

from dataclasses import dataclass

from a3t.audio.output.span_map import SpanMap


@dataclass(frozen=True)
class EditMap:
    """The correspondence in samples and in words, each with one change per edit.

    Words are numbered as in the plan, which for a long recording has only those around the edits.
    sample_rate: in Hz, the recording's own.
    """

    samples: SpanMap
    words: SpanMap
    sample_rate: int

    def seconds(self, samples: int) -> float:
        """Samples, at the recording's own rate, in seconds."""
        return samples / self.sample_rate

    @property
    def output_seconds(self) -> float:
        """The edited recording's duration."""
        return self.seconds(self.samples.output_length)
