"""Forged requests, other names and other sites' pages, and what a killed run leaves."""

import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import numpy as np
import pytest
import soundfile

from alignment.atomic import recover
from app.application import run_folder
from app.guard import MAX_BODY, is_from_elsewhere, is_local
from app.service import Service
from tests.app.conftest import EDIT_OPTIONS
from tests.conftest import ARCTIC


def ask(url: str, path: str, **more: object) -> tuple[int, str]:
    """/edit with a recording at `path` that was not uploaded: status, and what came of it."""
    upload = {"path": path, "meta": {"_type": "gradio.FileData"}, **more}
    asked = httpx.post(
        f"{url}/gradio_api/call/edit", json={"data": [upload, ARCTIC, ARCTIC, *EDIT_OPTIONS]}
    )
    if asked.status_code != 200:
        return asked.status_code, asked.text
    event = asked.json()["event_id"]
    return 200, httpx.get(f"{url}/gradio_api/call/edit/{event}", timeout=600).text


@pytest.mark.parametrize(
    "path", ["http://127.0.0.1:9/a.wav", "https://example.org/a.wav", " HTTP://x/a.wav"]
)
def test_no_request_is_sent_to_other_servers(path: str, url: str) -> None:
    assert ask(url, path)[0] == 403
    served = httpx.get(f"{url}/gradio_api/file={path.strip()}")
    assert served.status_code == 403
    assert httpx.get(f"{url}/gradio_api/proxy={path.strip()}").status_code in (403, 404)


@pytest.mark.parametrize("path", ["/etc/passwd", "{wav}", "../../etc/passwd", "%2e%2e/%2e%2e/x"])
def test_only_uploads_and_results_are_served(path: str, url: str, arctic: Path) -> None:
    asked = httpx.get(f"{url}/gradio_api/file={path.format(wav=arctic)}")
    assert asked.status_code in (403, 404)


def test_folders_can_not_be_listed(url: str, service: Service, upload: str) -> None:
    for folder in (service.folder, service.folder / "projects", Path(upload).parent):
        assert httpx.get(f"{url}/gradio_api/file={folder}").status_code == 403


def test_large_bodies_are_refused_unread(url: str) -> None:
    body = json.dumps({"data": ["x" * MAX_BODY]})
    asked = httpx.post(f"{url}/gradio_api/call/edit", content=body)
    assert asked.status_code == 413


def test_other_pages_may_not_ask(url: str) -> None:
    """CORS is closed: no other site's script gets an answer that its browser lets it read."""
    asked = httpx.get(f"{url}/config", headers={"Origin": "https://evil.example"})
    assert asked.headers.get("access-control-allow-origin") in (None, "")
    asked = httpx.options(
        f"{url}/gradio_api/queue/join",
        headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"},
    )
    assert "access-control-allow-origin" not in asked.headers


def test_headers_of_every_answer(url: str) -> None:
    for path in ("/", "/config", "/gradio_api/file=/etc/passwd"):
        headers = httpx.get(url + path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "unsafe-eval" not in headers["content-security-policy"]


def test_a_name_of_an_upload_does_no_harm(url: str, tmp_path: Path) -> None:
    wav = tmp_path / "a.wav"
    soundfile.write(wav, np.zeros(100), 16000)
    named = {"files": ("../../../evil.wav", wav.read_bytes())}
    asked = httpx.post(f"{url}/gradio_api/upload", files=named)
    assert asked.status_code in (200, 400, 422)
    if asked.status_code == 200:
        assert ".." not in asked.json()[0]


LOCAL = ["127.0.0.1", "127.0.0.1:7860", "localhost", "LOCALHOST:1", "[::1]:7860", "127.8.8.8"]


STRANGE = [
    "", "evil.example", "evil.example:7860", "127.0.0.1.evil.example", "localhost.evil.example",
    "evil@evil.example", "0.0.0.0", "192.168.1.2", "[::2]", "[", "a\x00b", "127.0.0.1 evil",
    "1" * 400,
]  # fmt: skip


@pytest.mark.parametrize("host", LOCAL)
def test_this_computer_s_names(host: str) -> None:
    assert is_local(host)


@pytest.mark.parametrize("host", STRANGE)
def test_other_names(host: str) -> None:
    assert not is_local(host)


@pytest.mark.parametrize(
    ("headers", "elsewhere"),
    [
        ({}, False),
        ({b"host": "x:1", b"origin": "http://x:1"}, False),
        ({b"host": "127.0.0.1:1", b"x-forwarded-host": "x", b"origin": "https://X"}, False),
        ({b"host": "x:1", b"origin": "http://x:2"}, True),
        ({b"host": "x", b"origin": "null"}, True),
        ({b"host": "x", b"origin": ""}, True),
        ({b"host": "x", b"sec-fetch-site": "cross-site"}, True),
    ],
)
def test_origins(headers: dict[bytes, str], elsewhere: bool) -> None:
    assert is_from_elsewhere(headers, local_only=False) is elsewhere


def test_a_proxy_is_believed_only_where_there_may_be_one() -> None:
    forged = {b"host": "127.0.0.1:1", b"x-forwarded-host": "x", b"origin": "https://x"}
    assert is_from_elsewhere(forged, local_only=True)
    assert not is_from_elsewhere(forged, local_only=False)


KILLED = """
import os, signal
from app.application import run_folder
with run_folder() as folder:
    (folder / "recording.wav").write_text("private")
    print(folder, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_later_start_removes_what_a_killed_one_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    state = tmp_path.with_name("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    monkeypatch.setattr("tempfile.tempdir", None)
    run = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True)
    left = Path(run.stdout.strip())
    assert (left / "recording.wav").exists() and left.stat().st_mode & 0o077 == 0
    os.utime(next(state.rglob("*.json")), (1, 1))
    with run_folder() as first, run_folder() as second:
        assert not left.exists()
        assert first != second and first.exists() and second.exists()
        for entry in state.rglob("*.json"):
            os.utime(entry, (1, 1))  # old, but its process lives
        recover()
        assert first.exists() and second.exists()
    assert os.listdir(tmp_path) == []
