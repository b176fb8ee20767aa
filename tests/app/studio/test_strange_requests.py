"""Requests that no page would send: of strangers, with foreign paths, or of the wrong kind."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.guarding.visitors import COOKIE
from app.studio.storage import folders
from app.studio.studio import Studio
from tests.app.studio.conftest import Project, change, client_for
from tests.conftest import ARCTIC


@pytest.fixture
def project(client: TestClient, upload: str) -> Project:
    return Project(client, {"upload": upload, "text": ARCTIC})


def test_a_project_is_its_owner_s_alone(project: Project, client: TestClient) -> None:
    project.listened()
    cookie = client.cookies[COOKIE]
    client.cookies.clear()
    for path in ("", "/sound/0", "/events", "/download", "/file", "/spectrogram/0/0"):
        assert client.get(f"{project.at}{path}").status_code == 404
    posts = ["script", "takes", "restore", "times", "export", "delete"]
    for path in [f"/{name}" for name in [*posts, "cleaning", "look", "pronounce", "marks"]]:
        assert client.post(f"{project.at}{path}", json={}).status_code == 404
    assert client.get("/projects").json() == []
    for forged in (cookie[:-1], f"{cookie}x", "../../etc", "a" * 32):
        client.cookies.clear()
        client.cookies.set(COOKIE, forged)
        assert client.get(project.at).status_code == 404
    client.cookies.clear()
    client.cookies.set(COOKIE, cookie)
    assert client.get(project.at).status_code == 200


def test_whoever_must_log_in_sees_nothing_before(studio: Studio, upload: str) -> None:
    tokens: dict[str, str] = {}
    logins = SimpleNamespace(auth=[("ann", "secret")], tokens=tokens, cookie_id="x")
    with client_for(studio, logins) as client:
        assert client.get("/projects").status_code == 401
        assert client.post("/projects", json={"upload": upload}).status_code == 401
        tokens["known"] = "ann"
        client.cookies.set("access-token-x", "known")
        assert client.get("/projects").json() == []
        assert client.post("/projects", json={"upload": upload, "text": ARCTIC}).status_code == 200
    with client_for(studio, logins) as elsewhere:
        elsewhere.cookies.set("access-token-x", "known")  # ann, in another browser
        assert len(elsewhere.get("/projects").json()) == 1


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "{wav}", "../x", "{folder}/../secret.wav", "", "a\x00b", "x" * 5000]
)
def test_a_path_that_was_not_uploaded_is_not_read(
    path: str, client: TestClient, studio: Studio, arctic: Path
) -> None:
    given = path.format(wav=arctic, folder=studio.service.folder)
    for where in ("/projects", "/text"):
        answer = client.post(where, json={"upload": given})
        assert answer.status_code == 400 and "root:" not in answer.text


NONSENSE: list[Any] = [
    {"steps": "x"}, {"steps": [{}]}, {"steps": ["x"]}, {"steps": [{"n": "1"}]},
    *({"steps": [{"n": 1, "gone": [], "come": [edit]}]} for edit in (
        {}, {"after": -1, "tokens": ["x"], "text": ""}, {"after": 2**70, "tokens": [], "text": "a"},
        {"after": -1, "tokens": [], "text": "a " * 5000},
        {"after": True, "tokens": [0], "text": "a"},
    )),
    {"steps": [{"n": 1, "correct": {"after": 0, "tokens": "x", "right": 1, "text": "a"}}]},
    {"settings": {"model": "../small"}}, {"settings": {"match": ["echo"]}},
]  # fmt: skip


def test_a_list_of_nonsense_is_refused(project: Project) -> None:
    project.listened()
    for data in NONSENSE:
        answer = project.client.post(f"{project.at}/script", json=data)
        assert answer.status_code == 400 and len(answer.json()["detail"]) > 10, data
    assert project.state["edits"] == [] and project.state["revision"] == 0


def test_settings_out_of_range_are_brought_into_it(project: Project) -> None:
    strange = {"speed": 1e308, "margin": -5, "seed": float("inf"), "fit": "yes", "kind": "/etc"}
    edit = change(project.listened(), "always", "never")
    project.client.post(
        f"{project.at}/script",
        content='{"settings": {"speed": NaN, "seed": 1e999}}',
    )
    strange["seed"] = 2**40
    steps = [{"n": 1, "gone": [], "come": [edit]}]
    project.post("script", {"page": "x", "steps": steps, "settings": strange})
    assert not project.made()["failures"]


def test_there_is_a_limit_to_projects_and_takes(
    project: Project, monkeypatch: pytest.MonkeyPatch, upload: str
) -> None:
    monkeypatch.setattr(folders, "MOST_TAKES", 1)
    monkeypatch.setattr(folders, "MOST_PROJECTS", 1)
    project.save(change(project.listened(), "always", "never"))
    (key,) = project.made()["takes"]
    assert "can't have more takes" in project.post("takes", {"key": key}, 400)["detail"]
    answer = project.client.post("/projects", json={"upload": upload})
    assert answer.status_code == 400 and "no room for more projects" in answer.json()["detail"]
