"""Requests under other names and from other sites' pages, and what a killed run leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from alignment.atomic import remove_abandoned
from app.application import run_folder
from app.guarding.guard import is_from_elsewhere, is_local
from app.service import Service
from tests.app.conftest import launched

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
    assert is_from_elsewhere(headers) is elsewhere


@pytest.fixture(scope="module")
def private(service: Service) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", str(service.folder))
        with launched(service, local_only=True) as address:
            yield address


def test_a_private_page_answers_to_this_computer_s_names_alone(private: str) -> None:
    assert httpx.get(private).status_code == 200
    answer = httpx.get(private, headers={"host": "evil.example"})
    assert answer.status_code == 403 and "only this computer" in answer.json()["detail"]


def test_another_site_s_page_uploads_nothing(private: str) -> None:
    files = {"files": ("a.wav", b"RIFF")}
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        answer = httpx.post(f"{private}/gradio_api/upload", files=files, headers=headers)
        assert answer.status_code == 403 and "other sites" in answer.json()["detail"]
    assert httpx.post(f"{private}/gradio_api/upload", files=files).status_code == 200


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
    monkeypatch.setattr("tempfile.tempdir", None)
    run = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True)
    left = Path(run.stdout.strip())
    assert (left / "recording.wav").exists() and left.stat().st_mode & 0o077 == 0
    os.utime(left, (1, 1))
    with run_folder() as first, run_folder() as second:
        assert not left.exists()
        assert first != second and first.exists() and second.exists()
        os.utime(first, (1, 1))  # old, but its process lives
        remove_abandoned(tmp_path)
        assert first.exists() and second.exists()
    assert os.listdir(tmp_path) == []
