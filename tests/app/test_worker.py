"""Work in other processes: results, errors, limits of memory and time, and their end."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from a3t.errors import InputError
from alignment import AlignmentError
from app import texts
from app.models import USUAL_MODELS, Models
from app.processes.request_jobs import CancelledError, Watch
from app.processes.worker import AbandonedError, ReadingProcesses, WorkerProcess, work
from app.service import Service
from tests.app.conftest import PATIENCE, EditorThread
from tests.app.greedy import crash, greedy, grow, grow_in_lists, grow_in_torch, kill, spin
from tests.conftest import ARCTIC, NEVER

RELEASED = threading.Event()


class FakeEditor:
    def __init__(self, models: Models = USUAL_MODELS) -> None:
        self.models = models
        self.progress: Any = None
        self.seconds = {"load": 1.0, "align": 2.0}
        self.steps: list[str] = []

    def with_progress(self, progress: Any) -> Any:
        self.progress = progress
        return self

    def plan(self, what: Any) -> Any:
        for step in ("read", "align", "plan"):
            self.progress(step)
            self.steps.append(step)
        if isinstance(what, Exception):
            raise what
        return what

    def recognise(self) -> list[str]:
        return self.steps

    def which(self) -> Models:
        return self.models

    def linger(self) -> None:
        assert RELEASED.wait(PATIENCE)


@pytest.fixture
def worker() -> Iterator[EditorThread]:
    worker = EditorThread(FakeEditor)
    yield worker
    worker.close()
    worker._thread.join(PATIENCE)
    assert not worker.alive  # it ends when nobody is there to ask


def plan(worker: EditorThread, what: Any) -> Any:
    return worker.ask(methodcaller("plan", what))


def test_a_result_and_its_steps(worker: EditorThread) -> None:
    steps: list[str] = []
    worker.progress = steps.append
    assert plan(worker, {"a": 1}) == {"a": 1}
    assert steps == ["read", "align", "plan"]


@pytest.mark.parametrize("error", [InputError("Why."), AlignmentError("Why not.", [1, 2])])
def test_error_sentences_pass_through_unchanged(worker: EditorThread, error: Exception) -> None:
    with pytest.raises(type(error), match=str(error)) as caught:
        plan(worker, error)
    assert getattr(caught.value, "doubtful", None) == getattr(error, "doubtful", None)
    assert plan(worker, 1) == 1


def test_other_errors_come_with_their_trace(worker: EditorThread) -> None:
    with pytest.raises(RuntimeError, match="KeyError: 'inside'"):
        plan(worker, KeyError("inside"))
    assert plan(worker, 2) == 2


def test_an_exception_in_progress_ends_the_call(worker: EditorThread) -> None:
    def stop(step: str) -> None:
        if step == "align":
            raise TimeoutError("enough")

    with pytest.raises(TimeoutError, match="enough"):
        worker.progress = stop
        plan(worker, 1)
    assert worker.ask(methodcaller("recognise")) == ["read"]


def test_other_models_replace_the_first(worker: EditorThread) -> None:
    other = Models("small", "griffin-lim")
    for models in (USUAL_MODELS, other, other, USUAL_MODELS):
        worker.models = models
        assert worker.ask(methodcaller("which")) == models


def test_a_pipe_closed_on_an_unread_answer_ends_the_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As when a request is cancelled just as its step comes: without a trace in the log."""
    faults: list[object] = []
    monkeypatch.setattr(threading, "excepthook", faults.append)
    ours, theirs = multiprocessing.Pipe()
    worker = threading.Thread(target=work, args=(theirs, lambda models: FakeEditor()), daemon=True)
    worker.start()
    ours.send((USUAL_MODELS, bool, (), {}))
    assert ours.poll(PATIENCE)
    ours.close()
    worker.join(PATIENCE)
    assert not worker.is_alive() and faults == []


def test_an_abandoned_request_stops_in_the_middle_of_a_step(worker: EditorThread) -> None:
    worker.wanted = lambda: False
    with pytest.raises(AbandonedError):
        worker.ask(methodcaller("linger"))
    assert worker.alive  # it is still at it: a thread can't be killed
    RELEASED.set()


