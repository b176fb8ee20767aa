"""A project as one file: taken home, brought back, and what a file that lies can do."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from app import limits
from app.service import Service
from app.studio.studio import Studio
from tests.app.studio.conftest import Project, change, client_of, uploaded
from tests.conftest import ARCTIC


@pytest.fixture
def project(client: TestClient, upload: str) -> Project:
    project = Project(client, {"upload": upload, "text": ARCTIC})
    project.save(change(project.listened(), "always", "never"))
    project.made()
    return project


def saved(project: Project, service: Service, name: str = "talk.a3t.zip") -> Path:
    """The project's file, as if it had been uploaded again."""
    answer = project.client.get(f"{project.at}/file")
    assert answer.status_code == 200
    assert "talk.a3t.zip" in answer.headers["content-disposition"]
    path = service.folder / "uploaded" / name
    path.write_bytes(answer.content)
    return path


@pytest.fixture(scope="module")
def true_file(
    service: Service, arctic: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    """The members of a project's file; the project is a visitor's who is gone."""
    folder = service.folder / "uploaded"
    folder.mkdir(exist_ok=True)
    upload = folder / "talk.wav"
    upload.write_bytes(arctic.read_bytes())
    with client_of(Studio(service, tmp_path_factory.mktemp("gone") / "projects")) as client:
        project = Project(client, {"upload": str(upload), "text": ARCTIC})
        project.save(change(project.listened(), "always", "never"))
        project.made()
        path = saved(project, service)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def repacked(
    service: Service, members: dict[str, bytes], change: Callable[[dict[str, bytes]], object]
) -> Path:
    """An upload of the file with its members changed."""
    path = service.folder / "uploaded" / "other.a3t.zip"
    members = dict(members)
    change(members)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def heard(project: Project) -> dict[str, bytes]:
    state = project.state
    return {
        f"{key}-{take['number']}": project.client.get(
            f"{project.at}/takes/{key}-{take['number']}/sound"
        ).content
        for key, takes in state["takes"].items()
        for take in takes
    }


def test_another_visitor_goes_on_where_it_was(
    project: Project, service: Service, studio: Studio
) -> None:
    path = saved(project, service)
    before = project.state
    with client_of(studio) as client:
        other = Project(client, {"upload": str(path)})
        other.listened()
        after = other.until(lambda state: state["sound"])  # which may be opened after that
        for name in ("tokens", "edits", "takes", "name", "sound"):
            assert after[name] == before[name], name
        assert heard(other) == heard(project)
        folders = (
            studio.projects.root.glob(f"*/{each.at[10:]}/takes") for each in (project, other)
        )
        requests = [[p.read_bytes() for p in next(at).glob("*/*/request.json")] for at in folders]
        assert requests[0] == requests[1] != []
        other.save(*after["edits"], change(after, "superlative", "highest"))
        assert not other.made()["failures"]


def test_nothing_is_replaced_unasked(project: Project, service: Service) -> None:
    client, path = project.client, saved(project, service)
    project.save()  # the change is taken back after the file was saved
    answer = client.post("/projects", json={"upload": uploaded(client, path)})
    assert answer.status_code == 409
    assert answer.json() == {"exists": {"name": "talk.wav", "edits": 0}}
    assert len(client.get("/projects").json()) == 1
    both = Project(client, {"upload": str(path), "onto": "both"})
    assert len(both.listened()["edits"]) == 1 and project.state["edits"] == []
    assert len(client.get("/projects").json()) == 2
    only = Project(client, {"upload": str(path), "onto": "replace"})
    assert len(only.listened()["edits"]) == 1
    here = [each["id"] for each in client.get("/projects").json() if not each["binned"]]
    assert here == [only.at.rpartition("/")[2]]
    assert client.get(project.at).status_code == 404


def test_a_project_that_was_not_listened_to_yet(
    client: TestClient, service: Service, true_file: dict[str, bytes]
) -> None:
    """Its file goes on with what is missing."""
    path = repacked(service, true_file, without("words/0000.json"))
    state = Project(client, {"upload": str(path)}).listened()
    assert [token[1] for token in state["tokens"]] == ARCTIC.split()


def without(name: str) -> Callable[[dict[str, bytes]], object]:
    return lambda members: members.pop(name)


def instead(name: str, data: bytes) -> Callable[[dict[str, bytes]], object]:
    return lambda members: members.update({name: data})


def with_value(name: str, *path: Any) -> Callable[[dict[str, bytes]], object]:
    """A JSON member with another value at a place in it."""

    def changed(members: dict[str, bytes]) -> None:
        data = json.loads(members[name])
        inner = data
        for key in path[:-2]:
            inner = inner[key]
        inner[path[-2]] = path[-1]
        members[name] = json.dumps(data).encode()

    return changed


MANIFEST, WORDS = "a3t-project.json", "words/0000.json"


@pytest.mark.parametrize(
    "broken",
    [
        without(MANIFEST),
        without("original/talk.wav"),
        instead(MANIFEST, b"{"),
        instead(MANIFEST, b"[" * 100_000),
        instead(WORDS, b'{"tokens": 7, "pauses": []}'),
        instead("original/two.wav", b"RIFF"),
        with_value(MANIFEST, "format", 99),
        with_value(MANIFEST, "id", "../../etc"),
        with_value(MANIFEST, "file", "../talk.wav"),
        with_value(MANIFEST, "file", ".."),
        with_value(MANIFEST, "samples", 1e300),
        with_value(MANIFEST, "parts", [[0, 10**9]]),
        with_value(MANIFEST, "parts", [["x", None]]),
        with_value(WORDS, "tokens", 0, "id", 1),
        with_value(WORDS, "tokens", 1, "words", []),
        with_value(WORDS, "tokens", 1, "words", 0, "end", float("nan")),
        with_value(WORDS, "tokens", 1, "words", 0, "phones", 0, "symbol", "<script>"),
        with_value("script.json", "changes", 0, "tokens", "all"),
        with_value("script.json", "format", 99),
    ],
)
def test_a_file_that_was_tampered_with_is_refused(
    client: TestClient, service: Service, studio: Studio, true_file: dict[str, bytes], broken: Any
) -> None:
    path = repacked(service, true_file, broken)
    answer = client.post("/projects", json={"upload": uploaded(client, path)})
    assert answer.status_code == 400
    assert re.search("not a project|later version", answer.json()["detail"])
    assert client.get("/projects").json() == []
    assert not any(each.is_file() for each in studio.projects.root.rglob("*"))


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_takes_that_were_tampered_with_are_made_anew(
    client: TestClient, service: Service, true_file: dict[str, bytes]
) -> None:
    take = next(name for name in true_file if name.endswith("take.json")).rpartition("/")[0]
    pickled = io.BytesIO()
    np.save(pickled, np.array([{"run": "me"}], dtype=object), allow_pickle=True)
    for broken in (
        instead(f"{take}/patch.npy", npy(np.full((4, 1), np.nan))),
        instead(f"{take}/patch.npy", pickled.getvalue()),
        instead(f"{take}/patch.npy", b"\x93NUMPY"),
        without(f"{take}/patch.npy"),
        with_value(f"{take}/take.json", "number", 7),
        with_value(f"{take}/take.json", "spans", 0, "source", [10**8, 10**9]),
        with_value(f"{take}/take.json", "mix", "edits", []),
        with_value(f"{take}/take.json", "model", "name", ["x"]),
    ):
        path = repacked(service, true_file, broken)
        answer = client.post(
            "/projects", json={"upload": uploaded(client, path), "onto": "replace"}
        )
        (takes,) = client.get(f"/projects/{answer.json()['id']}").json()["takes"].values()
        assert takes == []
    path = repacked(service, true_file, without(f"{take}/patch.npy"))
    project = Project(client, {"upload": str(path), "onto": "replace"})
    project.listened()
    (takes,) = project.made()["takes"].values()
    assert takes[0]["words"][0]["text"] == "never"


def test_members_that_point_elsewhere_are_never_written(
    client: TestClient, service: Service, true_file: dict[str, bytes], tmp_path: Path
) -> None:
    names = ("../evil.txt", "/tmp/evil.txt", "takes/../../evil.txt", "words/0000.json/x")
    path = repacked(service, true_file, lambda members: members.update(dict.fromkeys(names, b"x")))
    Project(client, {"upload": str(path)}).listened()
    assert not list(tmp_path.rglob("evil*")) and not Path("/tmp/evil.txt").exists()


def test_what_unpacks_to_more_than_it_says_or_may(
    client: TestClient,
    service: Service,
    true_file: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = repacked(service, true_file, len)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("takes/bomb", b"0" * 50_000_000)
    monkeypatch.setattr(limits, "MAX_MEGABYTES", 10)
    answer = client.post("/projects", json={"upload": uploaded(client, path)})
    assert answer.status_code == 400 and "larger than" in answer.json()["detail"]
    for k in range(0, len(data), 101):
        data[k] ^= 0xFF
    path.write_bytes(data)
    assert client.post("/projects", json={"upload": uploaded(client, path)}).status_code == 400


def test_another_recording_than_its_own(
    client: TestClient, service: Service, true_file: dict[str, bytes]
) -> None:
    shorter = true_file["original/talk.wav"][:20_044]
    path = repacked(service, true_file, instead("original/talk.wav", shorter))
    assert Project(client, {"upload": str(path)}).gone()
