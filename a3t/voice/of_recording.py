"""The voice of the recording being edited, or of those that speech is to sound like, learnt from
their own words.

A recording, an hour or one sentence, is itself the best material for its own edits.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from safetensors.torch import load, save
from torch import Tensor

from a3t.editor import Editor
from a3t.errors import InputError
from a3t.model.saved_voices import OF_RECORDING, RECORDING_PARTS, Voice
from a3t.model.threads import on_threads
from a3t.plan.edit_plan import EditPlan
from a3t.plan.json_values import checked_alignment
from a3t.plan.prompt import SpeechPlan
from a3t.plan.request import EditRequest
from a3t.pretrained import load_checkpoint
from a3t.voice.adaptation import MOST_STEPS, THREADS, AdaptationConfig, adapt, steps_for
from a3t.voice.kept_voices import keep, kept, workplace
from a3t.voice.own_speech import PAYS_FROM, PROMPT_PAYS_FROM, OwnSpeech
from alignment import Alignment
from training.precision import PRECISIONS, use_bfloat16

LEAST_STEPS = 120  # the decoder alone needs more of them than all of the network
FRACTIONS = (1.0, 0.5, 0.25)  # of the steps, for those with less time
TIMED = 3  # steps that tell how long the others will take

Progress = Callable[[int, int], None]


def recorded_speech(
    record: Mapping[str, Any], plan: EditPlan
) -> tuple[AdaptationConfig, OwnSpeech]:
    """How a voice was learnt, by its entry in an edit.json, and from what; InputError if the entry
    was changed by hand."""
    try:
        steps = int(record["steps"])
        precision = PRECISIONS[PRECISIONS.index(record.get("precision", "float32"))]
        aligned = record.get("alignment")
        told = None if aligned is None else checked_alignment(Alignment.from_json(aligned))
        parts = tuple(record.get("parts", ()))  # all of the network was what learnt at first
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        steps, precision, told, parts = 0, "", None, ()
    known = parts in ((), RECORDING_PARTS)
    # More steps are never written, and would take a machine's hours.
    if not (known and 1 <= steps <= MOST_STEPS):
        raise InputError("The edit.json's entry about its voice was changed: make the edit again.")
    speech = OwnSpeech(plan.recording, told or plan.alignment, told is not None)
    return AdaptationConfig(parts=parts, steps=steps, precision=precision), speech


def adapted(
    editor: Editor,
    plan: EditPlan,
    request: EditRequest,
    when: str | float,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Editor:
    """The editor with which a plan is to be made: adapted to its recording, or as it is.

    ``request`` is the one planned. ``when``: "always"; "never"; "auto", if that
    pays (`OwnSpeech.pays`), and the editor has no other voice; a number, likewise, in so many
    seconds. Raises InputError if there is too little speech for "always".
    """
    return _of_edit(editor, plan, request, when, cache, progress) or editor


def known_for_edit(
    editor: Editor,
    plan: EditPlan,
    request: EditRequest,
    when: str | float,
    cache: Path | None = None,
) -> Editor | None:
    """What `adapted` gives if that takes no learning; otherwise None."""
    return _of_edit(editor, plan, request, when, cache, learns=False)


def adapted_to_prompts(
    editor: Editor,
    plan: SpeechPlan,
    when: str | float,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Editor:
    """The editor with which a text is to be spoken: adapted to all of its prompts together, or as
    it is. ``when`` and the errors are those of `adapted`, and what is learnt from one prompt is the
    voice that its edits learn."""
    return _of_prompts(editor, plan, when, cache, progress) or editor


def known_for_prompts(
    editor: Editor, plan: SpeechPlan, when: str | float, cache: Path | None = None
) -> Editor | None:
    """What `adapted_to_prompts` gives if that takes no learning; otherwise None."""
    return _of_prompts(editor, plan, when, cache, learns=False)


def _of_edit(
    editor: Editor,
    plan: EditPlan,
    request: EditRequest,
    when: str | float,
    cache: Path | None,
    progress: Progress | None = None,
    learns: bool = True,
) -> Editor | None:
    if not any(edit.is_spoken for edit in plan.edits):  # nothing is made
        return editor
    if when != "always" and plan.recording.seconds < PAYS_FROM:
        return editor

    def speech() -> OwnSpeech:
        return OwnSpeech.of(editor, plan, request)

    return _adapted(editor, speech, PAYS_FROM, when, cache, progress, learns)


def _of_prompts(
    editor: Editor,
    plan: SpeechPlan,
    when: str | float,
    cache: Path | None,
    progress: Progress | None = None,
    learns: bool = True,
) -> Editor | None:
    if not plan.heard:  # the prompt is a saved voice's own
        return editor

    def speech() -> OwnSpeech:
        return OwnSpeech.of_prompts(editor, plan.heard)

    return _adapted(editor, speech, PROMPT_PAYS_FROM, when, cache, progress, learns)


def _adapted(
    editor: Editor,
    speech_of: Callable[[], OwnSpeech],
    pays_from: float,
    when: str | float,
    cache: Path | None,
    progress: Progress | None,
    learns: bool = True,
) -> Editor | None:
    """As `adapted`, if there are as many seconds of speech as pay; None if it would have to learn,
    and mustn't."""
    if when == "never" or (when != "always" and editor.voice is not None):
        return editor
    speech = speech_of()
    budget = when if isinstance(when, float) else None
    voice = _remembered(editor, speech, cache, _usual(), budget)
    if voice is None:
        if when != "always" and not speech.pays_from(pays_from):
            return editor
        if not learns:
            return None
        voice = recorded_voice(editor, speech, cache, progress, budget=budget)
    return editor if voice is None else editor.in_voice(voice)


