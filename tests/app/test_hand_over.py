"""An edit that the script editor takes over from the page that made it."""

import io
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

from a3t.projects.document import changes_to
from a3t.projects.store.words import Token
from a3t.text.transcript import Transcript
from alignment import Word
from app.processes.request_jobs import Watch
from app.service import Service
from app.studio.sent import Sent
from app.studio.studio import Studio
from tests.app.conftest import PATIENCE
from tests.conftest import ARCTIC, NEVER

VISITOR = "f" * 40


def until(reached: Callable[[], object]) -> None:
    never, waited = threading.Event(), 0.0
    while not reached():
        assert waited < PATIENCE
        never.wait(0.1)
        waited += 0.1


def test_a_project_goes_on_with_the_edit_as_it_sounded(
    service: Service, upload: str, tmp_path: Path
) -> None:
    settings = {"speed": 0.9, "seed": 3, "fit": False}
    edited = service.edit(Watch(), upload, ARCTIC, NEVER, settings)
    studio = Studio(service, tmp_path / "projects")
    name = studio.project_of(VISITOR, upload, edited.text, edited.new_text, settings)
    project = studio.find(VISITOR, name)
    assert project is not None
    until(lambda: any(project.script().takes.values()) or project.script().failures)
    told = project.script()
    assert [edit["text"] for edit in told.edits] == ["never"]
    project.export(Sent())
    until(lambda: project.exported)
    zipped = project.folder.path / "export" / str(project.exported)
    with zipfile.ZipFile(io.BytesIO(zipped.read_bytes())) as archive:
        sound = next(each for each in archive.namelist() if each.endswith(".edited.wav"))
        assert archive.read(sound) == edited.recording.read_bytes()
    again = Studio(service, tmp_path / "projects").find(VISITOR, name)
    assert again is not None and len(again.script().edits) == 1  # handed over once


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
