"""Learns a voice of a project's recording from its own words, in a worker's process.

    voices/SHA256.safetensors   what was learnt
    voices/SHA256.json          of which model, in how many steps, and from which words

so that takes made with it can be made again by whoever has the recording and its edit.json. It is
the voice that `a3t edit` learns from the same recording and words, and is cached for it as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.audio.output.files import atomic_path
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.model.saved_voices import OF_RECORDING, Voice
from app.studio.storage.folders import VOICES
from app.studio.storage.heard_tokens import HeardPart

LEARNT = "learnt"  # what is remembered, in the folder, where this machine's user has no cache
OWN = ("name", "sha256")  # of a voice's entry in an edit.json; the others tell how to learn it

if TYPE_CHECKING:
    from a3t.editor import Editor


def learn_voice(
    editor: Editor,
    recording: Recording,
    heard: HeardPart,
    known: float,
    speaker: str,
    folder: Path,
) -> str | None:
    """Writes the voice of a speaker, "" where nobody is named, into the folder; returns its sha256,
    None if these words teach none: they are too few, or several people's. They are all that is said
    in the first ``known`` seconds. Raises what the editor's `progress` does."""
    from safetensors.torch import save

    from a3t.source.alignment_cache import voices_cache
    from a3t.voice.adaptation_data import AdaptationSpeech, SpeakerWord, words_by_time

    words = [
        SpeakerWord(word["text"], word["start"], word["end"], token.get("speaker", ""))
        for token in heard.tokens
        for word in token["words"]
    ]
    speech = AdaptationSpeech.of_speaker(
        editor.alignments, recording, words_by_time(words), speaker, known
    )
    if speech is None or not speech.is_enough:
        return None
    editor.voices = voices_cache() or folder / LEARNT
    voice = editor.learner.learnt(speech)
    assert voice is not None  # as long as it may take
    folder.mkdir(exist_ok=True)
    with atomic_path(folder / f"{voice.sha256}.safetensors") as temporary:
        temporary.write_bytes(save(dict(voice.changes)))
    model = {"name": editor.name, "sha256": editor.sha256}
    with atomic_path(folder / f"{voice.sha256}.json") as temporary:
        temporary.write_text(json.dumps({"model": model, "voice": voice.record}), encoding="utf-8")
    return voice.sha256


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
