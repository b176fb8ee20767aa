"""A recording's voice is learnt in the background: what is made in it, and what it must not do."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
from starlette.testclient import TestClient

from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.model.saved_voices import OF_RECORDING
from a3t.plan.request import EditRequest
from a3t.projects.history import History
from a3t.projects.replay import read_record, remake
from a3t.voice import adaptation_data as own_speech
from app.processes.lanes import EditorLane
from app.service import Service
from app.studio import own_voice
from app.studio.project_controller import ProjectController
from app.studio.storage.folders import VOICE, ProjectFolder
from app.studio.storage.packed_project import pack, unpack
from app.studio.studio import Studio
from tests.app.conftest import EditorThread
from tests.app.studio.conftest import Project, change, client_of
from tests.app.studio.test_replayed import taken_home
from tests.conftest import ARCTIC, NEVER
from tests.voice.conftest import QUICK, learn_quickly, voiced


@pytest.fixture
def learning(
    service: Service, editor: Editor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Studio]:
    """A studio that learns voices, in few steps and from a few seconds."""
    learn_quickly(monkeypatch)
    monkeypatch.setattr("a3t.voice.adaptation_data.LEAST_SECONDS", 1.0)
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
def project(project: Project) -> Project:
    project.listened()
    return project


@pytest.fixture
def desk(project: Project, learning: Studio) -> ProjectController:
    visitor = next(learning.projects.root.iterdir()).name
    desk = learning.desk(visitor, project.at.rpartition("/")[2])
    assert desk is not None
    return desk


def test_the_page_waits_for_as_many_words_as_are_listened_to() -> None:
    assert own_speech.WINDOW[1] == own_voice.EACH


def told(desk: ProjectController) -> list[float]:
    """The shares that were told, in order."""
    events = [event for _, event in desk.since(0) if event["kind"] == "voice"]
    return [event["share"] for event in events if event["share"] is not None]


def test_what_was_made_before_is_made_again_in_the_voice(
    project: Project, desk: ProjectController, tmp_path: Path, editor: Editor
) -> None:
    project.save(change(project.state, "always", "never"))
    (takes,) = project.made()["takes"].values()
    assert takes[0]["voice"] is None and not project.state["voice"]["names"]
    with desk.shown():
        desk.learn()
        state = project.until(lambda state: state["voice"]["names"])
    assert told(desk) == sorted(told(desk)) and len(told(desk)) == QUICK.steps
    (key,) = state["takes"]
    project.post("takes", {"key": key, "like": 0})
    before, after = project.made(2)["takes"][key]
    assert after["voice"] == state["voice"]["names"][""] and after["lengths"] == before["lengths"]
    sounds = [project.client.get(f"{project.at}/takes/{key}-{k}/sound").content for k in (0, 1)]
    assert sounds[0] != sounds[1]
    for wrong in (9, "x", True, -1):
        project.post("takes", {"key": key, "like": wrong}, 400)
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
    request = EditRequest(new_text=NEVER, text=ARCTIC)
    plan = editor.plan(record.parent / "talk.wav", request)
    same = voiced(editor, plan, "always", kept.parent).voice
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


def test_a_voice_is_learnt_only_for_a_page_that_wants_it(
    project: Project, desk: ProjectController
) -> None:
    desk.learn()
    assert desk.learning is not None and not desk.learning.pending(desk.folder.id)
    project.post("script", {"settings": {"adapt": False}})
    with desk.shown():
        desk.learn()
        assert not desk.learning.pending(desk.folder.id)
        project.post("script", {"settings": {}})
        name = project.until(lambda state: state["voice"]["names"])["voice"]["names"][""]
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


@pytest.fixture
def talk(learning: Studio, arctic: Path) -> Path:
    """The sentence by nobody in particular, by Anna, and slower and lower by Bob."""
    samples, rate = soundfile.read(arctic, dtype="int16")
    lower = soxr.resample(samples, rate, round(1.15 * rate))
    path = learning.service.folder / "uploaded" / "two.wav"
    path.parent.mkdir(exist_ok=True)
    soundfile.write(path, np.concatenate([samples, samples, lower]), rate)
    return path


def test_each_named_speaker_has_a_voice(
    client: TestClient, learning: Studio, talk: Path, tmp_path: Path, editor: Editor
) -> None:
    text = f"{ARCTIC}\nANNA: {ARCTIC}\nBOB: {ARCTIC}"
    project = Project(client, {"upload": str(talk), "text": text})
    tokens = project.listened()["tokens"]
    visitor = next(learning.projects.root.iterdir()).name
    desk = learning.desk(visitor, project.at.rpartition("/")[2])
    assert desk is not None
    with desk.shown():
        desk.learn()
        state = project.until(lambda state: len(state["voice"]["names"]) == 2)
    voices = state["voice"]["names"]
    assert list(voices) == ["ANNA", "BOB"] and voices["ANNA"] != voices["BOB"]
    # Whoever speaks without a name has no voice here.
    places = [k for k, token in enumerate(tokens) if token[1] == "always"]
    assert [tokens[k][6] for k in places] == ["", "ANNA", "BOB"]
    edits = [{"after": tokens[k - 1][0], "tokens": [tokens[k][0]], "text": "never"} for k in places]
    keys = [edit["key"] for edit in project.save(*edits)["edits"]]
    takes = project.made()["takes"]
    made_in = [takes[key][0]["voice"] for key in keys]
    assert made_in == [None, voices["ANNA"], voices["BOB"]]
    # They are the command's.
    cache = tmp_path / "cache" / "voices"
    kept = sorted(cache.iterdir())
    new_text = text[::-1].replace("syawla", "reven", 1)[::-1]
    request = EditRequest(new_text=new_text, text=text)
    plan = editor.plan(talk, request)
    own = voiced(editor, plan, "always", cache).voice
    assert own is not None and own["sha256"] == voices["BOB"] and sorted(cache.iterdir()) == kept
    request = replace(request, new_text=text.replace("always", "never", 1))
    assert voiced(editor, editor.plan(talk, request), "auto", cache) is editor
    # The project's file has both, and whoever has the edit.json learns both again.
    packed, stage = tmp_path / "two.a3t.zip", tmp_path / "stage"
    pack(desk.folder, packed)
    stage.mkdir()
    unpack(packed, stage, 10**8)
    assert ProjectFolder(stage).voices == voices
    record = taken_home(project, tmp_path / "home")
    chain = History.of(read_record(record)).chain()
    out = remake(editor, Recording.open(record.parent / "two.wav"), chain).save(tmp_path / "x.wav")
    assert out.read_bytes() == (record.parent / "two.edited.wav").read_bytes()


@pytest.mark.parametrize(
    ("told", "voices"),
    [
        ({"sha256": "a" * 64}, {"": "a" * 64}),  # as projects once had it
        ({"voices": {"ANNA": "a" * 64, "BOB": "../x", "EVE": 3}}, {"ANNA": "a" * 64}),
        ({"voices": []}, {}),
        ({"sha256": None}, {}),
        ([], {}),
    ],
)
def test_what_a_project_says_of_its_voices(
    told: object, voices: dict[str, str], tmp_path: Path
) -> None:
    folder = ProjectFolder(tmp_path)
    folder.write(VOICE, told)
    assert folder.voices == voices
