"""Learns the voice of a project's recording from its own words, in a worker's process.

    voices/SHA256.safetensors   what was learnt
    voices/SHA256.json          of which model, in how many steps, and from which words

so that takes made with it can be made again by whoever has the recording and its edit.json.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.audio.files import atomic_path
from a3t.audio.recording import Recording
from a3t.errors import InputError
from a3t.model.saved_voices import OF_RECORDING, Voice
from alignment import Word
from alignment.retiming import covering
from app.progress import LEARN
from app.studio.folders import VOICES
from app.studio.pcm_sound import HeardPart

OWN = ("name", "sha256")  # of a voice's entry in an edit.json; the others tell how to learn it

if TYPE_CHECKING:
    from a3t.editor import Editor


def learn_voice(editor: Editor, recording: Recording, heard: HeardPart, folder: Path) -> str | None:
    """Writes the voice into the folder; returns its sha256, None if these words teach none: they
    are too few, or several people's. Raises what the editor's `progress` does."""
    from a3t.voice.of_recording import in_recorded_voice
    from a3t.voice.own_speech import OwnSpeech

    words = [Word.from_json(word) for token in heard.tokens for word in token["words"]]
    pauses = [Word.from_json(pause) for pause in heard.pauses]
    aligned = covering(words, recording.seconds, 1.0, pauses)
    speech = OwnSpeech(recording, aligned, told=True)
    if not speech.pays:
        return None

    def tell(done: int, steps: int) -> None:
        if editor.progress is not None:
            editor.progress(f"{LEARN} {done} {steps}")

    plain = editor if editor.voice is None else editor.in_voice(None)
    record = in_recorded_voice(plain, speech, folder, tell).voice
    assert record is not None
    for learnt in list(folder.glob("*.safetensors")):  # two, if it was learnt before
        if hashlib.sha256(learnt.read_bytes()).hexdigest() == record["sha256"]:
            learnt.replace(folder / f"{record['sha256']}.safetensors")
    model = {"name": editor.name, "sha256": editor.sha256}
    with atomic_path(folder / f"{record['sha256']}.json") as temporary:
        temporary.write_text(json.dumps({"model": model, "voice": record}), encoding="utf-8")
    return str(record["sha256"])


def in_learnt_voice(editor: Editor, voice: Path | None) -> Editor:
    """The editor with a voice that was learnt, by its .safetensors; as it is without one, or if
    that was learnt for other weights."""
    if voice is None or editor.voice is not None:
        return editor
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        told = json.loads(voice.with_suffix(".json").read_text(encoding="utf-8"))
        changes = load(voice.read_bytes())
        facts: Mapping[str, Any] = {k: v for k, v in told["voice"].items() if k not in OWN}
        return editor.in_voice(Voice(OF_RECORDING, told["model"], facts, changes, voice.stem))
    except (OSError, ValueError, KeyError, TypeError, InputError, SafetensorError):
        return editor


def voice_record(folder: Path, voice: dict[str, Any] | None) -> dict[str, Any] | None:
    """A take's voice with all that an edit.json tells of it, from the project's folder."""
    if voice is None or voice["name"] != OF_RECORDING:
        return voice
    try:
        path = folder / VOICES / f"{voice['sha256']}.json"
        return dict(json.loads(path.read_text(encoding="utf-8"))["voice"])
    except (OSError, ValueError, KeyError, TypeError):
        return voice
