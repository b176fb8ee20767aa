"""Two windows on one project of a server that is killed: both end with its document, and every step
that was taken in either has arrived, once."""

import json
import subprocess
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from a3t.audio.output.provenance import provenance_of
from a3t.projects.document import Change, steps_of
from tests.app.modules.test_modules import HERE, node
from tests.app.studio.conftest import KilledServer
from tests.conftest import ARCTIC

TYPED = {"never", "often", "seldom", "they", "rarely"}


def lost_words(taken: Any, changes: Sequence[Change]) -> list[Change]:
    """The changes that a window made, and that are neither there nor were taken out by a step."""
    there = {each.key for change in changes for each in (change, *change.rivals)}
    steps = steps_of(taken)
    for step in steps:
        there |= {each.key for gone in step.gone for each in (gone, *gone.rivals)}
    return [change for step in steps for change in step.come if change.key not in there]


@pytest.mark.parametrize(
    ("steps", "kills", "seed"),
    [
        pytest.param(*each, marks=pytest.mark.slow)
        for each in ((60, 1, 17), (400, 4, 17), (400, 4, 18))
    ],
)
def test_two_windows_and_a_server_that_is_killed(
    steps: int, kills: int, seed: int, server: KilledServer, arctic: Path, tmp_path: Path
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
    command = [runner, str(HERE / "soak.mjs"), server.url, project, cookie]
    command += [*map(str, (steps, kills, seed)), other[0]["file"], ARCTIC]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as windows:
        assert windows.stdin is not None and windows.stdout is not None
        for line in windows.stdout:
            if line.strip() == "kill":
                kills -= 1
                server.kill()
                server.start()
            elif line.strip() == "done":
                while server.script.get("corrections"):
                    time.sleep(0.1)
            else:
                break
            windows.stdin.write("\n")
            windows.stdin.flush()
    assert not kills
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
    assert not lost_words(told["taken"], server.changes)
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
