"""Replays an edit.json: the same recording, weights and decisions give the same bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from a3t.audio.recording import Recording
from a3t.audio.speech import LARGEST_RECORD
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.model.saved_voices import OF_RECORDING, load_voice
from a3t.plan.edit_plan import EditPlan
from a3t.plan.request import EditRequest
from a3t.projects.history import History, Version, keep
from a3t.rendering.edited import EditedRecording
from a3t.source.alignment_cache import voices_cache

LONGEST_PATH = 4096  # characters; systems have none longer, nor names above 255


def replay(
    record: Path,
    source: Path | None = None,
    model: str | None = None,
    vocoder: str | None = None,
    device: str = "cpu",
    progress: Callable[[str], None] | None = None,
) -> EditedRecording:
    """Make the edit of an edit.json, ``record``, again from its source, or from ``source``.

    ``model`` and ``vocoder`` are their locations if they are not shipped ones. Raises InputError if
    the record isn't an edit.json, or if the recording, the model or the vocoder differ from those
    that it names.
    """
    data = read_record(record)
    recording = Recording.open(source or source_of(record, data), data["source"].get("track"))
    if recording.sha256 != data["source"]["sha256"]:
        raise InputError(
            f"{recording.path} is not the recording that {record.name} was made from (the sha256 "
            "differs): give the right one with --wav."
        )
    names = (model or data["model"]["name"], vocoder or data["vocoder"]["name"])
    return remake(Editor.load(*names, device, progress), recording, History.of(data).chain())


def remake(editor: Editor, recording: Recording, chain: Sequence[Version]) -> EditedRecording:
    """The last version of a chain (`History.chain`), each version made again on top of the last.

    Raises InputError if the editor's models are not those that a version was made with.
    """
    result: EditedRecording | None = None
    for version in chain:
        for kind, sha256 in (("model", editor.sha256), ("vocoder", editor.vocoder.sha256)):
            _check_same(kind, version[kind], sha256)
        plan = editor.plan(recording, EditRequest.from_json(version))
        rendered = in_the_voice_of(version, editor, plan).render(plan)
        result = rendered if result is None else keep(result, rendered)
    assert result is not None
    return result


def in_the_voice_of(record: Version, editor: Editor, plan: EditPlan) -> Editor:
    """The editor, with the voice that a version was made with; InputError if it isn't there."""
    name = voice_name(record)
    if name is None:
        return editor if editor.voice is None else editor.in_voice(None)
    if name == OF_RECORDING:
        from a3t.voice.of_recording import in_recorded_voice

        return in_recorded_voice(editor, plan, voices_cache())
    voice = load_voice(name)
    _check_same("voice", record["voice"], voice.sha256)
    return editor.in_voice(voice)


def _check_same(kind: str, made_with: Mapping[str, Any], sha256: str | None) -> None:
    if made_with["sha256"] != sha256:
        raise InputError(
            f"The {kind} {made_with['name']!r} is not the one in the edit.json: replay it with the "
            "version of a3t that made it, or start again with another --out."
        )


def voice_name(record: Mapping[str, Any]) -> str | None:
    """The voice that an edit was made with, None for none."""
    voice = record.get("voice")
    return None if voice is None else str(voice["name"])


def read_record(path: Path) -> Mapping[str, Any]:
    """An edit.json; InputError if it can't be read or lacks what a replay needs."""
    try:
        if path.stat().st_size > LARGEST_RECORD:
            raise InputError(f"{path} is too large for an edit.json.")
        data = json.loads(path.read_text(encoding="utf-8"))
        for version in History.of(data).versions:
            for kind, key in (("source", "path"), ("model", "name"), ("vocoder", "name")):
                if not isinstance(version[kind][key], str):
                    raise TypeError(key)
                if not isinstance(version[kind]["sha256"], str | None):
                    raise TypeError("sha256")
            if not isinstance(version["source"].get("track"), int | None):
                raise TypeError("track")
            if not isinstance(version.get("output", {}), Mapping):
                raise TypeError("output")
            if len(version["source"]["path"]) > LONGEST_PATH:
                raise ValueError("path")
            EditRequest.from_json(version), voice_name(version), list(version["edits"])
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        raise InputError(f"{path} is not an edit.json that this version can read.") from None
    return data  # type: ignore[no-any-return]


def source_of(record: Path, data: Mapping[str, Any]) -> Path:
    """The source as an edit.json names it, else the file of that name beside it."""
    named = Path(data["source"]["path"])
    try:
        return named if named.is_file() else record.parent / named.name
    except OSError:  # a name that is too long for this system
        return record.parent / named.name
