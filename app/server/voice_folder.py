"""The voices that the server speaks in: recordings in a folder, each with what it says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.example import RECORDING, TEXT
from a3t.source.transcripts import SIDECARS
from alignment.formats.text_file import read_text

EXAMPLE_VOICE = "example"


@dataclass(frozen=True)
class PromptVoice:
    """A voice: its name, a recording of it, and the recording's text; None to recognise it.

    learnt: whether `a3t voice make` has learnt a voice of this name, which is used then.
    """

    name: str
    prompt: Path
    text: str | None
    learnt: bool


def voices_in(folder: Path | None) -> dict[str, PromptVoice]:
    """Return the voices of a folder's recordings by file stem; without a folder the example's.

    Raises
    ------
    InputError
        If there are none, or one can't be used.
    """
    from a3t.user_folders import voice_names

    learnt = set(voice_names())
    if folder is None:
        return {EXAMPLE_VOICE: PromptVoice(EXAMPLE_VOICE, RECORDING, TEXT, EXAMPLE_VOICE in learnt)}
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder: put a recording of each voice into one.")
    voices: dict[str, PromptVoice] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix in SIDECARS or path.name.startswith(".") or not path.is_file():
            continue
        Recording.open(path)
        text = path.with_suffix(".txt")
        known = read_text(text) if text.is_file() else None
        voices[path.stem] = PromptVoice(path.stem, path, known, path.stem in learnt)
    if not voices:
        raise InputError(f"{folder} has no recordings: put one of each voice into it.")
    return voices
