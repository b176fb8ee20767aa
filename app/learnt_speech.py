"""Speech by a prompt whose voice is learnt first, in a worker's process."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from a3t.console import when_to_adapt
from a3t.errors import InputError
from app import texts
from app.page_request import USUAL, Models
from app.progress import LEARN

if TYPE_CHECKING:  # torch is imported with the models, in their processes
    from a3t.editor import Editor
    from a3t.plan.prompt import SpeechPlan
    from a3t.rendering.spoken import SpokenRecording

NEVER = "never"


@dataclass(frozen=True)
class SpeechOrder:
    """A text that is to be spoken as a recording sounds.

    prompt_text: what the recording says; None to recognise it. adapt: when its voice is learnt
    first, as `a3t tts --adapt` has it (`a3t.voice.of_recording.adapted`).
    """

    prompt: Path
    text: str
    prompt_text: str | None = None
    seed: int = 0
    speed: float = 1.0
    adapt: str | float = NEVER
    models: Models = USUAL

    def plan(self, editor: Editor) -> SpeechPlan:
        """Raises the editor's errors."""
        return editor.plan_speech(self.prompt, self.text, self.prompt_text, self.seed, self.speed)


def adapt_of(given: object) -> str | float:
    """A request's "adapt", which has the values of the option --adapt; InputError otherwise."""
    try:
        return when_to_adapt(str(given))
    except argparse.ArgumentTypeError:
        raise InputError(texts.WRONG_ADAPT) from None


def known_speech(editor: Editor, order: SpeechOrder, cache: Path) -> SpokenRecording | None:
    """The speech, if no voice has to be learnt for it; otherwise None."""
    from a3t.voice.of_recording import known_for_prompts

    plan = order.plan(editor)
    own = known_for_prompts(editor, plan, order.adapt, cache)
    if own is None:
        return None
    own.progress = editor.progress
    return own.spoken(plan)


def learnt_speech(editor: Editor, order: SpeechOrder, cache: Path) -> SpokenRecording:
    """The speech, in the prompt's own voice, which is learnt and kept in the folder ``cache``."""
    from a3t.voice.of_recording import adapted_to_prompts

    def tell(done: int, steps: int) -> None:
        if editor.progress is not None:
            editor.progress(f"{LEARN} {done} {steps}")

    plan = order.plan(editor)
    own = adapted_to_prompts(editor, plan, order.adapt, cache, tell)
    own.progress = editor.progress
    return own.spoken(plan)
