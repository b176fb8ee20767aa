"""The editor in a process of its own: results, errors, cancelling, and its end."""

from __future__ import annotations

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
from app.page_request import USUAL, Models
from app.processes.progress import CancelledError, Watch
from app.processes.worker import AbandonedError, WorkerProcess, work
from app.service import Service
from tests.app.conftest import EditorThread
from tests.conftest import ARCTIC

PATIENCE = 600.0  # seconds until what should have happened is given up
RELEASED = threading.Event()


class FakeEditor:
    def __init__(self, models: Models = USUAL) -> None:
        self.models = models
        self.progress: Any = None
        self.seconds = {"load": 1.0, "align": 2.0}
        self.steps: list[str] = []

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
    for models in (USUAL, other, other, USUAL):
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
    ours.send((USUAL, bool, (), {}))
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


@pytest.mark.slow
def test_a_process_and_its_end(arctic: Path) -> None:
    editor = WorkerProcess()
    never = ARCTIC.replace("always", "never")
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

    def show(share: float, step: str) -> None:
        if "Finding" in step:
            aligning.set()

    def behind(watch: Watch) -> None:
        queued.set()
        service.align(watch, short, ARCTIC)
        found.set()

    text = " ".join([ARCTIC] * 30)
    first = service.jobs.start(
        "align", lambda watch: service.align(watch, long, text), owner="first", show=show
    )
    assert aligning.wait(PATIENCE)
    service.jobs.start("align", behind, owner="second")
    assert queued.wait(PATIENCE)
    service.jobs.cancel("first")
    assert isinstance(first.outcome.exception(PATIENCE), CancelledError)
    assert found.wait(PATIENCE)
    service.close()
