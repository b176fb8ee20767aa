"""Files of a project as earlier versions left them in people's folders, and as they are now."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from a3t.errors import InputError
from a3t.plan.request import LaterFormatError
from a3t.projects.document import Document
from a3t.projects.store.folder import ProjectFolder, TakeOrder
from a3t.projects.store.project_state import OpenedSound, ProjectState
from a3t.projects.store.pronunciations import Names, SaidWords
from a3t.projects.store.record_files import StoredRecord, UnreadableError
from a3t.projects.store.recordings import HeardRecording, Places, Recordings
from a3t.projects.store.words import HeardWords
from a3t.projects.take_record import TakeRecord

GOLDEN = Path(__file__).parent / "golden"
KINDS: dict[str, type[StoredRecord]] = {
    "project": ProjectState,
    "places": Places,
    "recordings": Recordings,
    "words": HeardWords,
    "pronunciations": SaidWords,
    "names": Names,
    "heard": HeardRecording,
    "heard-track": HeardRecording,
    "take": TakeRecord,
}


def golden(name: str) -> Any:
    return json.loads((GOLDEN / f"{name}.json").read_text())


@pytest.mark.parametrize("name", KINDS)
def test_each_format_is_read_and_today_s_is_written(name: str) -> None:
    for number in (1, 2):
        read = KINDS[name].from_json(golden(f"{name}-{number}"))
        assert json.loads(json.dumps(read.to_json())) == golden(f"{name}-2")


def test_what_a_first_state_held_is_there() -> None:
    state = ProjectState.from_json(golden("project-1"))
    assert state.sound == OpenedSound(16000, 1, 64000, 4.0, 2, "PCM_16", "WAV")
    assert (state.parts, state.places, state.plain) == (((0, 64000),), True, True)
    unopened = ProjectState.from_json({"file": "a.wav", "name": "a", "text": "Hi."})
    assert unopened.sound is None and unopened.text == "Hi."


@pytest.mark.parametrize("kind", dict.fromkeys([*KINDS.values(), Document, TakeOrder]))
def test_missing_unreadable_and_later_are_three_answers(
    kind: type[StoredRecord], tmp_path: Path
) -> None:
    path = tmp_path / "file.json"
    if kind is not TakeRecord:  # no take is empty
        assert kind.read(path) == kind()
    for wrong in ("", "{", "7", '{"format": 0}', '{"format": true}', '[{"x": 1}]'):
        path.write_text(wrong)
        with pytest.raises(UnreadableError, match=r"file\.json can't be read"):
            kind.read(path)
    path.write_text(json.dumps({"format": kind.newest() + 1}))
    with pytest.raises(LaterFormatError, match=r"file\.json was written by a later version"):
        kind.read(path)


@pytest.mark.parametrize("kind", [ProjectState, Document, Places, Recordings, SaidWords, Names])
def test_a_file_that_cannot_be_read_is_not_overwritten(
    kind: type[StoredRecord], tmp_path: Path
) -> None:
    folder, path = ProjectFolder(tmp_path), tmp_path / kind.stored_in
    for text in ("{", json.dumps({"format": kind.newest() + 1})):
        path.write_text(text)
        with pytest.raises(InputError, match=kind.stored_in):
            folder.update(kind, lambda record: record)
        assert path.read_text() == text


def test_no_update_of_several_at_once_is_lost(tmp_path: Path) -> None:
    def rename(n: int) -> None:
        ProjectFolder(tmp_path).update(ProjectState, lambda was: replace(was, name=was.name + "x"))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(rename, range(40)))
    assert ProjectFolder(tmp_path).state.name == 40 * "x"
