"""The voice of a project's recording, learnt on request where the page is for one computer."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from a3t.model.saved_voices import load_voice, save_voice
from a3t.user_folders import voice_names
from app.processes import worker
from app.studio.studio import Studio
from app.studio.voice_learning import new_name
from app.studio.work import learning
from tests.app.conftest import PATIENCE
from tests.app.studio.conftest import Project, client_of
from tests.conftest import ARCTIC
from tests.voice.conftest import quick

AGREED = {"consent": True}


@pytest.fixture(autouse=True)
def voices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A3T_VOICES", str(tmp_path / "voices"))
    monkeypatch.setattr("a3t.voice.adaptation.LEAST_SECONDS", 1.0)  # the sentence takes three
    monkeypatch.setattr("a3t.voice.making.AdaptationConfig", quick)


@pytest.fixture
def project(studio: Studio, client: TestClient, upload: str) -> Project:
    studio.makes_voices = True
    project = Project(client, {"upload": upload, "text": ARCTIC})
    project.listened()
    return project


def voice(state: dict[str, Any]) -> dict[str, Any]:
    return state["voice"]  # type: ignore[no-any-return]


def test_it_is_learnt_with_consent_told_of_and_kept(
    studio: Studio, project: Project, tmp_path: Path
) -> None:
    assert voice(project.state)["state"] == "offered"
    assert "consent" in str(project.post("voice/learn", {}, 400))
    project.post("voice/learn", AGREED)
    learnt = voice(project.until(lambda state: voice(state)["state"] != "learning"))
    assert (learnt["state"], learnt["name"], voice_names()) == ("learnt", "talk", ["talk"])
    facts = load_voice("talk").facts
    assert facts["consent"] is True and 2 < facts["seconds"] < 4
    name = project.at.rpartition("/")[2]
    events = [event for _, event in studio._open[name].events.since(0) if '"voice"' in event]
    assert any('"share": 0.6' in event for event in events) and '"learnt"' in events[-1]
    # Another server finds it learnt; and whoever wants to hear no more of it, does not.
    again = Studio(studio.service, tmp_path / "projects")
    again.makes_voices = True
    with client_of(again) as other:
        other.cookies = project.client.cookies
        assert voice(other.get(project.at).json())["name"] == "talk"
        other.post(f"{project.at}/voice/decline", json={})
        assert voice(other.get(project.at).json())["state"] == "none"


def test_it_can_be_stopped_and_goes_on_where_it_was(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    tell = learning.editor_step

    def stopping(editor: Any, step: str) -> None:
        steps.append(step)
        if len(steps) == 3:  # two of three are done
            project.post("voice/stop", {})
        tell(editor, step)

    monkeypatch.setattr(learning, "editor_step", stopping)
    monkeypatch.setattr(worker, "PATIENCE", PATIENCE)
    project.post("voice/learn", AGREED)
    project.until(lambda state: voice(state)["state"] == "offered")
    assert not voice_names()
    project.post("voice/learn", AGREED)
    project.until(lambda state: voice(state)["state"] == "learnt")
    assert steps == ["learnt 0 3", "learnt 1 3", "learnt 2 3", "learnt 2 3"]


def test_why_it_failed_is_told(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("a3t.voice.adaptation.LEAST_SECONDS", 8.0)
    project.post("voice/learn", AGREED)
    told = voice(project.until(lambda state: voice(state)["problem"]))
    assert told["state"] == "offered" and "usable speech" in told["problem"]


def test_a_server_for_others_makes_no_voice(client: TestClient, upload: str) -> None:
    project = Project(client, {"upload": upload, "text": ARCTIC})
    assert voice(project.listened())["state"] == "none"
    assert "a3t voice make" in str(project.post("voice/learn", AGREED, 400))
    project.post("voice/stop", {})


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("talk.wav", "talk-2"),
        ("Ünser Gespräch.mp3", "nser_Gespr-ch"),
        ("...", "recording"),
        (f"{'x' * 100}.wav", "x" * 56),  # a name of 64 characters is the longest
    ],
)
def test_no_voice_is_replaced(file: str, name: str) -> None:
    save_voice("talk", {}, {}, {})
    assert new_name(file) == name
