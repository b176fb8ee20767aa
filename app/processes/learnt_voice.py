"""Orders for the editor's process: edits and speech, in a voice that may be learnt first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.plan.request import EditRequest, SpeechRequest
from app.page_request import USUAL, Models

if TYPE_CHECKING:  # torch is imported with the models, in their processes
    from a3t.editor import Editor


@dataclass(frozen=True)
class Order:
    """An edit of a recording, or a text to be spoken in its voice, by these models.

    streamed: whether `progress.Watch.take` gets the speech, piece by piece, and nobody else.
    """

    recording: Path
    request: EditRequest | SpeechRequest
    models: Models = USUAL
    streamed: bool = False

    @property
    def is_edit(self) -> bool:
        return isinstance(self.request, EditRequest)


@dataclass(frozen=True)
class MissingVoice:
    """A planned order for which a voice has to be learnt first."""

    plan: Any


def made_if_known(editor: Editor, order: Order, cache: Path) -> Any:
    """The result of an order; `MissingVoice` if a voice has to be learnt for it that isn't kept in
    ``cache``. Raises the editor's errors."""
    from a3t.voice.recording_adaptation import NotLearntError

    editor.voices = cache
    decide: Any = editor.plan if order.is_edit else editor.plan_speech
    plan = decide(order.recording, order.request)
    try:
        editor, plan = editor.voiced(plan, learn=False)
    except NotLearntError:
        return MissingVoice(plan)
    return made(editor, order, plan, cache)


def made(editor: Editor, order: Order, plan: Any, cache: Path) -> Any:
    """The result of an order that is planned, in a voice that is learnt and kept in ``cache``."""
    editor.voices = cache
    if order.streamed:
        tell: Any = editor.progress
        for piece in editor.speak(plan):
            tell(piece)
        return None
    return editor.make(plan)[0] if order.is_edit else editor.spoken(plan)
