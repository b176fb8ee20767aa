"""What flows through the editor, between the recording and the edited recording.

    Recording → Transcript → Alignment → EditPlan → filled mel → patch → EditedRecording

Small, immutable, printable, and written to JSON. Frames are those of the one grid: 12.5 ms,
300 samples at 24 kHz (`a3t.plan.grid`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from a3t.asked import USUAL, Asked
from a3t.audio.patches import Patch, output_spans
from a3t.audio.recording import Recording
from a3t.audio.speech import write_json, write_speech
from a3t.audio.writing import check_output, default_output, write_edited
from a3t.text.transcript import Transcript
from alignment.records import Alignment

Range = tuple[int, int]  # [first, last)


@dataclass(frozen=True, slots=True)
class GridPhone:
    """A phone on the grid: frames [first, last); ``word`` counts spoken words, -1 for a pause."""

    symbol: str
    first: int
    last: int
    word: int

    @property
    def frames(self) -> int:
        return self.last - self.first


@dataclass(frozen=True, slots=True)
class PlannedPhone:
    """A phone of the edited speech; ``source`` is the recording's frame it is kept from, or None
    if it is to be made. ``word`` counts the new text's spoken words, -1 for a pause."""

    symbol: str
    frames: int
    word: int
    source: int | None = None


@dataclass(frozen=True, slots=True)
class PlannedEdit:
    """One change: spoken words, the recording's frames that go, and the phones that come.

    ``source`` holds the frames of what is replaced or deleted (empty for an insertion), ``margin``
    how many frames of its neighbours on either side are made anew with it, ``overlap`` how many
    beyond these are free for the joint. ``scale`` is by how much the new words were stretched to
    fit the old words' time; 1 where they were not.
    """

    op: str  # "replace", "insert" or "delete"
    old: Range
    new: Range
    old_words: str
    new_words: str
    source: Range
    phones: tuple[PlannedPhone, ...]
    margin: Range
    overlap: Range
    scale: float = 1.0

    @property
    def frames(self) -> int:
        """Frames of the new words."""
        return sum(phone.frames for phone in self.phones)

    @property
    def remade(self) -> Range:
        """The recording's frames that are replaced, margins included."""
        return self.source[0] - self.margin[0], self.source[1] + self.margin[1]

    def to_json(self) -> dict[str, Any]:
        return {
            "op": self.op,
            "old_words": self.old_words,
            "new_words": self.new_words,
            "source_frames": list(self.source),
            "margin_frames": list(self.margin),
            "frames": self.frames,
            "scale": round(self.scale, 4),
            "phones": [[phone.symbol, phone.frames] for phone in self.phones],
        }


@dataclass(frozen=True, slots=True)
class Window:
    """What the model sees at once: edits (by index) among the recording's frames ``source``."""

    source: Range
    edits: tuple[int, ...]


@dataclass(frozen=True)
class EditPlan:
    """Everything that is decided before a sample is rendered."""

    text: Transcript
    new_text: Transcript
    alignment: Alignment
    phones: tuple[GridPhone, ...]  # the recording's, on the grid
    frames: int  # of the recording
    edits: tuple[PlannedEdit, ...]
    windows: tuple[Window, ...]
    rate: float  # this speaker's slowness against the duration predictor, times 1 / speed
    asked: Asked = USUAL

    def to_json(self) -> dict[str, Any]:
        return {
            "text": self.text.text,
            "new_text": self.new_text.text,
            "rate": round(self.rate, 4),
            "edits": [edit.to_json() for edit in self.edits],
            "windows": [{"source_frames": list(w.source), "edits": w.edits} for w in self.windows],
        }

    def describe(self) -> str:
        """The plan for a person, a line an edit."""
        if not self.edits:
            return "Nothing to change: the two texts have the same words."
        lines = []
        for edit in self.edits:
            first, last = (frame / 80 for frame in edit.source)
            place = f"at {first:.2f} s" if first == last else f"{first:.2f}–{last:.2f} s"
            match edit.op:
                case "delete":
                    lines.append(f"delete  “{edit.old_words}” ({place})")
                case "insert":
                    lines.append(f"insert  “{edit.new_words}” {place} ({edit.frames / 80:.2f} s)")
                case _:
                    lines.append(
                        f"replace “{edit.old_words}” ({place}) by “{edit.new_words}” "
                        f"({edit.frames / 80:.2f} s)"
                    )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class HeardWord:
    """A new word and how well the aligner hears it in the result, 0..1; below 0.5 is doubtful."""

    word: str
    score: float


