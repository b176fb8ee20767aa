"""A voice is learnt while nothing is made and somebody wants it: it gives way, and ends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.processes.lanes import EditorLane, LaneJob
from app.processes.progress import CancelledError
from app.studio.project_controller import ProjectController
from app.studio.storage.folders import ProjectFolder, words_name


class Stepped:
    """Stands in for the process that learns: it reports its steps when it is let."""

    alive = True

    def __init__(self) -> None:
        self.progress: Any = None
        self.wanted: Any = None
        self.ended = threading.Event()
        self.steps = 0

    def ask(self, function: Callable[..., Any], *args: Any) -> None:
        try:
            while True:
                self.progress(f"learn {self.steps % 50} 50")
                self.steps += 1
        except CancelledError:
            self.ended.set()
            raise

    def close(self) -> None:
        pass


@pytest.fixture
def stepped() -> Stepped:
    return Stepped()


@pytest.fixture
def shown(stepped: Stepped, tmp_path: Path) -> ProjectController:
    """A project that has been listened to; there is no sound of it."""
    folder = ProjectFolder(tmp_path / "project")
    folder.path.mkdir()
    about = {"file": "x.wav", "sample_rate": 24_000, "file_channels": 1, "samples": 48_000}
    about |= {"subtype": "PCM_16", "container": "WAV", "channels": 1, "seconds": 2.0}
    folder.write("project.json", about | {"parts": [[0, 48_000]]})
    folder.write(words_name(0), {"tokens": [], "pauses": []})
    lanes = [EditorLane(Stepped), EditorLane(lambda: stepped, kept=False)]  # type: ignore[arg-type,return-value]
    quick, learning = lanes
    return ProjectController(folder, quick, quick, learning)


def begun(desk: ProjectController, stepped: Stepped) -> None:
    desk.learn()
    while not stepped.steps:
        threading.Event().wait(0.01)


def test_it_stands_still_while_an_edit_is_made(shown: ProjectController, stepped: Stepped) -> None:
    making, done = threading.Event(), threading.Event()

    def slow(editor: object) -> None:
        making.set()
        assert done.wait(600)

    with shown.shown():
        begun(shown, stepped)
        shown.quick.add(LaneJob(slow, 1, "another", "take", lambda sentence: None))
        assert making.wait(600)
        before = stepped.steps
        threading.Event().wait(0.3)
        assert stepped.steps <= before + 1  # the one that it is in
        done.set()
        while stepped.steps <= before + 1:
            threading.Event().wait(0.01)


@pytest.mark.parametrize("how", ["closed", "deleted", "off"])
def test_it_ends_when_nobody_wants_it(
    how: str, shown: ProjectController, stepped: Stepped, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.studio.open_project.LEAVING", 0.0)
    with shown.shown():
        begun(shown, stepped)
        if how == "deleted":
            shown.close()
        if how == "off":
            shown.save({}, {"adapt": False})
        if how != "closed":
            assert stepped.ended.wait(600)
        if how == "off":  # and on again: it begins anew
            assert not shown.learning or not shown.learning.pending(shown.folder.id)
            shown.save({}, {})
            assert shown.learning and shown.learning.pending(shown.folder.id) == ["learn"]
    assert stepped.ended.wait(600)
