"""An edit that the script editor takes over from the page that made it."""

import io
import threading
import zipfile
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.projects.document import changes_to
from a3t.projects.project import History, read_record
from a3t.projects.replay import remake
from a3t.projects.store.words import Token
from a3t.text.transcript import Transcript
from alignment import Word
from app.processes.request_jobs import Watch
from app.service import Service, respelled
from app.studio.sent import Sent
from app.studio.studio import Studio
from tests.app.conftest import PATIENCE
from tests.conftest import ARCTIC

VISITOR = "f" * 40


def until(reached: Callable[[], object]) -> None:
    never, waited = threading.Event(), 0.0
    while not reached():
        assert waited < PATIENCE
        never.wait(0.1)
        waited += 0.1


SEVERAL = "And they never want to see it in the lowest degree of all."


@pytest.mark.parametrize(
    ("text", "new_text", "changes", "made"),
    [
        (ARCTIC, SEVERAL, "", ["they never", "lowest", "of all."]),
        ("", SEVERAL, "all", ["they never", "lowest", "of all."]),
        ("", SEVERAL, "2", ["lowest"]),  # of what was recognised
    ],
)
def test_a_project_goes_on_with_the_edit_as_it_sounded(
    text: str, new_text: str, changes: str, made: list[str],
    service: Service, upload: str, editor: Editor, tmp_path: Path,
) -> None:  # fmt: skip
    settings = {"speed": 0.9, "seed": 3, "fit": False}
    edited = service.edit(Watch(), upload, text, new_text, settings, changes)
    studio = Studio(service, tmp_path / "projects")
    name = studio.project_of(VISITOR, upload, edited.respelled, edited.new_text, settings)
    project = studio.find(VISITOR, name)
    assert project is not None
    until(lambda: len(project.script().edits) == len(made) or project.script().failures)
    listed = project.script().edits
    until(lambda: all(project.script().takes.values()) or project.script().failures)
    assert [edit["text"] for edit in listed] == made
    project.export(Sent())
    until(lambda: project.exported)
    zipped = project.folder.path / "export" / str(project.exported)
    with zipfile.ZipFile(io.BytesIO(zipped.read_bytes())) as archive:
        archive.extractall(tmp_path / "zip")
    (sound,) = (tmp_path / "zip").glob("*.edited.wav")
    assert sound.read_bytes() == edited.recording.read_bytes()
    told = History.of(read_record(sound.with_suffix(".edit.json")))
    assert len(told.current["takes"]) == len(made)
    by_shell = remake(editor, Recording.open(tmp_path / "zip" / "talk.wav"), told.chain())
    assert by_shell.save(tmp_path / "by-shell.wav").read_bytes() == sound.read_bytes()
    again = Studio(service, tmp_path / "projects").find(VISITOR, name)
    assert again is not None and len(again.script().edits) == len(made)  # handed over once


def edits(old: Transcript, new: Transcript) -> list[Any]:
    codes = SequenceMatcher(None, old.spoken, new.spoken, autojunk=False).get_opcodes()
    return [SimpleNamespace(old=(a, b), new=(c, d)) for k, a, b, c, d in codes if k != "equal"]


@pytest.mark.parametrize(
    ("text", "new_text", "expected"),
    [
        (ARCTIC, SEVERAL, ARCTIC.rstrip(".")),
        ("We met. It rained.", "Yesterday we met, it rained!", "we met, it rained!"),
        ("ANNA: On Monday.\nBEN: Good, at noon.", "ANNA: On Friday.\nBEN: Good, at ten past noon.",
         "ANNA: On Monday.\nBEN: Good, at noon."),
        ("We paid $5 on Monday.", "We paid $6 on Monday, Bob.", "We paid $5 on Monday."),
    ],
)  # fmt: skip
def test_words_that_stay_are_written_as_in_the_new_text(
    text: str, new_text: str, expected: str
) -> None:
    old, new = Transcript.from_text(text), Transcript.from_text(new_text)
    plan: Any = SimpleNamespace(text=old, new_text=new, edits=edits(old, new))
    assert respelled(plan) == expected


def test_changes_to_another_text() -> None:
    said = ["we", "paid", "five dollars", "on", "monday"]
    tokens = [
        Token(7 * k, words, tuple(Word(each, k, k + 0.5) for each in words.split()), False)
        for k, words in enumerate(said)
    ]
    wanted = Transcript.from_text("Yesterday we paid $5 on a Friday.")
    found = changes_to(tokens, wanted)
    assert [(each.after, each.tokens, each.text) for each in found] == [
        (-1, (), "Yesterday"),
        (21, (28,), "a Friday."),
    ]
    assert changes_to(tokens, Transcript.from_text("We paid $5 on Monday.")) == ()