@dataclass(frozen=True)
class EditedRecording:
    """The recording with its patches; nothing is written until `save`."""

    recording: Recording
    patches: tuple[Patch, ...]
    plan: EditPlan
    model: dict[str, str | None]  # name, sha256
    vocoder: dict[str, str | None]
    seed: int
    seconds: dict[str, float] = field(default_factory=dict)  # per step
    heard: tuple[tuple[HeardWord, ...], ...] | None = None  # for each edit, once it was checked
    candidate: dict[str, float] | None = None  # its rank among several and why; `a3t.candidates`

    @property
    def doubtful(self) -> tuple[str, ...]:
        """New words that were not heard in the result."""
        return tuple(w.word for words in self.heard or () for w in words if w.score < 0.5)

    def save(self, out: Path | str | None = None) -> Path:
        """Write the sound, and edit.json beside it; returns the sound's path.

        ``out`` defaults to {stem}.edited.wav beside the recording. Raises InputError if it can't
        be written; then nothing is.
        """
        out = Path(out) if out is not None else default_output(self.recording.path)
        write_edited(self.recording, self.patches, out)
        write_json(out.with_name(f"{out.stem}.edit.json"), self.record)
        return out

    def check(self, out: Path | str | None = None) -> Path:
        """Where `save` will write; raises InputError now if it could not."""
        return check_output(self.recording, out or default_output(self.recording.path))

    @property
    def record(self) -> dict[str, Any]:
        """edit.json (architecture.md): outside the ``output`` spans the output equals the source
        outside the ``source`` spans, sample for sample."""
        spans = output_spans(self.patches)
        edits: list[dict[str, Any]] = [
            {
                "op": edit.op,
                "old_words": edit.old_words,
                "new_words": edit.new_words,
                "source": list(span.source),
                "output": list(span.output),
                "scale": round(edit.scale, 4),
            }
            for edit, span in zip(self.plan.edits, spans, strict=True)
        ]
        for edit, words in zip(edits, self.heard or (), strict=False):
            edit["heard"] = [{"word": w.word, "score": w.score} for w in words]
        return {
            "source": self.recording.to_json(),
            "text": self.plan.text.text,
            "new_text": self.plan.new_text.text,
            "edits": edits,
            "rate": round(self.plan.rate, 4),
            "asked": self.plan.asked.to_json(),
            "alignment": self.plan.alignment.to_json(),
            "model": self.model,
            "vocoder": self.vocoder,
            "seed": self.seed,
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
        } | ({"candidate": self.candidate} if self.candidate else {})


@dataclass(frozen=True)
class SpokenRecording:
    """Speech made from a prompt (section 4.3.6); nothing is written until `save`."""

    samples: np.ndarray  # (n,) float32, full scale at 1
    sample_rate: int
    text: str
    prompt: Recording
    prompt_text: str
    phones: tuple[PlannedPhone, ...]
    model: dict[str, str | None]
    vocoder: dict[str, str | None]
    seed: int
    seconds: dict[str, float] = field(default_factory=dict)

    def save(self, out: Path | str) -> Path:
        """Write a 16-bit file of the kind that ``out`` ends in, and speech.json beside it."""
        out = Path(out)
        write_speech(out, self.samples, self.sample_rate, self.prompt.path)
        write_json(out.with_name(f"{out.stem}.speech.json"), self.record)
        return out

    @property
    def record(self) -> dict[str, Any]:
        return {
            "prompt": self.prompt.to_json(),
            "prompt_text": self.prompt_text,
            "text": self.text,
            "sample_rate": self.sample_rate,
            "samples": len(self.samples),
            "phones": [[phone.symbol, phone.frames] for phone in self.phones],
            "model": self.model,
            "vocoder": self.vocoder,
            "seed": self.seed,
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
        }