def recorded_voice(
    editor: Editor,
    speech: OwnSpeech,
    cache: Path | None = None,
    progress: Progress | None = None,
    config: AdaptationConfig | None = None,
    budget: float | None = None,
) -> Voice | None:
    """The voice of a recording, or of several together, learnt by the editor's model.

    It is kept in the folder ``cache``, if there is one, for the next edit; learning that was
    interrupted goes on from there too. ``budget``: how many seconds it may take; with little time
    there are fewer steps, and with too little there is none. Raises InputError if there is too
    little speech to learn from.
    """
    config = config or _usual()
    if (known := _remembered(editor, speech, cache, config, budget)) is not None:
        return known
    with on_threads(THREADS):
        precision = "bfloat16" if use_bfloat16(config.precision) else "float32"
    settings = _settings(replace(config, precision=precision), speech, budget)
    if budget is not None:
        each = _seconds_a_step(editor, speech, settings[0])
        settings = [own for own in settings if (own.steps or 0) * each <= budget]
        if not settings:
            return None
    place = _place(cache, editor, speech, settings[0])
    data = _learnt(editor, speech, settings[0], progress, place)
    keep(place, data)
    return _voice(editor, speech, settings[0], data)


def _usual() -> AdaptationConfig:
    """How a recording's voice is learnt."""
    return AdaptationConfig(parts=RECORDING_PARTS)


def _settings(
    config: AdaptationConfig, speech: OwnSpeech, budget: float | None
) -> list[AdaptationConfig]:
    """The settings to choose from, the best first; to tell them costs nothing."""
    spoken = sum(word.end - word.start for word in speech.alignment.spoken)
    steps = config.steps or steps_for(spoken, LEAST_STEPS)
    fractions = FRACTIONS[:1] if budget is None else FRACTIONS
    return [replace(config, steps=max(round(steps * each), 1)) for each in fractions]


def _remembered(
    editor: Editor,
    speech: OwnSpeech,
    cache: Path | None,
    config: AdaptationConfig,
    budget: float | None,
) -> Voice | None:
    """The voice as learnt before, in the most steps in which it was."""
    precisions = PRECISIONS[1:] if config.precision == "auto" else (config.precision,)
    for own in _settings(config, speech, budget) if cache is not None else ():
        for precision in precisions:  # which this machine has takes longer to measure
            exact = replace(own, precision=precision)
            if (data := kept(_place(cache, editor, speech, exact))) is not None:
                return _voice(editor, speech, exact, data)
    return None


def _learnt(
    editor: Editor,
    speech: OwnSpeech,
    config: AdaptationConfig,
    progress: Progress | None = None,
    place: Path | None = None,
) -> bytes:
    """What is learnt, as it is kept in ``place``. If that is interrupted, even by kill -9, the same
    call goes on where it was."""
    with workplace(place) as folder:
        model = editor.plain.model
        return save(adapt(model, speech.pieces, folder, config, progress).changes)


def _seconds_a_step(editor: Editor, speech: OwnSpeech, config: AdaptationConfig) -> float:
    """How long a step takes on this machine, by trying, with what the first ones take longer."""
    begun = time.monotonic()
    _learnt(editor, speech, replace(config, steps=TIMED))
    return (time.monotonic() - begun) / TIMED


def _voice(editor: Editor, speech: OwnSpeech, config: AdaptationConfig, data: bytes) -> Voice:
    changes: dict[str, Tensor] = load(data)
    model = {"name": editor.name, "sha256": editor.sha256}
    facts: dict[str, Any] = {"steps": config.steps, "precision": config.precision}
    if config.parts:
        facts["parts"] = list(config.parts)
    if speech.told:
        facts["alignment"] = speech.alignment.to_json()
    return Voice(OF_RECORDING, model, facts, changes, hashlib.sha256(data).hexdigest())


def _place(
    cache: Path | None, editor: Editor, speech: OwnSpeech, config: AdaptationConfig
) -> Path | None:
    """The file that keeps what is learnt, named by everything that determines it."""
    if cache is None:
        return None
    critic = config.critic if config.adversarial > 0 else None
    judge = "" if critic is None else load_checkpoint(critic)[2]
    pitched = str(find_spec("pyworld") is not None)  # see VoicePiece.pitch
    parts = (editor.sha256, *speech.identity, repr(config), judge, pitched)
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    return cache / f"{digest}.safetensors"
