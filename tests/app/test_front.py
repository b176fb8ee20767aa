"""Gradio's pages without a browser: framed, shared, on a Space, in a notebook; queue and paths."""

import gc
import json
import os
import re
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from gradio_client import Client, handle_file

from a3t import __version__
from a3t.commands import app as command
from app import application
from app.application import LoadedLater, served
from app.guard import Callers, Guard, Visitors, headers_of
from app.processes.request_jobs import CancelledError, Watch
from app.service import Service
from tests.app.conftest import PATIENCE, EditorThread, launched

ROOT = Path(__file__).parents[2]
PAGES = ("/", "/edit", "/speech", "/align")


def policy(site: str) -> str:
    headers = dict(headers_of("/edit", site))
    assert (b"x-frame-options" in headers) is (not site)
    return headers[b"content-security-policy"].decode().partition("frame-ancestors ")[2]


def test_who_may_frame_the_page() -> None:
    assert policy("") == "'self'"
    assert policy("huggingface.co") == "'self' https://huggingface.co https://*.huggingface.co"
    assert policy("http://localhost:8888") == "'self' http://localhost:8888"


def test_cookies_in_a_frame_are_the_framing_page_s(service: Service) -> None:
    with launched(service, frame_from="huggingface.co") as address:
        cookie = httpx.get(f"{address}/edit").headers["set-cookie"]
    assert "SameSite=None; Secure; Partitioned" in cookie


@pytest.mark.parametrize("site", ["*", "a b", "example.org; script-src *", "javascript:alert(1)"])
def test_no_other_policy_is_smuggled_in(site: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--frame-from", site]) == 2
    assert "--frame-from takes a site" in capsys.readouterr().err


def test_sharing_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "serve", lambda *_: pytest.fail("it was shared"))
    assert command.main(["--share"]) == 2
    assert "add --auth NAME:PASSWORD" in capsys.readouterr().err
    assert command.main(["--share", "--auth", "ann:secret"]) == 2  # off a terminal
    assert "pass through Gradio's servers" in capsys.readouterr().err
    monkeypatch.setattr(command, "on_a_terminal", lambda: True)
    monkeypatch.setattr(command, "agrees", lambda question: False)
    assert command.main(["--share", "--auth", "ann:secret"]) == 2
    monkeypatch.setattr(command, "serve", lambda _, __, page, *___: int(not page.share))
    assert command.main(["--share", "--auth", "ann:secret", "--yes"]) == 0
    monkeypatch.setattr(command, "agrees", lambda question: True)
    assert command.main(["--share", "--auth", "ann:secret"]) == 0


def test_gradio_s_servers_pass_on_what_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    from gradio import networking

    asked: list[Any] = []

    def tunnel(*given: Any) -> str:
        asked.append(given)
        return "https://a3t.gradio.live"

    monkeypatch.setattr(networking, "setup_tunnel", tunnel)
    assert application.shared("http://127.0.0.1:7861") == "https://a3t.gradio.live"
    assert asked[0][:2] == ("127.0.0.1", 7861) and len(asked[0][2]) >= 32

    def unreachable(*_: Any) -> str:
        raise RuntimeError("no network")

    monkeypatch.setattr(networking, "setup_tunnel", unreachable)
    with pytest.raises(ValueError, match="to your own"):
        application.shared("http://127.0.0.1:7861")


def test_gradio_is_named_by_a_range_that_holds_what_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "gradio>=6.31,<7" in project["optional-dependencies"]["app"]
    assert (6, 31) <= tuple(map(int, version("gradio").split(".")[:2])) < (7,)
    private = re.compile(r"has_launched|app\.routes\b|gr\._|gradio\._|gradio[\w.]* import _")
    for path in (ROOT / "app").rglob("*.py"):
        assert not private.search(path.read_text(encoding="utf-8")), path


STUBS = """
import inspect, sys
read, getfile = [], inspect.getfile
sys.addaudithook(lambda event, told: event == "open" and read.append(str(told[0])))
from app.application import quick_import
with quick_import():
    import gradio
assert inspect.getfile is getfile
print(*(path for path in read if path.endswith(".pyi")))
print(gradio.Textbox("typed").value)
"""


