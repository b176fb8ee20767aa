"""Projects belong to their visitors, and hold so much."""

import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from a3t.errors import InputError
from a3t.projects.store import folder as of_one
from a3t.projects.store import projects
from a3t.projects.store.folder import ProjectFolder
from a3t.projects.store.project_state import ProjectState
from app import guard
from app.guard import COOKIE, Visitors
from app.studio.studio import Studio
from tests.app.studio.conftest import Project, change, client_for, client_of, uploaded
from tests.app.test_hostile_requests import JOBS
from tests.conftest import ARCTIC


def test_a_project_that_has_not_been_opened_yet(
    client: TestClient, upload: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.processes.lanes.EditorLane.add", lambda queue, job: True)
    project = Project(client, {"upload": upload, "text": ARCTIC})
    for name, body in JOBS.items():
        answer = client.post(f"{project.at}/{name}", json=body)
        assert answer.status_code in (200, 400), (name, answer.text[:200])
    for path in ("sound/0", "peaks/0", "spectrogram/0/0", "download", "takes/x/sound"):
        assert client.get(f"{project.at}/{path}").status_code in (404, 400)
    assert project.state["sound"] is None


def test_a_deleted_project_does_not_come_back(
    client: TestClient, studio: Studio, upload: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.processes.lanes.EditorLane.add", lambda queue, job: True)
    project = Project(client, {"upload": upload})
    (folder,) = (path.parent for path in studio.projects.root.glob("*/*/project.json"))
    project.post("delete", {})
    project.post("delete", {})  # from the bin
    with pytest.raises(InputError, match=r"\w"):
        ProjectFolder(folder).write(ProjectState())
    assert not folder.exists()


def test_an_upload_has_a_name_that_is_its_visitor_s_alone_and_no_path(
    client: TestClient, studio: Studio, arctic: Path
) -> None:
    given = {"name": "../../etc/My talk.wav"}
    told = client.post("/uploads", params=given, content=arctic.read_bytes())
    assert re.fullmatch(r'\{"upload":"[0-9a-f]{24}"\}', told.text)
    (path,) = (each for each in studio.service.folder.rglob("My_talk.wav"))
    assert path.read_bytes() == arctic.read_bytes()
    with client_of(studio) as other:
        assert other.post("/projects", json=told.json()).status_code == 400
    assert client.post("/projects", json={"upload": path.parent.name}).status_code == 400
    made = client.get(f"/projects/{client.post('/projects', json=told.json()).json()['id']}")
    assert made.json()["name"] == "My talk.wav"


def test_a_project_is_its_owner_s_alone(project: Project, client: TestClient) -> None:
    project.listened()
    cookie = client.cookies[COOKIE]
    client.cookies.clear()
    for path in ("", "/sound/0", "/events", "/download", "/file", "/spectrogram/0/0"):
        assert client.get(f"{project.at}{path}").status_code == 404
    posts = ["script", "takes", "restore", "speakers", "export", "delete"]
    for path in [f"/{name}" for name in [*posts, "cleaning", "look", "pronounce"]]:
        assert client.post(f"{project.at}{path}", json={}).status_code == 404
    assert client.get("/projects").json() == []
    for forged in (cookie[:-1], f"{cookie}x", "../../etc", "a" * 32):
        client.cookies.clear()
        client.cookies.set(COOKIE, forged)
        assert client.get(project.at).status_code == 404
    client.cookies.clear()
    client.cookies.set(COOKIE, cookie)
    assert client.get(project.at).status_code == 200


def test_whoever_must_log_in_sees_nothing_before(
    studio: Studio, upload: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitors = Visitors(("ann", "secret"))
    wrong, right = ({"username": "ann", "password": each} for each in ("Secret", "secret"))
    with client_for(studio, visitors) as client:
        assert client.get("/projects").status_code == 401
        assert client.post("/uploads", content=b"RIFF").status_code == 401
        assert client.post("http://testserver/login", data=wrong).status_code == 400
        assert client.get("/projects").status_code == 401
        # What comes at once after a wrong password isn't looked at, were it right.
        monkeypatch.setattr(guard, "WRONG_LOGIN_S", 1e9)
        monkeypatch.setattr(visitors, "_refused_until", {})
        assert client.post("http://testserver/login", data=wrong).status_code == 400
        assert client.post("http://testserver/login", data=right).status_code == 429
        assert client.get("/projects").status_code == 401
        monkeypatch.setattr(visitors, "_refused_until", {})
        assert client.post("http://testserver/login", data=right).status_code == 200
        assert client.get("/projects").json() == []
        Project(client, {"upload": upload, "text": ARCTIC})
    with client_for(studio, visitors) as elsewhere:
        elsewhere.post("http://testserver/login", data=right)  # ann, in another browser
        assert len(elsewhere.get("/projects").json()) == 1


def test_settings_are_refused_as_on_the_command_line(project: Project) -> None:
    steps = [{"n": 1, "gone": [], "come": [change(project.listened(), "always", "never")]}]
    sent: dict[str, Any] = {"page": "x", "steps": steps}
    for settings, why in (
        ({"speed": 1e308}, "out of range for “speed”: use 0.25 to 4."),
        ({"margin": -5}, "out of range for “margin”: use 0 to 500 ms."),
        ({"fit": "yes"}, "“fit” has a value of the wrong type"),
        ({"match": ["rooms"]}, "“rooms” is none of bandwidth"),
    ):
        assert why in project.post("script", sent | {"settings": settings}, 400)["detail"]
    project.post("script", sent | {"settings": {"kind": "/etc", "speed": 1}})
    assert not project.made()["failures"]


def test_there_is_a_limit_to_projects_and_takes(
    project: Project, studio: Studio, monkeypatch: pytest.MonkeyPatch, upload: str
) -> None:
    monkeypatch.setattr(of_one, "MAX_TAKES", 1)
    monkeypatch.setattr(projects, "MAX_PROJECTS", 1)
    project.save(change(project.listened(), "always", "never"))
    (key,) = project.made()["takes"]
    spoken = {"key": key, "upload": uploaded(project.client, upload)}
    assert "can't have more takes" in project.post("said", spoken, 400)["detail"]
    monkeypatch.setattr(of_one, "MIN_FREE_BYTES", 10**18)
    monkeypatch.setattr(of_one, "MAX_TAKES", 9)
    assert "disk is nearly full" in project.post("said", spoken, 400)["detail"]
    assert not list(studio.projects.root.glob("*/*/said/*"))  # nothing stays of what is refused
    monkeypatch.setattr(of_one, "MAX_TAKES", 1)
    assert "can't have more takes" in project.post("takes", {"key": key}, 400)["detail"]
    answer = project.client.post("/projects", json={"upload": spoken["upload"]})
    assert answer.status_code == 400 and "no room for more projects" in answer.json()["detail"]
