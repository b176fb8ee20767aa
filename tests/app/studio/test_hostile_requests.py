"""The job interface asked for what no page would ask: a sentence or a right answer, and the project
is as it was."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from a3t.errors import InputError
from app.studio.storage.folders import ProjectFolder
from app.studio.studio import Studio
from tests.app.studio.conftest import Project, change, client_of
from tests.conftest import ARCTIC
from tests.fuzz.corpus import VALUES

WRONG: list[Any] = [*VALUES, [{}], [[1]], {"tokens": [1]}, -(2**40), "../../x", "9" * 5000]
EDIT = {"after": -1, "tokens": [], "text": "well,", "take": 0, "accepted": False}
CUT = EDIT | {"text": "", "cut": {"kind": "pause", "action": "cut", "start": 0.1, "end": 0.2}}
SETTINGS = {
    "speed": 1.0, "fit": False, "margin": 25, "match": ["room"], "seed": 0,
    "model": "small", "vocoder": "builtin", "aligner": "a3t", "voice": "",
}  # fmt: skip
BODIES: dict[str, dict[str, Any]] = {
    "script": {"steps": [{"n": 1, "gone": [], "come": [CUT]},
                         {"n": 2, "correct": EDIT | {"right": 1}}],
               "draft": {"first": 0, "last": 1, "text": "x", "mode": "insert"},
               "settings": SETTINGS},
    "takes": {"key": "0" * 16, "pace": 1.0, "duration": 0.5, "take": 0, "word": 0, "seconds": 1},
    "cleaning": {"kinds": ["pause"], "action": "cut", "longest": 1.2},
    "look": {"seconds": 1.0},
    "marks": {"marks": True},
    "pronounce": {"word": "", "said": "x"},
    "times": {"id": 0, "start": 0.0, "end": 0.1},
    "export": {"kind": ".wav"},
}  # fmt: skip


@pytest.fixture(scope="module")
def project(service: Any, arctic: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    upload = service.folder / "hostile.wav"
    upload.write_bytes(arctic.read_bytes())
    with client_of(Studio(service, tmp_path_factory.mktemp("projects"))) as client:
        made = Project(client, {"upload": str(upload), "text": ARCTIC})
        made.save(change(made.listened(), "always", "never"))
        made.made()
        yield made


def places(body: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a body at which something else may stand."""
    found = [at] if at else []
    if isinstance(body, dict | list):
        for key, inner in body.items() if isinstance(body, dict) else enumerate(body):
            found += places(inner, (*at, key))
    return found


def with_value(body: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    copy = dict(body) if isinstance(body, dict) else list(body)
    copy[place[0]] = with_value(copy[place[0]], place[1:], value)
    return copy


@pytest.mark.parametrize("name", BODIES)
def test_wrong_values_are_answered_and_change_nothing(name: str, project: Project) -> None:
    before = project.state
    for place in places(BODIES[name]):
        for value in WRONG:
            body = with_value(BODIES[name], place, value)
            body |= {"page": uuid4().hex} if name == "script" else {}
            answer = sent(project.client, f"{project.at}/{name}", body)
            assert answer.status_code in (200, 400), (name, place, value, answer.text[:200])
            if answer.status_code != 200:
                assert answer.json()["detail"] and "\n" not in answer.json()["detail"]
        # Whatever is saved can be read again.
        assert project.client.get(project.at).status_code == 200, (name, place)
    assert project.client.get("/projects").status_code == 200
    after = project.state  # what is said of it can still be read
    assert {edit["key"] for edit in before["edits"]} <= {edit["key"] for edit in after["edits"]}
    assert {token[1] for token in before["tokens"]} <= {token[1] for token in after["tokens"]}


def sent(client: TestClient, path: str, body: Any) -> Any:
    return client.post(path, content=json.dumps(body).encode())  # NaN, 10**400 and surrogates too


def test_a_project_that_has_not_been_opened_yet(
    client: TestClient, upload: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.processes.lanes.EditorLane.add", lambda queue, job: True)
    project = Project(client, {"upload": upload, "text": ARCTIC})
    for name, body in BODIES.items():
        answer = sent(client, f"{project.at}/{name}", body)
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
        ProjectFolder(folder).write("project.json", {})
    assert not folder.exists()


@pytest.mark.parametrize(
    "path",
    [
        "sound/99999999999999999999", "sound/" + "9" * 5000, "sound/-1", "sound/x",
        "peaks/0?first=99999999999&count=999999999999", "peaks/9", "peaks/" + "9" * 5000,
        "peaks/0?first=-1&count=²", "spectrogram/0/999999999", "spectrogram/7/0",
        "spectrogram/" + "9" * 5000 + "/0", "takes/..%2f..-0/sound",
        "takes/0000000000000000-1/sound",
        "takes/0000000000000000-999999/spectrogram", "takes/%00/sound", "download", "nothing",
    ],
)  # fmt: skip
def test_addresses_of_nothing(path: str, project: Project) -> None:
    answer = project.client.get(f"{project.at}/{path}")
    assert answer.status_code in (200, 404, 400)
    assert len(answer.content) < 2_000_000


@pytest.mark.parametrize("upload", [None, 5, "", "/etc/passwd", "../x", "\0", "x" * 5000, [], {}])
@pytest.mark.parametrize("path", ["/projects", "/text"])
def test_uploads_that_are_none(path: str, upload: Any, client: TestClient) -> None:
    answer = sent(client, path, {"upload": upload, "text": [[], {}]})
    assert answer.status_code == 400 and "upload" in answer.json()["detail"]


@pytest.mark.parametrize("body", [b"", b"[", b"[" * 100_000, b"null", b'"x"', b"\xff", b"{}"])
def test_bodies_that_are_no_object(body: bytes, project: Project) -> None:
    for name in BODIES:
        answer = project.client.post(f"{project.at}/{name}", content=body)
        assert answer.status_code in (200, 400), (name, answer.text[:200])


@pytest.mark.parametrize(
    "name",
    ["..", "%2e%2e", "..%2f..%2fetc", "0" * 24, "x" * 5000, "%00", "a/b", "project.json", "web"],
)
def test_projects_of_nobody(name: str, client: TestClient) -> None:
    assert client.get(f"/projects/{name}").status_code in (200, 404)
    assert client.get(f"/web/{name}").status_code in (404, 405)
    assert client.post(f"/projects/{name}/delete").status_code in (404, 405)
