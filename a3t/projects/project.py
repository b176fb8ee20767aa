"""An edited output as a project: its original and its versions, found through its edit.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from a3t.audio.output.records import NEXT, RECORD_ENTRY, load_record, record_path
from a3t.audio.output.writing import default_output
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.projects.history import History
from a3t.projects.output_files import RecordState, record_state
from a3t.projects.replay import read_record, source_of


@dataclass(frozen=True)
class Project:
    """An output, the recording that it was made from, its history, and its edit.json's state."""

    out: Path
    source: Recording
    history: History
    seen: RecordState

    @property
    def text(self) -> str:
        """The original's text, as it was given or found."""
        return str(self.history.current["text"])


def find_project(recording: Recording, out: Path | None = None) -> Project | None:
    """The project that a new edit of a recording continues, if any.

    If this program made the recording, it is that of the recording's source; else it is the one of
    ``out`` (default: {stem}.edited.wav), provided that was made from the recording. InputError for
    a damaged edit.json, and if the default is an edit of another recording.
    """
    wav = recording.path
    seen, record = record_state(wav), _record(wav)
    if record is not None and recording.sha256 in (
        record.get("output", {}).get("sha256"),
        record.get(NEXT),
    ):
        original = source_of(record_path(wav), record)
        if _is_file(original):
            source = Recording.open(original, record["source"].get("track"))
            if source.sha256 == record["source"]["sha256"]:
                seen = seen if out is None else record_state(out)
                return Project(out or wav, source, History.of(record), seen)
    usual = default_output(wav)
    target = out or usual
    seen, record = record_state(target), _record(target)
    if record is None or not target.is_file():
        return None
    if _is_of(record, recording):
        return Project(target, recording, History.of(record), seen)
    of = record["source"]
    if out is None and (Path(of["path"]).name, of.get("track")) != (wav.name, recording.track):
        track = f", track {of['track']}" if of.get("track") is not None else ""
        raise InputError(
            f"{target} is an edit of {of['path']}{track} and would be replaced: name another "
            "output with --out."
        )
    return None


def open_project(recording: Recording, out: Path | None = None) -> Project:
    """As `find_project`; InputError if there is none."""
    wav, project = recording.path, find_project(recording, out)
    if project is None:
        raise InputError(
            f"There is no edit of {wav.name}: it is not an edit with its edit.json and original "
            f"beside it, and {(out or default_output(wav)).name} was not made from it."
        )
    return project


def _is_of(record: Mapping[str, Any], recording: Recording) -> bool:
    """True if a record's edit was made from this recording, and from the same track of it."""
    source = record["source"]
    return (source["sha256"], source.get("track")) == (recording.sha256, recording.track)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long for this system
        return False


def _record(out: Path) -> Mapping[str, Any] | None:
    """The edit.json beside a file, if there is one that a3t wrote; InputError if it is damaged."""
    path = record_path(out)
    return read_record(path) if _is_file(path) and RECORD_ENTRY in load_record(path) else None
