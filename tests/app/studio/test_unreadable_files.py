"""A file of a project that can't be read: one sentence, and not a byte is lost."""

import errno
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from a3t.projects.store.folder import ProjectFolder
from app.guard import COOKIE
from app.service import Service
from app.studio.studio import Studio
from tests.app.studio.conftest import Project, change, client_of, uploaded
from tests.conftest import ARCTIC

NO_DOCUMENT = {"opened.json"}  # which has a time alone

WRITTEN = {"project.json", "script.json", "0000.json"}  # by what is asked for


def digests(folder: Path) -> dict[str, bytes]:
    """The bytes of every file, by its name."""
    paths = (path for path in folder.rglob("*") if path.is_file() and path.name not in NO_DOCUMENT)
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def kept(
    service: Service, arctic: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str]:
    """A project with one file of each kind, and the cookie of whom it belongs to."""
    root = tmp_path_factory.mktemp("kept") / "projects"
    with client_of(Studio(service, root)) as client:
        project = Project(client, {"upload": str(arctic), "text": ARCTIC})
        state = project.listened()
        project.post("pronounce", {"word": "never", "said": "N EH1 V ER0"})
        project.post("names", {"text": "Nguyen=win"})
        project.until(lambda state: state["names"] and state["pronunciations"])
        project.post("recordings", {"upload": uploaded(client, arctic), "text": ARCTIC})
        project.until(lambda state: state["recordings"][0]["said"])
        project.save(change(state, "always", "never"))
        project.made()
        return root, client.cookies[COOKIE]


def later(data: bytes) -> bytes:
    found = json.loads(data)
    return json.dumps({**(found if isinstance(found, dict) else {}), "format": 99}).encode()


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "garbage": lambda data: b"\xff\x00{]",
    "other JSON": lambda data: b'[{"x": [1, "y"]}, 7]',
    "later": later,
    "I/O error": lambda data: data,
}


@pytest.fixture
def unworked(monkeypatch: pytest.MonkeyPatch) -> None:
    """No job begins."""
    monkeypatch.setattr("app.processes.lanes.EditorLane.add", lambda lane, job: True)


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.usefixtures("unworked")
def test_a_file_that_cannot_be_read_is_named_and_nothing_is_lost(
    damage: str,
    kept: tuple[Path, str],
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = sorted(
        str(path.relative_to(kept[0]))
        for path in kept[0].rglob("*.json")
        if path.name not in NO_DOCUMENT
    )
    assert len({Path(name).name for name in names}) >= 9, names
    for number, name in enumerate(names):
        root = tmp_path / str(number)
        shutil.copytree(kept[0], root)
        broken = root / name
        broken.write_bytes(DAMAGE[damage](broken.read_bytes()))
        before, read = digests(root), Path.read_bytes

        def failing(path: Path, broken: Path = broken, read: Any = read) -> bytes:
            if path == broken:
                raise OSError(errno.EIO, "Input/output error")
            return bytes(read(path))

        with monkeypatch.context() as patch, client_of(Studio(service, root)) as client:
            if damage == "I/O error":
                patch.setattr(Path, "read_bytes", failing)
            client.cookies.set(COOKIE, kept[1])
            sentences = list(said(client))
        assert len(sentences) == 1, (name, sentences)
        assert broken.name in sentences[0] or "request.json" in name, (name, sentences)
        assert "/" not in sentences[0].replace("Input/output", ""), sentences
        after = digests(root)
        lost = [at for at in before if after.get(at) != before[at]]
        # What was asked for may be done where it doesn't need the file.
        assert {Path(at).name for at in lost} <= WRITTEN - {broken.name}, (name, lost)
        assert all(b"never" in after[at] for at in after if at.endswith("script.json")) or (
            broken.name == "script.json"
        )


def said(client: TestClient) -> Iterator[str]:
    """The different sentences of whatever is asked of a project."""
    (listed,) = client.get("/projects").json()
    at, sentences = f"/projects/{listed['id']}", dict[str, None]()
    state = client.get(at)
    if state.status_code == 200:
        sentences |= dict.fromkeys(state.json()["failures"].values())
        key = state.json()["edits"][0]["key"]
    else:
        sentences[state.json()["detail"]] = None
        key = "0" * 16
    asked: dict[str, dict[str, Any]] = {
        "script": {"page": "x", "steps": [{"n": 1, "now": {"marks": True}}]},
        "export": {},
        "takes": {"key": key},
        "rename": {"name": "Other"},
    }
    for name, data in asked.items():
        answer = client.post(f"{at}/{name}", json=data)
        assert answer.status_code in (200, 400), answer.text
        if answer.status_code == 400 and "can't be read" in answer.json()["detail"]:
            sentences[answer.json()["detail"]] = None
    packed = client.get(f"{at}/file")
    if packed.status_code == 400:
        sentences[packed.json()["detail"]] = None
    yield from sentences


def test_what_a_project_no_longer_needs_lies_in_its_own_bin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = ProjectFolder(tmp_path)
    (tmp_path / "said").mkdir()
    (tmp_path / "said" / "said-0123456789ab.wav").write_bytes(b"RIFF")
    folder.forget_said([])
    assert not any((tmp_path / "said").iterdir())
    (found,) = tmp_path.glob("bin/*/said/said-0123456789ab.wav")
    assert found.read_bytes() == b"RIFF"
    folder.forget_said([])
    assert found.is_file()
    monkeypatch.setattr("a3t.projects.store.folder.BIN_S", 0.0)
    folder.forget_said([])
    assert not any(tmp_path.glob("bin/*"))
