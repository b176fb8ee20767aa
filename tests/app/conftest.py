"""A service with the tests' one editor, and a page over it on this machine."""

import functools
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

if find_spec("gradio") is None:  # importing it takes seconds: not in each of the tests' processes
    pytest.skip("gradio is not installed: pip install 'a3t[app]'", allow_module_level=True)
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

from a3t.editor import Editor
from app import PageOptions
from app.application import application, served
from app.guard import Callers
from app.models import USUAL_MODELS, Models
from app.processes.worker import WorkerProcess, always, work
from app.server.voice_folder import PromptVoice
from app.service import Service
from app.studio.project_listening import Listening
from tests.fixtures import taken_as_heard

PATIENCE = 600.0  # seconds until what should have happened is given up
TOKEN = "a-token-for-tests"
EDIT_OPTIONS = (1.0, 0, False, ["bandwidth", "spectrum", "room", "coding"], 25, 1, "")
AUTH = {"Authorization": f"Bearer {TOKEN}"}


# A request waits as long as a busy machine takes; httpx gives up after 5 s.
httpx.get = functools.partial(httpx.get, timeout=PATIENCE)
httpx.post = functools.partial(httpx.post, timeout=PATIENCE)


class EditorThread(WorkerProcess):
    """The worker as a thread, over a pipe all the same: no test waits for another loading."""

    def __init__(self, load: Callable[[Models], Any], niceness: int = 0) -> None:
        self.models, self.progress, self.wanted = USUAL_MODELS, None, always
        self._pipe, theirs = multiprocessing.Pipe()
        self._thread = threading.Thread(target=work, args=(theirs, load), daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def close(self) -> None:
        self._pipe.close()

    def end(self) -> None:
        self._pipe.close()  # a thread can't be killed; it ends when it has done its step


@pytest.fixture
def may_listen(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Words of a given text wait for their times until this is set."""
    free, listen = threading.Event(), Listening._listen_to

    def waits(self: Listening, editor: WorkerProcess, part: int) -> None:
        free.wait()
        listen(self, editor, part)

    monkeypatch.setattr(Listening, "_listen_to", waits)
    yield free
    free.set()


@contextmanager
def launched(service: Service, local_only: bool = False, **page: Any) -> Iterator[str]:
    """The page of a service on a free port, and its address."""
    app = application(service, Callers(None, True, local_only), PageOptions(**page))
    app.inner.state.gradio.load()  # no test waits for it
    with served(app, "127.0.0.1", None) as address:
        yield address


def called(service: Service, voices: dict[str, PromptVoice] | None = None) -> TestClient:
    """A program with the token of a server without a page."""
    app = application(service, Callers(TOKEN), voices=voices)
    return TestClient(app, headers=AUTH)


@pytest.fixture(scope="module", autouse=True)
def unverified() -> Iterator[None]:
    with taken_as_heard():
        yield


@contextmanager
def serving(folder: Path, editor: Editor) -> Iterator[Service]:
    """A service of an editor's networks."""
    started: list[EditorThread] = []

    def start() -> EditorThread:  # each has an editor of its own: two may be at work at once
        started.append(EditorThread(lambda models: editor.in_voice(None)))
        return started[-1]

    service = Service(folder, start)
    yield service
    service.stop()
    for each in started:  # Python ends with a fatal error while one is at work
        each.close()
        each._thread.join(PATIENCE)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory, shallow_editor: Editor) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("app").resolve(), shallow_editor) as service:
        yield service


@pytest.fixture(scope="session")
def url(service: Service) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", str(service.folder))
        with launched(service) as address:
            yield address


@pytest.fixture
def upload(service: Service, arctic: Path) -> str:
    """The sentence as if it had been uploaded."""
    folder = service.folder / "uploaded"
    folder.mkdir(exist_ok=True)
    copy = folder / "talk.wav"
    copy.write_bytes(arctic.read_bytes())
    return str(copy)
