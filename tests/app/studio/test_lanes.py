"""Two lanes, what comes first in each, and what a killed server leaves."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from a3t.errors import InputError
from app.processes.lanes import EditorLane, LaneJob
from app.processes.worker import always

PATIENCE = 600.0  # seconds until what should have happened is given up


class Idle:
    """Stands in for an editor's process, whose work the jobs do themselves here."""

    alive = True
    progress: Any = None
    wanted: Any = always
    models: Any = None


def job(name: str, run: Callable[[], object], urgency: int = 0, owner: str = "a") -> LaneJob:
    return LaneJob(lambda editor: run(), urgency, owner, name, lambda sentence: None)


def test_short_work_does_not_wait_for_long_work() -> None:
    quick, long = (EditorLane(Idle) for _ in range(2))  # type: ignore[arg-type]
    release, begun, done = threading.Event(), threading.Event(), threading.Event()
    long.add(job("hour", lambda: begun.set() or release.wait(PATIENCE)))
    assert begun.wait(PATIENCE)
    quick.add(job("edit", done.set))
    assert done.wait(PATIENCE) and not release.is_set()
    release.set()


def test_what_is_urgent_comes_first_and_nothing_twice() -> None:
    queue = EditorLane(Idle)  # type: ignore[arg-type]
    release, begun, last = threading.Event(), threading.Event(), threading.Event()
    order: list[str] = []
    queue.add(job("first", lambda: begun.set() or release.wait(PATIENCE)))
    assert begun.wait(PATIENCE)
    queue.add(job("part 9", lambda: last.set(), 19))
    for name, urgency in (("part 1", 11), ("open", 0), ("take", 1), ("gone", 0)):
        assert queue.add(job(name, lambda name=name: order.append(name), urgency))  # type: ignore[misc]
    assert not queue.add(job("take", lambda: order.append("again"), 1))
    assert queue.add(job("take", lambda: order.append("other's take"), 1, owner="b"))
    queue.cancel("a", "gone")
    assert "gone" not in queue.pending("a") and "take" in queue.pending("a")
    release.set()
    assert last.wait(PATIENCE)
    assert order == ["open", "take", "other's take", "part 1"]


def test_what_somebody_looks_at_comes_next() -> None:
    queue = EditorLane(Idle)  # type: ignore[arg-type]
    release, begun, last = threading.Event(), threading.Event(), threading.Event()
    order: list[str] = []
    queue.add(job("first", lambda: begun.set() or release.wait(PATIENCE)))
    assert begun.wait(PATIENCE)
    for part in range(5):
        queue.add(job(f"part {part}", lambda part=part: order.append(part), 10 + part))  # type: ignore[misc]
    queue.add(job("part 3", lambda: order.append("another's"), 12, owner="b"))
    queue.add(job("end", last.set, 99))
    queue.reorder("a", {f"part {part}": 10 + abs(part - 3) for part in range(5)})
    release.set()
    assert last.wait(PATIENCE)
    assert order == [3, 2, 4, 1, "another's", 0]


def test_the_project_that_is_shown_comes_first() -> None:
    queue = EditorLane(Idle)  # type: ignore[arg-type]
    release, begun, last = threading.Event(), threading.Event(), threading.Event()
    order: list[str] = []
    queue.add(job("first", lambda: begun.set() or release.wait(PATIENCE)))
    assert begun.wait(PATIENCE)
    for part in range(3):
        closed = job(f"part {part}", lambda part=part: order.append(f"closed {part}"), 10 + part)  # type: ignore[misc]
        closed.is_awaited = lambda: False
        queue.add(closed)
    queue.add(job("part 9", lambda: order.append("open"), 19, owner="b"))
    last_job = job("end", last.set, 99)
    last_job.is_awaited = lambda: False
    queue.add(last_job)
    release.set()
    assert last.wait(PATIENCE)
    assert order == ["open", "closed 0", "closed 1", "closed 2"]


def test_a_failure_ends_one_job_and_no_other(caplog: pytest.LogCaptureFixture) -> None:
    queue = EditorLane(Idle)  # type: ignore[arg-type]
    told: list[str] = []
    done = threading.Event()

    def broken(editor: object) -> None:
        raise RuntimeError("secret of the server")

    queue.add(LaneJob(broken, 0, "a", "broken", told.append))
    queue.add(job("next", done.set))
    assert done.wait(PATIENCE)
    assert "went wrong" in told[0] and "secret" not in told[0]


def test_what_failed_can_be_asked_for_again_at_once() -> None:
    queue = EditorLane(Idle)  # type: ignore[arg-type]
    done, taken = threading.Event(), []

    def broken(editor: object) -> None:
        raise InputError("not now")

    def again(sentence: str) -> None:
        taken.append(queue.add(job("take", done.set)))

    queue.add(LaneJob(broken, 0, "a", "take", again))
    assert done.wait(PATIENCE) and taken == [True]


SAVING = """
import sys
from pathlib import Path
from app.studio.storage.folders import ProjectFolder
folder = ProjectFolder(Path(sys.argv[1]))
for revision in range(1, 1_000_000):
    folder.write("script.json", {"revision": revision, "edits": ["x" * 5000] * 20})
    print(revision, flush=True)
"""


@pytest.mark.slow
def test_killed_at_ten_moments_it_has_what_was_acknowledged(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SAVING, str(tmp_path)]
    for moment in range(10):
        running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert running.stdout is not None
        acknowledged = [int(running.stdout.readline()) for _ in range(3 + 7 * moment)]
        running.kill()
        acknowledged += [int(line) for line in running.stdout.read().split()]
        running.wait()
        kept = json.loads((tmp_path / "script.json").read_text(encoding="utf-8"))
        assert kept["revision"] >= acknowledged[-1] - 1 and len(kept["edits"]) == 20
        assert kept["revision"] >= acknowledged[-1]
