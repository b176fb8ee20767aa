"""Edits, and speech by a prompt, in a recording's own voice, which a worker's process learns
first."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from a3t.console import when_to_adapt
from a3t.errors import InputError
from a3t.plan.request import EditRequest
from app import texts
from app.page_request import USUAL, Models
from app.progress import LEARN

if TYPE_CHECKING:  # torch is imported with the models, in their processes
    from a3t.editor import Editor
    from a3t.plan.edit_plan import EditPlan
    from a3t.plan.prompt import SpeechPlan
    from a3t.rendering.edited import EditedRecording
    from a3t.rendering.spoken import SpokenRecording

NEVER = "never"
Learning = Callable[[int, int], None]  # called with the steps done, and all of them
Made = TypeVar("Made", covariant=True)


class Order(Protocol[Made]):
    """What is to be made, a dataclass. ``adapt``: when the recording's voice is learnt for it."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def adapt(self) -> str | float: ...
    @property
    def models(self) -> Models: ...
    def plan(self, editor: Editor) -> Any: ...
    def known(self, editor: Editor, plan: Any, cache: Path) -> Editor | None: ...
    def learnt(self, editor: Editor, plan: Any, cache: Path, tell: Learning) -> Editor: ...
    def made(self, editor: Editor, plan: Any) -> Made: ...


@dataclass(frozen=True)
class EditOrder:
    """An edit; its recording's voice is learnt first as `a3t edit --adapt` has it."""

    recording: Path
    request: EditRequest
    adapt: str | float = NEVER
    models: Models = USUAL

    def plan(self, editor: Editor) -> EditPlan:
        return editor.plan(self.recording, self.request)

    def known(self, editor: Editor, plan: EditPlan, cache: Path) -> Editor | None:
        from a3t.voice.of_recording import known_for_edit

        return known_for_edit(editor, plan, self.request, self.adapt, cache)

    def learnt(self, editor: Editor, plan: EditPlan, cache: Path, tell: Learning) -> Editor:
        from a3t.voice.of_recording import adapted

        return adapted(editor, plan, self.request, self.adapt, cache, tell)

    def made(self, editor: Editor, plan: EditPlan) -> EditedRecording:
        return editor.make(plan)[0]


@dataclass(frozen=True)
class SpeechOrder:
    """A text that is to be spoken as a recording sounds, whose voice is learnt first as `a3t tts
    --adapt` has it.

    prompt_text: what the recording says; None to recognise it.
    """

    prompt: Path
    text: str
    prompt_text: str | None = None
    seed: int = 0
    speed: float = 1.0
    adapt: str | float = NEVER
    models: Models = USUAL

    def plan(self, editor: Editor) -> SpeechPlan:
        return editor.plan_speech(self.prompt, self.text, self.prompt_text, self.seed, self.speed)

    def known(self, editor: Editor, plan: SpeechPlan, cache: Path) -> Editor | None:
        from a3t.voice.of_recording import known_for_prompts

        return known_for_prompts(editor, plan, self.adapt, cache)

    def learnt(self, editor: Editor, plan: SpeechPlan, cache: Path, tell: Learning) -> Editor:
        from a3t.voice.of_recording import adapted_to_prompts

        return adapted_to_prompts(editor, plan, self.adapt, cache, tell)

    def made(self, editor: Editor, plan: SpeechPlan) -> SpokenRecording:
        return editor.spoken(plan)


@dataclass(frozen=True)
class Unlearnt:
    """What is planned, for which a voice has to be learnt first."""

    plan: Any


def adapt_of(given: object) -> str | float:
    """A request's "adapt", which has the values of the option --adapt; InputError otherwise."""
    try:
        return when_to_adapt(str(given))
    except argparse.ArgumentTypeError:
        raise InputError(texts.WRONG_ADAPT) from None


def made_if_known(editor: Editor, order: Order[Made], cache: Path) -> Made | Unlearnt:
    """What is ordered, unless a voice has to be learnt for it that isn't kept in ``cache``. Raises
    the editor's errors."""
    plan = order.plan(editor)
    own = order.known(editor, plan, cache)
    return Unlearnt(plan) if own is None else _made(own, order, plan, editor)


def made_when_learnt(editor: Editor, order: Order[Made], plan: Any, cache: Path) -> Made:
    """What is ordered and planned, in a voice that is learnt for it and kept in ``cache``."""

    def tell(done: int, steps: int) -> None:
        if editor.progress is not None:
            editor.progress(f"{LEARN} {done} {steps}")

    return _made(order.learnt(editor, plan, cache, tell), order, plan, editor)


def _made(own: Editor, order: Order[Made], plan: Any, editor: Editor) -> Made:
    own.progress = editor.progress
    return order.made(own, plan)
