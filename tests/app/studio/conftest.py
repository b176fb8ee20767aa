"""The job interface without Gradio: a client, and a way to wait for what jobs do."""

import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from a3t.projects.document import Change, Document
from app.application import answer_errors
from app.guard import Visitors
from app.service import Service
from app.studio.routes import add_studio
from app.studio.studio import Studio
from tests.app.conftest import PATIENCE
from tests.conftest import ARCTIC


@pytest.fixture
def studio(service: Service, tmp_path: Path) -> Studio:
    return Studio(service, tmp_path / "projects")


def client_of(studio: Studio) -> TestClient:
    return client_for(studio, Visitors())


def client_for(studio: Studio, visitors: Visitors) -> TestClient:
    app = FastAPI()
    answer_errors(app)
    add_studio(app, studio, visitors)
    return TestClient(app, "http://testserver/studio")


@pytest.fixture
def client(studio: Studio) -> Iterator[TestClient]:
    with client_of(studio) as client:
        yield client


def uploaded(client: TestClient, path: Path | str) -> str:
    """The server's name for a file that is uploaded."""
    path = Path(path)
    answer = client.post("/uploads", content=path.read_bytes(), params={"name": path.name})
    return str(answer.json()["upload"])


class Project:
    """A project through the interface; what it is made of is uploaded first."""

    def __init__(self, client: TestClient, data: dict[str, Any]) -> None:
        self.client = client
        upload = {"upload": uploaded(client, data["upload"])} if "upload" in data else {}
        answer = client.post("/projects", json=data | upload)
        assert answer.status_code == 200, answer.text
        self.at = f"/projects/{answer.json()['id']}"

    @property
    def state(self) -> dict[str, Any]:
        return self.client.get(self.at).json()  # type: ignore[no-any-return]

    def until(self, reached: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """The state once it is so; jobs work in other threads, and asking takes their time."""
        never, pause, waited = threading.Event(), 0.02, 0.0
        while waited < PATIENCE:
            state = self.state
            if reached(state):
                return state
            never.wait(pause)
            waited, pause = waited + pause, min(1.3 * pause, 0.2)
        raise AssertionError(f"never reached: {state}")

    def gone(self) -> str:
        """Why there is no project, once there is none."""
        return str(self.until(lambda state: "detail" in state)["detail"])

    def listened(self) -> dict[str, Any]:
        return self.until(lambda state: state["listening"]["done"] or state["listening"]["problem"])

    def download(self, part: str = "") -> bytes:
        """An export of the project: all of it, or a part."""
        self.post("export", {"film": True} if part == "film" else {})
        address = f"{self.at}/download" + (f"?part={part}" if part else "")
        self.until(lambda state: self.client.get(f"{self.at}/download").status_code == 200)
        return self.client.get(address).content

    def files(self) -> dict[str, bytes]:
        """The files of a download."""
        with zipfile.ZipFile(io.BytesIO(self.download())) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    def post(self, name: str, data: dict[str, Any], status: int = 200) -> dict[str, Any]:
        answer = self.client.post(f"{self.at}/{name}", json=data)
        assert answer.status_code == status, answer.text
        return answer.json()  # type: ignore[no-any-return]

    def step(self, **step: Any) -> dict[str, Any]:
        """The steps of a page of its own."""
        return self.post("script", {"page": uuid4().hex, "steps": [{"n": 1, **step}]})

    def save(self, *edits: dict[str, Any]) -> dict[str, Any]:
        """These are the changes, and no others."""
        return self.step(gone=self.state["edits"], come=list(edits))

    def correct(self, edit: dict[str, Any]) -> None:
        self.step(correct=[{"right": None, **edit}], label="x")

    def set_words(self, **now: Any) -> dict[str, Any]:
        """A step that sets fields of words."""
        return self.step(now=now, was={}, label="words")

    def made(self, count: int = 1) -> dict[str, Any]:
        """The state once every change has so many takes, or one of them couldn't be made."""
        return self.until(
            lambda state: (
                state["failures"]
                or all(len(state["takes"][edit["made"]]) >= count for edit in state["edits"])
            )
        )


@pytest.fixture
def project(client: TestClient, upload: str) -> Project:
    """The sentence, opened."""
    return Project(client, {"upload": upload, "text": ARCTIC})


def taken_home(project: Project, folder: Path) -> Path:
    """Unpack a download; returns its edit.json."""
    folder.mkdir(exist_ok=True)
    for name, content in project.files().items():
        (folder / name).write_bytes(content)
    return next(folder.glob("*.edit.json"))


def change(state: dict[str, Any], words: str, text: str, **more: Any) -> dict[str, Any]:
    """The edit that replaces these words of a state by a text."""
    tokens = state["tokens"]
    said = [token[1].lower().strip(".,") for token in tokens]
    wanted = words.split()
    first = next(k for k in range(len(said)) if said[k : k + len(wanted)] == wanted)
    ids = [token[0] for token in tokens[first : first + len(wanted)]]
    return {"after": tokens[first - 1][0] if first else -1, "tokens": ids, "text": text} | more


class KilledServer:
    """The whole application, on a port of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = int(found.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "app", "--port", str(self.port)]
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(
            [*command, "--projects", str(self.folder)], start_new_session=True, **quiet
        )
        for _ in range(6000):
            try:
                if httpx.get(self.url, timeout=30).status_code == 200:
                    return
            except httpx.TransportError:
                assert self.process.poll() is None, "the server has ended"
                time.sleep(0.1)
        raise AssertionError("the server never answered")

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    @property
    def script(self) -> dict[str, Any]:
        (path,) = self.folder.glob("*/*/script.json")
        found: dict[str, Any] = json.loads(path.read_text())
        return found

    @property
    def changes(self) -> tuple[Change, ...]:
        return Document.from_json(self.script).changes


@pytest.fixture
def server(tmp_path: Path) -> Iterator[KilledServer]:
    server = KilledServer(tmp_path / "projects")
    yield server
    server.kill()
