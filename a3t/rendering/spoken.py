"""The result of TTS: speech in a prompt's voice, written only when it is saved."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from a3t.audio.output.files import check_target, sha256_of, staged_beside
from a3t.audio.output.provenance import Trace, Weights, models_named, provenance_block
from a3t.audio.output.records import check_record, write_json
from a3t.audio.output.writing import write_speech
from a3t.grid import SAMPLE_RATE
from a3t.plan.prompt import SpeechPlan
from alignment.atomic import put_in_place


@dataclass(frozen=True)
class SpokenRecording:
    """A plan's speech; nothing is written until `save`.

    samples: (n,) float32 at 24 kHz, full scale at 1. model, vocoder, voice (the one adapted to, or
    None): name and sha256. seconds: time spent per step.
    """

    samples: np.ndarray
    plan: SpeechPlan
    model: Weights
    vocoder: Weights
    voice: Weights | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def prompt_text(self) -> str:
        """The text of the prompts."""
        return " ".join(each.text.text for each in self.plan.heard)

    def save(self, out: Path | str, provenance: bool = True) -> Path:
        """Write a 16-bit file in the format of ``out``'s suffix, and speech.json beside it.

        With ``provenance`` the file's comment says that it is synthetic. Returns its path.
        """
        out = Path(out)
        models = models_named(self.model, self.voice, self.vocoder)
        traces = [Trace(0.0, len(self.samples) / SAMPLE_RATE, True, "", models)]
        block = provenance_block(traces, len(self.samples), SAMPLE_RATE) if provenance else ""
        record = out.with_name(f"{out.stem}.speech.json")
        prompts = [each.recording.path for each in self.plan.heard]
        for path in prompts:
            check_target(out, path)
        check_target(out)
        check_record(record, "phones", out)
        with staged_beside(out) as stage:
            sound = stage / out.name
            write_speech(sound, self.samples, SAMPLE_RATE, comment=block)
            output = {"ending": out.suffix, "sha256": sha256_of(sound)}
            write_json(stage / record.name, self.record | {"output": output})
            put_in_place([(stage / record.name, record), (sound, out)])
        return out

    @property
    def record(self) -> dict[str, Any]:
        """The contents of speech.json."""
        return {
            "prompts": [
                {**each.recording.to_json(), "text": each.text.text} for each in self.plan.heard
            ],
            "text": self.plan.text,
            "sample_rate": SAMPLE_RATE,
            "samples": len(self.samples),
            "phones": [[phone.symbol, phone.frames] for phone in self.plan.phones],
            "model": self.model.to_json(),
            "vocoder": self.vocoder.to_json(),
            "seed": self.plan.request.seed,
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
        } | ({"voice": self.voice.to_json()} if self.voice else {})