@pytest.mark.slow
def test_gradio_is_imported_without_its_stubs_for_code_editors() -> None:
    """If a later version looks for its sources otherwise, the start takes twice as long again."""
    done = subprocess.run([sys.executable, "-c", STUBS], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["", "typed"], done.stderr


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Recognition that goes on until it is let go; whose watches are `begun`."""
    state = SimpleNamespace(go=threading.Event(), begun=[])

    def transcribe(self: Service, watch: Watch, *_: Any) -> str:
        state.begun.append(watch)
        watch("align")
        while not state.go.wait(0.02):
            if not watch.wanted():
                raise CancelledError
        return "done"

    monkeypatch.setattr(Service, "transcribe", transcribe)
    yield state
    state.go.set()


def until(reached: Any) -> None:
    waited = 0.0
    while not reached():
        assert waited < PATIENCE
        time.sleep(0.05)
        waited += 0.05


@pytest.mark.slow
def test_of_eight_four_run_with_progress_and_one_that_is_cancelled_stops(
    url: str, arctic: Path, slow: Any
) -> None:
    clients = [Client(url, verbose=False, analytics_enabled=False) for _ in range(8)]
    jobs = [each.submit(handle_file(arctic), "", api_name="/transcribe") for each in clients]
    until(lambda: len(slow.begun) == 4)  # the others wait
    until(lambda: any(job.status().progress_data for job in jobs))
    running = next(job for job in jobs if job.status().progress_data)
    (told,) = running.status().progress_data or ()
    assert told.desc == "Finding the words in the recording" and 0 < (told.progress or 0) < 1
    running.cancel()
    until(lambda: any(watch.cancelled.is_set() for watch in slow.begun))
    until(lambda: len(slow.begun) == 5)
    slow.go.set()
    until(lambda: len(slow.begun) == 8)


def test_no_path_but_an_upload_s_own_is_accepted(url: str, arctic: Path, service: Service) -> None:
    """An upload's answer names its place here: a new folder of this run and the file's digest, so
    that nobody can name another's, and only what lies there is taken back or served."""
    uploaded = httpx.post(f"{url}/gradio_api/upload", files={"files": arctic.open("rb")}).json()[0]
    place = Path(uploaded)
    assert place.is_relative_to(service.folder) and re.fullmatch(r"[0-9a-f]{64}", place.parent.name)
    assert httpx.get(f"{url}/gradio_api/file={uploaded}").content == arctic.read_bytes()
    secret = service.folder.parent / "secret.wav"
    secret.write_bytes(arctic.read_bytes())
    link = service.folder / "link.wav"
    link.symlink_to(secret)
    others = (
        secret, f"{service.folder}/../secret.wav", f"{uploaded}/../../../secret.wav", link,
        f"file://{secret}", "/etc/hostname", str(place.parent), ROOT / "README.md",
    )  # fmt: skip
    for path in map(str, others):
        file = {"path": path, "meta": {"_type": "gradio.FileData"}}
        asked = httpx.post(f"{url}/gradio_api/call/inspect", json={"data": [file]})
        refused = asked.status_code == 403
        if not refused:
            event = asked.json()["event_id"]
            told = httpx.get(f"{url}/gradio_api/call/inspect/{event}", timeout=PATIENCE).text
            refused = "event: error" in told and "event: complete" not in told
        assert refused, path
        assert httpx.get(f"{url}/gradio_api/file={path}").status_code in (403, 404), path
    link.unlink()


def test_there_is_no_page_that_fetches_swagger(url: str) -> None:
    for path in ("/docs", "/redoc", "/gradio_api/docs"):
        asked = httpx.get(url + path)
        assert asked.status_code == 404 and "swagger" not in asked.text.lower()
    assert "/v1/edits" in json.loads(httpx.get(f"{url}/openapi.json").text)["paths"]


def test_gradio_goes_on_until_the_server_ends(service: Service) -> None:
    """At its end it deletes its files, the example's too."""
    ended: list[str] = []

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        ended.append("ended")

    pages = LoadedLater(lambda: FastAPI(lifespan=lifespan), Visitors())
    guard = Guard(pages, service.folder, Callers(None, True))  # type: ignore[arg-type]
    with served(guard, "127.0.0.1", None) as address:
        for _ in range(2):
            httpx.get(f"{address}/edit")
            gc.collect()
        httpx.get(f"{address}/edit")
        assert ended == []


@pytest.mark.slow
def test_a_space_serves_the_pages_to_be_framed(tmp_path: Path) -> None:
    arguments = ["--port", "0", "--projects", str(tmp_path)]
    script = [sys.executable, "-P", str(ROOT / "app/space/app.py"), *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(script, text=True, env=environment, **pipes) as process:
        try:
            assert process.stdout is not None and process.stderr is not None
            port = re.search(r":(\d+) ", process.stdout.readline())
            assert port is not None
            for path in PAGES[1:]:
                answer = httpx.get(f"http://127.0.0.1:{port[1]}{path}", timeout=PATIENCE)
                assert answer.status_code == 200 and "gradio" in answer.text
                assert "https://huggingface.co" in answer.headers["content-security-policy"]
        finally:
            process.terminate()
        told = process.stderr.read()
    assert not re.search("Traceback|Warning|error", told), told


def test_a_space_s_files_say_what_the_wheel_and_gradio_are() -> None:
    header = (ROOT / "app/space/README.md").read_text(encoding="utf-8").split("---")[1]
    assert "sdk: gradio" in header and "app_file: app.py" in header
    wanted = (ROOT / "app/space/requirements.txt").read_text(encoding="utf-8")
    assert f"/a3t-{__version__}-py3-none-any.whl" in wanted


def test_a_notebook_shows_the_front(
    tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application, "WorkerProcess", lambda *_, **__: EditorThread(lambda _: None))
    shown: list[Any] = []
    ipython: Any = ModuleType("IPython")
    display: Any = ModuleType("IPython.display")
    ipython.get_ipython = object
    display.IFrame, display.display = (lambda address, **how: (address, how)), shown.append
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    from app import front

    editor = front(projects=tmp_path)  # type: ignore[operator]
    address = editor.launch(height=500)
    try:
        assert shown == [(address, {"width": "100%", "height": 500, "allow": "microphone"})]
        for path in PAGES:
            answer = httpx.get(address + path, timeout=PATIENCE)
            assert answer.status_code == 200
            assert "http://localhost:*" in answer.headers["content-security-policy"]
    finally:
        editor.close()
    with pytest.raises(httpx.ConnectError):
        httpx.get(address)
