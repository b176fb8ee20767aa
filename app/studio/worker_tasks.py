"""What the worker's process does for a project; imported there, so the server needs no torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.studio.pcm_sound import HeardPart, PcmSound

if TYPE_CHECKING:
    from a3t.audio.recording import Recording
    from a3t.editor import Editor
    from app.studio.take_orders import TakeOrder


def ingest(editor: Editor, original: Path, folder: Path, most: float) -> dict[str, Any]:
    from app.studio import ingest

    return ingest.ingest(editor, original, folder, most)


def find_places(editor: Editor, sound: PcmSound, text: str) -> list[dict[str, Any]]:
    from app.studio import listening

    return listening.find_places(editor, sound, text)


def align_place(editor: Editor, sound: PcmSound, part: int, place: dict[str, Any]) -> HeardPart:
    from app.studio import listening

    return listening.align_place(editor, sound, part, place)


def recognise_part(editor: Editor, sound: PcmSound, part: int, first: int, last: int) -> HeardPart:
    from app.studio import listening

    return listening.recognise_part(editor, sound, part, first, last)


def phones_said(editor: Editor, said: str) -> tuple[str, ...]:
    from app.studio import project_pronunciations

    return project_pronunciations.phones_said(said)


def correct_tokens(editor: Editor, sound: PcmSound, first: int, last: int, text: str) -> HeardPart:
    from app.studio import listening

    return listening.correct_tokens(editor, sound, first, last, text)


def make_take(editor: Editor, order: TakeOrder, folder: Path) -> dict[str, Any]:
    from app.studio import take_making

    return take_making.make_take(editor, order, folder)


def learn_voice(
    editor: Editor,
    recording: Recording,
    heard: HeardPart,
    known: float,
    speaker: str,
    folder: Path,
) -> str | None:
    from app.studio import voice_learning

    return voice_learning.learn_voice(editor, recording, heard, known, speaker, folder)


def mix_down(
    editor: Editor,
    recording: Recording,
    heard: HeardPart,
    takes: Sequence[Path],
    folder: Path,
    name: str,
    suffix: str,
) -> Path:
    from app.studio import mixdown

    return mixdown.mix_down(editor, recording, heard, takes, folder, name, suffix)
