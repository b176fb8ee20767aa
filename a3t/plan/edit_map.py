"""How an edited recording corresponds to its source: in samples, in seconds and in words."""

from __future__ import annotations

from dataclasses import dataclass

from a3t.audio.span_map import SpanMap


@dataclass(frozen=True)
class EditMap:
    """Both sides of an edit; ``samples`` and ``words`` have a change for each of its edits.

    Words are counted as in the plan: of a long recording those around the edits. sample_rate: Hz.
    """

    samples: SpanMap
    words: SpanMap
    sample_rate: int

    def seconds(self, samples: int) -> float:
        """Samples of the recording's clock in seconds."""
        return samples / self.sample_rate

    @property
    def source_seconds(self) -> float:
        """How long the source is."""
        return self.seconds(self.samples.length)

    @property
    def output_seconds(self) -> float:
        """How long the edited recording is."""
        return self.seconds(self.samples.output_length)
