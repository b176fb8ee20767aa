"""The job interface asked for what no page would ask: a sentence or a right answer, and the project
is as it was."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from a3t.errors import InputError
from app.guard import COOKIE, Visitors
from app.studio.storage import folders
from app.studio.storage.folders import ProjectFolder
from app.studio.studio import Studio
from tests.app.studio.conftest import Project, change, client_for, client_of, uploaded
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
    "names": {"text": "Nguyen=win"},
    "cleaning": {"kinds": ["pause"], "action": "cut", "longest": 1.2},
    "look": {"seconds": 1.0},
    "marks": {"marks": True},
    "pronounce": {"word": "", "said": "x"},
    "times": {"id": 0, "start": 0.0, "end": 0.1},
    "export": {"kind": ".wav"},
}  # fmt: skip


@pytest.fixture(scope="module")
def hostile(service: Any, arctic: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
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
def test_wrong_values_are_answered_and_change_nothing(name: str, hostile: Project) -> None:
    before = hostile.state
    for number, place in enumerate(places(BODIES[name])):
        # Of the longest body each value comes to every third place.
        for value in WRONG[number % 3 :: 3] if name == "script" else WRONG:
            body = with_value(BODIES[name], place, value)
            body |= {"page": uuid4().hex} if name == "script" else {}
            answer = sent(hostile.client, f"{hostile.at}/{name}", body)
            assert answer.status_code in (200, 400), (name, place, value, answer.text[:200])
            if answer.status_code != 200:
                assert answer.json()["detail"] and "\n" not in answer.json()["detail"]
        # Whatever is saved can be read again.
        assert hostile.client.get(hostile.at).status_code == 200, (name, place)
    assert hostile.client.get("/projects").status_code == 200
    after = hostile.state  # what is said of it can still be read
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
def test_addresses_of_nothing(path: str, hostile: Project) -> None:
    answer = hostile.client.get(f"{hostile.at}/{path}")
    assert answer.status_code in (200, 404, 400)
    assert len(answer.content) < 2_000_000


UPLOADS = [None, 5, [], {}, "", "/etc/passwd", "../x", "{wav}", "{folder}/../secret.wav", "a\0b",
           "x" * 5000]  # fmt: skip


@pytest.mark.parametrize("path", ["/projects", "/text"])
def test_what_was_not_uploaded_is_not_read(
    path: str, client: TestClient, studio: Studio, arctic: Path
) -> None:
    for upload in UPLOADS:
        if isinstance(upload, str):
            upload = upload.format(wav=arctic, folder=studio.service.folder)
        answer = sent(client, path, {"upload": upload, "text": [[], {}]})
        assert answer.status_code == 400 and "upload" in answer.json()["detail"]


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


@pytest.mark.parametrize("body", [b"", b"[", b"[" * 100_000, b"null", b'"x"', b"\xff", b"{}"])
def test_bodies_that_are_no_object(body: bytes, hostile: Project) -> None:
    for name in BODIES:
        answer = hostile.client.post(f"{hostile.at}/{name}", content=body)
        assert answer.status_code in (200, 400), (name, answer.text[:200])


@pytest.mark.parametrize(
    "name",
    ["..", "%2e%2e", "..%2f..%2fetc", "0" * 24, "x" * 5000, "%00", "a/b", "project.json", "web"],
)
def test_projects_of_nobody(name: str, client: TestClient) -> None:
    assert client.get(f"/projects/{name}").status_code in (200, 404)
    assert client.get(f"/web/{name}").status_code in (404, 405)
    assert client.post(f"/projects/{name}/delete").status_code in (404, 405)


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
    visitors = Visitors(must_log_in=True)
    with client_for(studio, visitors) as client:
        assert client.get("/projects").status_code == 401
        assert client.post("/uploads", content=b"RIFF").status_code == 401
        visitors.gradio_app = SimpleNamespace(tokens=tokens, cookie_id="x")
        assert client.get("/projects").status_code == 401
        tokens["known"] = "ann"
        client.cookies.set("access-token-x", "known")
        assert client.get("/projects").json() == []
        Project(client, {"upload": upload, "text": ARCTIC})
    with client_for(studio, visitors) as elsewhere:
        elsewhere.cookies.set("access-token-x", "known")  # ann, in another browser
        assert len(elsewhere.get("/projects").json()) == 1


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
    project: Project, studio: Studio, monkeypatch: pytest.MonkeyPatch, upload: str
) -> None:
    monkeypatch.setattr(folders, "MAX_TAKES", 1)
    monkeypatch.setattr(folders, "MAX_PROJECTS", 1)
    project.save(change(project.listened(), "always", "never"))
    (key,) = project.made()["takes"]
    spoken = {"key": key, "upload": uploaded(project.client, upload)}
    assert "can't have more takes" in project.post("said", spoken, 400)["detail"]
    monkeypatch.setattr(folders, "MIN_FREE_BYTES", 10**18)
    monkeypatch.setattr(folders, "MAX_TAKES", 9)
    assert "disk is nearly full" in project.post("said", spoken, 400)["detail"]
    assert not list(studio.projects.root.glob("*/*/said/*"))  # nothing stays of what is refused
    monkeypatch.setattr(folders, "MAX_TAKES", 1)
    assert "can't have more takes" in project.post("takes", {"key": key}, 400)["detail"]
    answer = project.client.post("/projects", json={"upload": spoken["upload"]})
    assert answer.status_code == 400 and "no room for more projects" in answer.json()["detail"]
