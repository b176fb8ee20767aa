"""The voice of the recording being edited, or of those that speech is to sound like, learnt from
their own words.

A recording, an hour or one sentence, is itself the best material for its own edits.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from safetensors.torch import load, save
from torch import Tensor

from a3t.errors import InputError
from a3t.model.loading import Networks
from a3t.model.saved_voices import OF_RECORDING, RECORDING_PARTS, Voice
from a3t.model.threads import on_threads, one_thread
from a3t.plan.edit_plan import EditPlan
from a3t.plan.json_values import alignment_of, optional
from a3t.plan.prompt import SpeechPlan
from a3t.source.alignment_cache import read_cached, write_cached
from a3t.source.alignments import AlignmentStore
from a3t.voice.adaptation import MOST_STEPS, THREADS, AdaptationConfig, adapt, steps_for
from a3t.voice.adaptation_data import LEAST_PROMPT_SECONDS, LEAST_SECONDS, AdaptationSpeech
from a3t.voice.learning.precision import PRECISIONS, use_bfloat16
from a3t.voice.unfinished_learning import workplace
from alignment import Alignment

LEAST_STEPS = 120  # the decoder alone needs more of them than all of the network
FRACTIONS = (1.0, 0.5, 0.25)  # of the steps, for those with less time
TIMED = 3  # steps that tell how long the others will take


class NotLearntError(Exception):
    """A voice would have to be learnt first."""


@dataclass(frozen=True)
class VoiceLearner:
    """Learns the voices of recordings.

    networks: without a voice. folder: keeps what is learnt, None for nowhere; learning that was
    interrupted resumes there too. progress: called with the name of each step, "learn 3 120".
    """

    networks: Networks
    alignments: AlignmentStore
    folder: Path | None = None
    progress: Callable[[str], None] | None = None

    def voice_for(self, plan: EditPlan | SpeechPlan, learn: bool = True) -> Voice | None:
        """The voice that a plan asks for, None for the networks' own.

        InputError if there is too little speech for "always", or if the entry of an edit.json was
        changed by hand; NotLearntError if ``learn`` is not set and the voice isn't known.
        """
        when = plan.request.adapt
        if when == "never":
            return None
        if isinstance(when, Mapping):
            assert isinstance(plan, EditPlan)
            config, told = recorded_settings(when)
            speech = AdaptationSpeech(plan.recording, told or plan.alignment, told is not None)
            return self.learnt(speech, config)
        with one_thread():
            if isinstance(plan, SpeechPlan):
                if not plan.heard:  # the prompt is a saved voice's own
                    return None
                least = LEAST_PROMPT_SECONDS
                speech = AdaptationSpeech.of_prompts(self.alignments, plan.heard)
            else:
                if not any(edit.is_spoken for edit in plan.edits):  # nothing is made
                    return None
                if when != "always" and plan.recording.seconds < LEAST_SECONDS:
                    return None
                least = LEAST_SECONDS
                speech = AdaptationSpeech.of(self.alignments, plan)
            budget = None if isinstance(when, str) else float(when)
            voice = self._remembered(speech, _usual(), budget)
            if voice is not None or (when != "always" and not speech.has_seconds(least)):
                return voice
        if not learn:
            raise NotLearntError
        return self.learnt(speech, budget=budget)

    def learnt(
        self,
        speech: AdaptationSpeech,
        config: AdaptationConfig | None = None,
        budget: float | None = None,
    ) -> Voice | None:
        """The voice of a recording, or of several together, as it is remembered or newly learnt.

        ``budget``: how many seconds it may take; with little time there are fewer steps, and with
        too little there is none. Raises InputError if there is too little speech to learn from.
        """
        config = config or _usual()
        if (known := self._remembered(speech, config, budget)) is not None:
            return known
        with on_threads(THREADS):
            precision = "bfloat16" if use_bfloat16(config.precision) else "float32"
        settings = _settings(replace(config, precision=precision), speech, budget)
        if budget is not None:
            each = self._seconds_a_step(speech, settings[0])
            settings = [own for own in settings if (own.steps or 0) * each <= budget]
            if not settings:
                return None
        place = self._place(speech, settings[0])
        data = self._learn(speech, settings[0], place)
        write_cached(place, data)
        return self._voice(speech, settings[0], data)

    def _remembered(
        self, speech: AdaptationSpeech, config: AdaptationConfig, budget: float | None
    ) -> Voice | None:
        """The voice as learnt before, in the most steps in which it was."""
        precisions = PRECISIONS[1:] if config.precision == "auto" else (config.precision,)
        for own in _settings(config, speech, budget) if self.folder is not None else ():
            for precision in precisions:  # which this machine has takes longer to measure
                exact = replace(own, precision=precision)
                if (data := read_cached(self._place(speech, exact))) is not None:
                    return self._voice(speech, exact, data)
        return None

    def _learn(
        self, speech: AdaptationSpeech, config: AdaptationConfig, place: Path | None = None
    ) -> bytes:
        """Learn a voice and keep it in ``place``. If that is interrupted, even by kill -9, the
        same call goes on where it was."""

        def tell(done: int, steps: int) -> None:
            if self.progress is not None:
                self.progress(f"learn {done} {steps}")

        with one_thread():
            pieces = speech.pieces
        with workplace(place) as folder:
            return save(adapt(self.networks.model, pieces, folder, config, tell).changes)

    def _seconds_a_step(self, speech: AdaptationSpeech, config: AdaptationConfig) -> float:
        """The seconds a step takes on this machine, measured, the slower first ones included."""
        begun = time.monotonic()
        replace(self, progress=None)._learn(speech, replace(config, steps=TIMED))
        return (time.monotonic() - begun) / TIMED

    def _voice(self, speech: AdaptationSpeech, config: AdaptationConfig, data: bytes) -> Voice:
        changes: dict[str, Tensor] = load(data)
        model = {"name": self.networks.name, "sha256": self.networks.sha256}
        facts: dict[str, Any] = {"steps": config.steps, "precision": config.precision}
        if config.parts:
            facts["parts"] = list(config.parts)
        if speech.is_stored:
            facts["alignment"] = speech.alignment.to_json()
        return Voice(OF_RECORDING, model, facts, changes, hashlib.sha256(data).hexdigest())

    def _place(self, speech: AdaptationSpeech, config: AdaptationConfig) -> Path | None:
        """The file that keeps what is learnt, named by everything that determines it."""
        if self.folder is None:
            return None
        pitched = str(find_spec("pyworld") is not None)  # see VoicePiece.pitch
        parts = (self.networks.sha256, *speech.identity, repr(config), pitched)
        digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        return self.folder / f"{digest}.safetensors"


def recorded_settings(record: Mapping[str, Any]) -> tuple[AdaptationConfig, Alignment | None]:
    """The settings a voice was learnt with, by its edit.json, and from which words, None for those
    of the edit; InputError if the entry was changed by hand."""
    try:
        steps = int(record["steps"])
        precision = PRECISIONS[PRECISIONS.index(record.get("precision", "float32"))]
        told = optional(alignment_of, record.get("alignment"))
        parts = tuple(record.get("parts", ()))  # all of the network was what learnt at first
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        steps, precision, told, parts = 0, "", None, ()
    known = parts in ((), RECORDING_PARTS)
    # More steps are never written, and would take a machine's hours.
    if not (known and 1 <= steps <= MOST_STEPS):
        raise InputError("The edit.json's entry about its voice was changed: make the edit again.")
    return AdaptationConfig(parts=parts, steps=steps, precision=precision), told


def _usual() -> AdaptationConfig:
    """The settings with which a recording's voice is learnt."""
    return AdaptationConfig(parts=RECORDING_PARTS)


def _settings(
    config: AdaptationConfig, speech: AdaptationSpeech, budget: float | None
) -> list[AdaptationConfig]:
    """The settings to choose from, the best first; to tell them costs nothing."""
    spoken = sum(word.end - word.start for word in speech.alignment.spoken)
    steps = config.steps or steps_for(spoken, LEAST_STEPS)
    fractions = FRACTIONS[:1] if budget is None else FRACTIONS
    return [replace(config, steps=max(round(steps * each), 1)) for each in fractions]
