"""What flows through the editor, between the recording and the edited recording.

    Recording → Transcript → Alignment → EditPlan → filled mel → patch → EditedRecording

Small, immutable, printable, and written to JSON. What a plan is made of stands in
`a3t.plan.records`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from a3t.audio.emphasis import Raised
from a3t.audio.files import sha256_of
from a3t.audio.patches import Patch, output_spans
from a3t.audio.recording import Recording
from a3t.audio.speech import write_json, write_speech
from a3t.audio.writing import check_output, default_output, write_edited
from a3t.plan.records import EditPlan, PlannedPhone
from a3t.provenance import Trace, comment, models_named, told, traces_after


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
    raised: tuple[tuple[Raised, ...], ...] = ()  # for each edit its emphasised words
    candidate: dict[str, float] | None = None  # its rank among several and why; `a3t.candidates`

    @property
    def doubtful(self) -> tuple[str, ...]:
        """New words that were not heard in the result."""
        return tuple(w.word for words in self.heard or () for w in words if w.score < 0.5)

    def save(
        self,
        out: Path | str | None = None,
        provenance: bool = True,
        notes: Mapping[str, Any] | None = None,
    ) -> Path:
        """Write the sound, and edit.json beside it; returns the sound's path.

        ``out`` defaults to {stem}.edited.wav beside the recording. With ``provenance`` the sound's
        comment says which parts a machine made (`a3t.provenance`). ``notes`` are further entries
        of edit.json. Raises InputError if it can't be written; then nothing is.
        """
        out = Path(out) if out is not None else default_output(self.recording.path)
        words = [None if e.op == "delete" else e.new_words for e in self.plan.edits]
        made_by = models_named(self.model, self.vocoder)
        traces = traces_after(self.recording, self.patches, words, made_by) if provenance else ()
        text = comment(self.recording, self.patches, traces, out)
        write_edited(self.recording, self.patches, out, text)
        output = {"sha256": sha256_of(out)}
        record = self.record | {"output": output, "provenance": provenance, **(notes or {})}
        write_json(out.with_name(f"{out.stem}.edit.json"), record)
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
                "words": [word.to_json() for word in edit.words],
            }
            for edit, span in zip(self.plan.edits, spans, strict=True)
        ]
        for edit, planned, raised in zip(edits, self.plan.edits, self.raised, strict=False):
            stressed = [word.text for word in planned.words if word.emphasis]
            if stressed:
                edit["emphasis"] = [
                    {"word": word, "semitones": round(x.semitones, 2), "dB": round(x.decibels, 2)}
                    for word, x in zip(stressed, raised, strict=True)
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
            "aligned_words": [list(words) for words in self.plan.passages] or None,
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

    def save(self, out: Path | str, provenance: bool = True) -> Path:
        """Write a 16-bit file of the kind that ``out`` ends in, and speech.json beside it.

        With ``provenance`` its comment says that a machine made it.
        """
        out = Path(out)
        end, models = len(self.samples) / self.sample_rate, models_named(self.model, self.vocoder)
        traces = [Trace(0.0, end, True, "", models)] if provenance else []
        block = told(traces, len(self.samples), self.sample_rate)
        write_speech(out, self.samples, self.sample_rate, self.prompt.path, block)
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
