"""The content of an edit's picture, before and after: sound, words and marks, in seconds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from a3t.audio.output.patches import read_patched
from a3t.rendering.edited import EditedRecording
from a3t.rendering.edited_alignment import edited_alignment

LONGEST = 12.0  # seconds shown; a longer recording is cut to the part around its first edits
MARGIN = 2.0  # seconds shown before the first edit of a longer recording


@dataclass(frozen=True)
class Mark:
    """An edit's span on one side, in seconds.

    wordless: whether it has no words there, like an insertion before the edit and a deletion after.
    """

    op: str
    start: float
    end: float
    wordless: bool


@dataclass(frozen=True)
class Label:
    """A word above the waveform, in seconds; ``op`` is set if it belongs to an edit."""

    text: str
    start: float
    end: float
    op: str | None = None


@dataclass(frozen=True)
class Side:
    """The drawn part of one recording: samples (n,) at ``rate``, from ``start`` seconds."""

    title: str
    text: str
    samples: npt.NDArray[np.float32]
    rate: int
    start: float
    marks: tuple[Mark, ...]
    labels: tuple[Label, ...]

    @property
    def end(self) -> float:
        return self.start + len(self.samples) / self.rate

    @property
    def shown_labels(self) -> tuple[Label, ...]:
        """The labels within the picture; words cut by its edge are omitted."""
        first, last = self.start - 0.05, self.end + 0.05
        return tuple(word for word in self.labels if first <= word.start and word.end <= last)


def sides_of(result: EditedRecording) -> tuple[Side, Side]:
    """The drawn parts of a recording and of its edit, which begin at the same point of unchanged
    sound."""
    plan, edited, recording = result.plan, result.map, result.recording
    changes, rate, length = edited.samples.changes, recording.sample_rate, recording.samples
    longest = max(recording.seconds, edited.output_seconds)
    first = edited.seconds(changes[0].source[0]) if changes else 0.0
    start = max(0.0, min(first - MARGIN, longest - LONGEST))
    begin, stop = round(start * rate), round((start + LONGEST) * rate)
    old = recording.mono(min(begin, length), min(stop, length))
    length = edited.samples.output_length
    new = read_patched(recording, result.patches, min(begin, length), min(stop, length))
    sides = []
    for title, text, samples, aligned, wordless, spans, words in (
        ("Before", plan.text.text, old, plan.alignment, "insert",
         [change.source for change in changes], [edit.old for edit in plan.edits]),
        ("After", plan.new_text.text, new.mean(axis=1).astype(np.float32), edited_alignment(result),
         "delete", [change.output for change in changes], [edit.new for edit in plan.edits]),
    ):  # fmt: skip
        ops = [edit.op for edit in plan.edits]
        op_of = {k: op for own, op in zip(words, ops, strict=True) for k in range(*own)}
        marks = tuple(
            Mark(op, edited.seconds(first), edited.seconds(last), op == wordless)
            for op, (first, last) in zip(ops, spans, strict=True)
        )
        labels = tuple(
            Label(word.text, word.start, word.end, op_of.get(k))
            for k, word in enumerate(aligned.spoken)
        )
        side = Side(title, text, samples, rate, start, marks, labels)
        if longest > LONGEST:
            side = replace(side, text=f"… {' '.join(word.text for word in side.shown_labels)} …")
        sides.append(side)
    return sides[0], sides[1]
