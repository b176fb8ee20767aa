"""The result of TTS: speech in a prompt's voice, written only when it is saved."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from a3t.audio.files import check_target, staged_beside
from a3t.audio.provenance import Trace, models_named, provenance_block
from a3t.audio.recording import Recording
from a3t.audio.speech import check_record, write_json, write_speech
from a3t.plan.edit_plan import PlannedPhone
from alignment.atomic import put_in_place


@dataclass(frozen=True)
class SpokenRecording:
    """Speech in a prompt's voice (`a3t.plan.prompt`); nothing is written until `save`."""

    samples: np.ndarray  # (n,) float32, full scale at 1
    sample_rate: int
    text: str
    prompt: Recording
    prompt_text: str
    phones: tuple[PlannedPhone, ...]
    model: dict[str, str | None]
    vocoder: dict[str, str | None]
    seed: int
    voice: dict[str, str | None] | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    def save(self, out: Path | str, provenance: bool = True) -> Path:
        """Write a 16-bit file in the format of ``out``'s suffix, and speech.json beside it.

        With ``provenance`` the file's comment says that it is synthetic. Returns its path.
        """
        out = Path(out)
        end, models = (
            len(self.samples) / self.sample_rate,
            models_named(self.model, *filter(None, [self.voice]), self.vocoder),
        )
        traces = [Trace(0.0, end, True, "", models)] if provenance else []
        block = provenance_block(traces, len(self.samples), self.sample_rate)
        record = out.with_name(f"{out.stem}.speech.json")
        check_target(out, self.prompt.path)
        check_record(record, "prompt")
        with staged_beside(out) as stage:
            sound = stage / out.name
            write_speech(sound, self.samples, self.sample_rate, self.prompt.path, block)
            write_json(stage / record.name, self.record)
            put_in_place([(stage / record.name, record), (sound, out)])
        return out

    @property
    def record(self) -> dict[str, Any]:
        """The contents of speech.json."""
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
        } | ({"voice": self.voice} if self.voice else {})
