"""Learning the voice of a project's recording, in the worker's process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from a3t.audio.reading.recording import Recording
from a3t.projects.store.words import HeardWords
from a3t.voice.making import make_voice
from app.studio.work.listening import editor_step
from app.studio.work.worker_tasks import LEARNT

if TYPE_CHECKING:
    from a3t.editor import Editor


def learn_voice(editor: Editor, name: str, recording: Recording, heard: HeardWords) -> None:
    """Learn the voice of a recording by the words that the project has, and save it.

    Raises InputError as `make_voice`.
    """
    alignment = heard.aligned(recording).alignment
    make_voice(
        name,
        [recording.path],
        editor.base_networks,
        lambda _: alignment,
        progress=lambda step, steps: editor_step(editor, f"{LEARNT}{step} {steps}"),
    )
