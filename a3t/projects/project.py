"""An output of this program as a project: its original and its versions, found by its edit.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from a3t.audio.recording import Recording
from a3t.audio.speech import record_path
from a3t.audio.writing import default_output
from a3t.errors import InputError
from a3t.projects.history import History
from a3t.projects.output_files import RecordState, record_state
from a3t.projects.replay import read_record, source_of
from a3t.rendering.edited import NEXT


@dataclass(frozen=True)
class Project:
    """``out`` was made of the recording ``source``."""

    out: Path
    source: Recording
    history: History
    seen: RecordState

    @property
    def text(self) -> str:
        """What the original says, as it was given or found."""
        return str(self.history.current["text"])


def find_project(recording: Recording, out: Path | None = None) -> Project | None:
    """The project that a new edit of a recording goes on with: of what it was made of, if this
    program made it; else the one at ``out`` ({stem}.edited.wav) if that was made of it."""
    wav = recording.path
    seen, told = record_state(wav), _record(wav)
    if told is not None and recording.sha256 in (
        told.get("output", {}).get("sha256"),
        told.get(NEXT),
    ):
        original = source_of(record_path(wav), told)
        if _is_file(original):
            source = Recording.open(original)
            if source.sha256 == told["source"]["sha256"]:
                seen = seen if out is None else record_state(out)
                return Project(out or wav, source, History.of(told), seen)
    out = out or default_output(wav)
    seen, told = record_state(out), _record(out)
    if told is not None and out.is_file() and told["source"]["sha256"] == recording.sha256:
        return Project(out, recording, History.of(told), seen)
    return None


def open_project(wav: Path, out: Path | None = None) -> Project:
    """As `find_project`; InputError if there is none."""
    project = find_project(Recording.open(wav), out)
    if project is None:
        raise InputError(
            f"There is no edit of {wav.name}: it is not an edit with its edit.json and original "
            f"beside it, and {(out or default_output(wav)).name} was not made from it."
        )
    return project


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long for this system
        return False


def _record(out: Path) -> Mapping[str, Any] | None:
    """The edit.json beside a file, if there is one that can be replayed."""
    try:
        return read_record(record_path(out)) if record_path(out).is_file() else None
    except InputError:
        return None
