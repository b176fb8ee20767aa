"""Two windows on one project of a server that is killed: both end with its document, and every step
that was taken in either has arrived, once."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from a3t.audio.output.provenance import provenance_of
from a3t.projects.document import Change, Document
from tests.app.modules.test_modules import HERE, node
from tests.conftest import ARCTIC

pytestmark = pytest.mark.slow
STEPS = 400  # of both windows
TYPED = {"never", "often", "seldom", "they", "rarely"}


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


def test_two_windows_and_a_server_that_is_killed(
    server: KilledServer, arctic: Path, tmp_path: Path
) -> None:
    runner = node()
    if runner is None:
        pytest.skip("there is no Node here: pip install playwright brings one")
    with httpx.Client(base_url=server.url, timeout=600) as client:
        client.get("/")
        sent = client.post("/studio/uploads?name=a.wav", content=arctic.read_bytes())
        data = {"upload": sent.json()["upload"], "text": ARCTIC}
        project = client.post("/studio/projects", json=data).json()["id"]
        while not client.get(f"/studio/projects/{project}").json()["listening"]["done"]:
            time.sleep(0.1)
        at = f"/studio/projects/{project}"
        sent = client.post("/studio/uploads?name=b.wav", content=arctic.read_bytes())
        client.post(f"{at}/recordings", json={"upload": sent.json()["upload"], "text": ARCTIC})
        while not (other := client.get(at).json()["recordings"])[0]["said"]:
            assert not other[0]["problem"]
            time.sleep(0.1)
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    command = [runner, str(HERE / "soak.mjs"), server.url, project, cookie, str(STEPS)]
    command += [other[0]["file"], ARCTIC]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as windows:
        assert windows.stdin is not None and windows.stdout is not None
        kills = 0
        for line in windows.stdout:
            if line.strip() == "kill":
                kills += 1
                server.kill()
                server.start()
            elif line.strip() == "done":
                while server.script.get("corrections"):
                    time.sleep(0.1)
            else:
                break
            windows.stdin.write("\n")
            windows.stdin.flush()
    assert kills
    told = json.loads(line)
    (tokens, edits), other = told["shown"]
    assert [tokens, edits] == other
    at = f"{server.url}/studio/projects/{project}"
    state = httpx.get(at, headers={"cookie": cookie}, timeout=600).json()
    cards = [
        [e["key"], e["take"], e["accepted"], e["made"], (e.get("take_of") or e["key"]) == e["made"]]
        for e in state["edits"]
    ]
    assert cards == edits and [c.key for c in server.changes] == [card[0] for card in cards]
    assert len(edits) > 1 and told["kept"] == 0
    arrived = server.script["clients"]
    assert {page: arrived.get(page, 0) for page in told["last"]} == told["last"]
    headers = {"cookie": cookie}
    with httpx.Client(headers=headers, timeout=600) as client:
        while (state := client.get(at).json())["making"]:
            time.sleep(0.1)
        lost = [edit for edit in state["edits"] if edit["made"] in state["failures"]]
        step = {"n": 1, "gone": lost, "come": [], "label": "revert"}
        client.post(f"{at}/script", json={"page": "export", "steps": [step]})
        while client.get(at).json()["making"]:  # what stood beside it is made anew
            time.sleep(0.1)
        asked = client.post(f"{at}/export", json={})
        assert asked.is_success, asked.text
        while client.get(f"{at}/download").status_code != 200:
            time.sleep(0.1)
        (tmp_path / "a.zip").write_bytes(client.get(f"{at}/download").content)
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert "Not exported.txt" not in archive.namelist()
        (tmp_path / "a.edited.wav").write_bytes(archive.read("a.edited.wav"))
    for trace in provenance_of(tmp_path / "a.edited.wav").traces:
        words = {word.strip(".,").lower() for word in trace.words.split()}
        assert not trace.synthetic or words <= TYPED, trace