def test_a_process_has_an_environment_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a server need not change its own, which a host program may share."""
    monkeypatch.setenv("A3T_CACHE", "mine")
    process = WorkerProcess(None, environment={"A3T_CACHE": ""})
    try:
        assert process.ask(os.getenv, "A3T_CACHE") == ""
        assert os.environ["A3T_CACHE"] == "mine"
    finally:
        process.end()


@pytest.mark.slow
def test_a_process_and_its_end(arctic: Path) -> None:
    editor = WorkerProcess()
    never = NEVER
    made = editor.ask(methodcaller("plan", arctic, new_text=never, text=ARCTIC))
    assert [edit.op for edit in made.edits] == ["replace"]
    pid = editor._process.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(InputError):
        editor.ask(bool)
    editor._process.join(PATIENCE)
    assert not editor.alive


@pytest.mark.slow
def test_cancelled_in_the_middle_of_an_alignment(tmp_path: Path, arctic: Path) -> None:
    """It ends at once; whoever waits behind it gets a process of their own, and an answer."""
    samples, rate = soundfile.read(arctic, dtype="int16")
    folder = tmp_path.resolve()
    soundfile.write(folder / "long.wav", np.tile(samples, 30), rate)
    (folder / "short.wav").write_bytes(arctic.read_bytes())
    service = Service(folder)
    long, short = str(folder / "long.wav"), str(folder / "short.wav")
    service.align(Watch(), short, ARCTIC)  # the models are there
    aligning, queued, found = threading.Event(), threading.Event(), threading.Event()

    def align(watch: Watch) -> Any:
        seen = Watch(lambda step: aligning.set() if step == "align" else None, watch.cancelled)
        return service.align(seen, long, text)

    def behind(watch: Watch) -> None:
        queued.set()
        service.align(watch, short, ARCTIC)
        found.set()

    text = " ".join([ARCTIC] * 30)
    first = service.jobs.start("align", align)
    assert aligning.wait(PATIENCE)
    service.jobs.start("align", behind)
    assert queued.wait(PATIENCE)
    first.watch.cancelled.set()
    assert isinstance(first.outcome.exception(PATIENCE), CancelledError)
    assert found.wait(PATIENCE)
    service.close()


MEMORY = 1_000_000_000


@pytest.fixture(scope="module")
def readers() -> Iterator[ReadingProcesses]:
    readers = ReadingProcesses(2, MEMORY, 60)
    yield readers
    readers.close()


@pytest.fixture(scope="module")
def hurried() -> Iterator[ReadingProcesses]:
    """With one second of processor time a call."""
    readers = ReadingProcesses(1, MEMORY, 1)
    yield readers
    readers.close()


@pytest.mark.parametrize(
    ("function", "args", "sentence"),
    [
        (grow, (10**9,), texts.MEMORY_EXCEEDED),
        (grow_in_torch, (10**9,), texts.MEMORY_EXCEEDED),
        (grow_in_lists, (10**7,), texts.MEMORY_EXCEEDED),
        (crash, (), texts.CRASHED),
        (kill, (), texts.MEMORY_EXCEEDED),
    ],
)
def test_a_process_that_outgrows_its_means(
    readers: ReadingProcesses, function: Any, args: tuple[Any, ...], sentence: str
) -> None:
    with pytest.raises(InputError) as caught:
        readers.run(function, *args)
    assert str(caught.value) == sentence
    assert readers.run(grow, 10) == 10.0  # whoever comes next is served


def test_a_process_that_takes_too_long(hurried: ReadingProcesses) -> None:
    with pytest.raises(InputError) as caught:
        hurried.run(spin)
    assert str(caught.value) == texts.TOO_SLOW
    assert hurried.run(grow, 10) == 10.0


def test_many_calls_share_few_processes(readers: ReadingProcesses) -> None:
    found: set[int] = set()
    threads = [
        threading.Thread(target=lambda: found.add(readers.run(os.getpid))) for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= len(found) <= 2 and os.getpid() not in found


def test_readers_that_idle_end() -> None:
    readers = ReadingProcesses(1, MEMORY, 60, idle_s=0.01)
    first = readers.run(os.getpid)
    while Path(f"/proc/{first}").exists():
        threading.Event().wait(0.01)
    assert readers.run(os.getpid) != first


def test_an_editor_that_outgrows_its_limit_is_replaced(tmp_path: Path, arctic: Path) -> None:
    """The page's editor under limits of the system: one visitor is told, the others are served."""
    folder = tmp_path.resolve()
    upload = folder / "talk.wav"
    upload.write_bytes(arctic.read_bytes())
    service = Service(folder, lambda: WorkerProcess(greedy, MEMORY, 1))

    def asked(new_text: str) -> Any:
        return service.plan(Watch(), str(upload), new_text, ARCTIC)

    made = {"edits": ["made"], "preview": [], "differences": []}
    assert asked("well") == made
    for new_text, sentence in (("grow", texts.MEMORY_EXCEEDED), ("spin", texts.TOO_SLOW)):
        answers: dict[str, Any] = {}

        def other(answers: dict[str, Any] = answers) -> None:
            answers["other"] = asked("well")

        waiting = threading.Thread(target=other)
        with pytest.raises(InputError) as caught:
            waiting.start()
            asked(new_text)
        waiting.join()
        assert str(caught.value) == sentence
        assert answers["other"] == asked("well") == made
    service.close()
