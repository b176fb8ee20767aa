"""Processes that outgrow their memory or time, or crash: one is told, all others are served."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from a3t.errors import InputError
from alignment import AlignmentError
from app import texts
from app.processes.bounded import ReadingProcesses
from app.processes.progress import Watch
from app.processes.worker import WorkerProcess
from app.service import Service
from tests.app.greedy import crash, greedy, grow, grow_in_lists, grow_in_torch, kill, refuse, spin
from tests.conftest import ARCTIC

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
        (grow, (10**9,), texts.OUTGROWN),
        (grow_in_torch, (10**9,), texts.OUTGROWN),
        (grow_in_lists, (10**7,), texts.OUTGROWN),
        (crash, (), texts.CRASHED),
        (kill, (), texts.OUTGROWN),
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


@pytest.mark.parametrize("error", [InputError("Why."), AlignmentError("Why not.")])
def test_sentences_come_through(readers: ReadingProcesses, error: Exception) -> None:
    with pytest.raises(type(error), match=str(error)):
        readers.run(refuse, error)


def test_other_errors_come_with_their_trace(readers: ReadingProcesses) -> None:
    with pytest.raises(RuntimeError, match="KeyError: 'inside'"):
        readers.run(refuse, KeyError("inside"))


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


def test_an_editor_that_outgrows_its_limit_is_replaced(tmp_path: Path, arctic: Path) -> None:
    """The page's editor under limits of the system: one visitor is told, the others are served."""
    folder = tmp_path.resolve()
    upload = folder / "talk.wav"
    upload.write_bytes(arctic.read_bytes())
    service = Service(folder, lambda: WorkerProcess(greedy, MEMORY, 1))

    def asked(new_text: str) -> Any:
        return service.plan(Watch(), str(upload), new_text, ARCTIC)

    assert asked("well") == {"edits": ["made"]}
    for new_text, sentence in (("grow", texts.OUTGROWN), ("spin", texts.TOO_SLOW)):
        answers: dict[str, Any] = {}

        def other(answers: dict[str, Any] = answers) -> None:
            answers["other"] = asked("well")

        waiting = threading.Thread(target=other)
        with pytest.raises(InputError) as caught:
            waiting.start()
            asked(new_text)
        waiting.join()
        assert str(caught.value) == sentence
        assert answers["other"] == asked("well") == {"edits": ["made"]}
    service.close()
