"""A recording's voice is learnt in the background: what is made in it, and what it must not do."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from a3t.audio.recording import Recording
from a3t.editor import Editor
from a3t.model.saved_voices import OF_RECORDING
from a3t.plan.request import EditRequest
from a3t.projects.history import History
from a3t.projects.replay import read_record, remake
from a3t.voice import own_speech
from a3t.voice.of_recording import adapted
from app.lanes import EditorLane
from app.progress import CancelledError
from app.service import Service
from app.studio import own_voice
from app.studio.desk import Desk
from app.studio.folders import VOICE, ProjectFolder, words_name
from app.studio.jobs import JobQueue, ProjectJob
from app.studio.packed_project import pack, unpack
from app.studio.studio import Studio
from tests.app.conftest import EditorThread
from tests.app.studio.conftest import Project, change, client_of
from tests.app.studio.test_replayed import taken_home
from tests.conftest import ARCTIC
from tests.voice.conftest import QUICK, quick


@pytest.fixture
def learning(
    service: Service, editor: Editor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Studio]:
    """A studio that learns voices, in few steps and from a few seconds."""
    monkeypatch.setattr("a3t.voice.of_recording.AdaptationConfig", quick)
    monkeypatch.setattr("a3t.voice.own_speech.PAYS_FROM", 1.0)
    monkeypatch.setenv("A3T_CACHE", str(tmp_path / "cache"))
    other = Service(service.folder, service.quick._start)
    other.quick = other.long = service.quick
    other.learning = EditorLane(lambda: EditorThread(lambda models: editor.in_voice(None)), False)
    yield Studio(other, tmp_path / "projects")
    other.learning.close()


@pytest.fixture
def client(learning: Studio) -> Iterator[TestClient]:
    with client_of(learning) as client:
        yield client


@pytest.fixture
def project(client: TestClient, upload: str) -> Project:
    project = Project(client, {"upload": upload, "text": ARCTIC})
    project.listened()
    return project


@pytest.fixture
def desk(project: Project, learning: Studio) -> Desk:
    visitor = next(learning.projects.root.iterdir()).name
    desk = learning.desk(visitor, project.at.rpartition("/")[2])
    assert desk is not None
    return desk


def test_the_page_waits_for_as_many_words_as_are_listened_to() -> None:
    assert own_speech.WINDOW[1] == own_voice.EACH


def told(desk: Desk) -> list[float]:
    """The shares that were told, in order."""
    events = [event for _, event in desk.since(0) if event["kind"] == "voice"]
    return [event["share"] for event in events if event["share"] is not None]


def test_what_was_made_before_is_made_again_in_the_voice(
    project: Project, desk: Desk, tmp_path: Path, editor: Editor
) -> None:
    project.save(change(project.state, "always", "never"))
    (takes,) = project.made()["takes"].values()
    assert takes[0]["voice"] is None and project.state["voice"] == {"share": None, "name": None}
    with desk.shown():
        desk.learn()
        state = project.until(lambda state: state["voice"]["name"])
    assert told(desk) == sorted(told(desk)) and len(told(desk)) == QUICK.steps
    (key,) = state["takes"]
    project.post("takes", {"key": key, "like": 0})
    before, after = project.made(2)["takes"][key]
    assert after["voice"] == state["voice"]["name"] and after["lengths"] == before["lengths"]
    sounds = [project.client.get(f"{project.at}/takes/{key}-{k}/sound").content for k in (0, 1)]
    assert sounds[0] != sounds[1]
    for wrong in (9, "x", True, -1):
        project.post("takes", {"key": key, "like": wrong}, 422)
    first = change(state, "always", "never", take=1)
    project.save(first, change(state, "superlative", "highest"))
    made = project.made()
    assert not made["failures"]
    record = taken_home(project, tmp_path / "home")
    ours = json.loads(record.read_text())
    assert ours["voice"]["name"] == OF_RECORDING and ours["voice"]["alignment"]
    assert [set(take["voice"]) for take in ours["takes"]] == [{"name", "sha256"}] * 2
    # It is the command's: learnt from the same words, and remembered for it.
    (kept,) = (tmp_path / "cache" / "voices").iterdir()
    assert hashlib.sha256(kept.read_bytes()).hexdigest() == ours["voice"]["sha256"]
    request = EditRequest(new_text=ARCTIC.replace("always", "never"), text=ARCTIC)
    plan = editor.plan(record.parent / "talk.wav", request)
    same = adapted(editor, plan, request, "always", kept.parent).voice
    assert same is not None and same["sha256"] == ours["voice"]["sha256"]
    assert list(kept.parent.iterdir()) == [kept]
    # A project's file has the voice with it.
    packed = desk.folder.path / "talk.a3t.zip"
    pack(desk.folder, packed)
    stage = tmp_path / "stage"
    stage.mkdir()
    unpack(packed, stage, 10**8)
    for name in (VOICE, f"voices/{ours['voice']['sha256']}.json"):
        assert json.loads((stage / name).read_text()) == desk.folder.read(name)
    # By whoever has only the edit.json, the voice is learnt again.
    recording = Recording.open(record.parent / "talk.wav")
    out = remake(editor, recording, History.of(read_record(record)).chain()).save(
        tmp_path / "x.wav"
    )
    assert out.read_bytes() == (record.parent / "talk.edited.wav").read_bytes()


def test_a_voice_is_learnt_only_for_a_page_that_wants_it(project: Project, desk: Desk) -> None:
    desk.learn()
    assert desk.learning is not None and not desk.learning.pending(desk.folder.id)
    revision = project.state["revision"]
    off = {"edits": [], "revision": revision, "settings": {"adapt": False}}
    project.post("script", off)
    with desk.shown():
        desk.learn()
        assert not desk.learning.pending(desk.folder.id)
        project.post("script", off | {"revision": revision + 1, "settings": {}})
        name = project.until(lambda state: state["voice"]["name"])["voice"]["name"]
    # What other weights taught is of no use: it is forgotten, and the change is made all the same.
    about = desk.folder.path / "voices" / f"{name}.json"
    taught = about.read_text()
    about.write_text(taught.replace(json.loads(taught)["model"]["sha256"], "0"))
    project.save(change(project.state, "always", "never"))
    (takes,) = project.made()["takes"].values()
    assert takes[0]["voice"] is None
    project.until(  # it may have been learnt anew since
        lambda state: (
            not (desk.folder.path / VOICE).exists()
            or state["voice"]["share"]
            or about.read_text() == taught
        )
    )


class Stepped:
    """Stands in for the process that learns: it reports its steps when it is let."""

    alive = True

    def __init__(self) -> None:
        self.progress: Any = None
        self.wanted: Any = None
        self.ended = threading.Event()
        self.steps = 0

    def use(self, models: object) -> None:
        pass

    def run(self, function: Callable[..., Any], *args: Any) -> None:
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
def shown(stepped: Stepped, tmp_path: Path) -> Desk:
    """A project that has been listened to; there is no sound of it."""
    folder = ProjectFolder(tmp_path / "project")
    folder.path.mkdir()
    about = {"file": "x.wav", "sample_rate": 24_000, "file_channels": 1, "samples": 48_000}
    about |= {"subtype": "PCM_16", "container": "WAV", "channels": 1, "seconds": 2.0}
    folder.write("project.json", about | {"parts": [[0, 48_000]]})
    folder.write(words_name(0), {"tokens": [], "pauses": []})
    lanes = [EditorLane(Stepped), EditorLane(lambda: stepped, kept=False)]  # type: ignore[arg-type,return-value]
    quick, learning = map(JobQueue, lanes)
    return Desk(folder, quick, quick, learning)


def begun(desk: Desk, stepped: Stepped) -> None:
    desk.learn()
    while not stepped.steps:
        threading.Event().wait(0.01)


def test_it_stands_still_while_an_edit_is_made(shown: Desk, stepped: Stepped) -> None:
    making, done = threading.Event(), threading.Event()

    def slow(editor: object) -> None:
        making.set()
        assert done.wait(600)

    with shown.shown():
        begun(shown, stepped)
        shown.quick.add(ProjectJob("another", "take", 1, slow, lambda sentence: None))
        assert making.wait(600)
        before = stepped.steps
        threading.Event().wait(0.3)
        assert stepped.steps <= before + 1  # the one that it is in
        done.set()
        while stepped.steps <= before + 1:
            threading.Event().wait(0.01)


@pytest.mark.parametrize("how", ["closed", "deleted", "off"])
def test_it_ends_when_nobody_wants_it(
    how: str, shown: Desk, stepped: Stepped, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.studio.own_voice.LEAVING", 0.0)
    with shown.shown():
        begun(shown, stepped)
        if how == "deleted":
            shown.close()
        if how == "off":
            shown.save({"edits": [], "revision": 0}, {"adapt": False})
        if how != "closed":
            assert stepped.ended.wait(600)
        if how == "off":  # and on again: it begins anew
            assert not shown.learning or not shown.learning.pending(shown.folder.id)
            shown.save({"edits": [], "revision": 1}, {})
            assert shown.learning and shown.learning.pending(shown.folder.id) == ["learn"]
    assert stepped.ended.wait(600)
