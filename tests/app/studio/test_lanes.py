"""Two lanes, what comes first in each, and learning that gives way."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from a3t.errors import InputError
from app.processes.lanes import EditorLane, LaneJob
from app.processes.worker import always
from tests.app.conftest import PATIENCE


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


def test_a_process_that_idles_ends_and_the_next_job_begins_another() -> None:
    begun: list[Idle] = []
    ended = threading.Event()

    class Begun(Idle):
        def __init__(self) -> None:
            begun.append(self)

        def end(self) -> None:
            ended.set()

    lane = EditorLane(Begun, 0.01)  # type: ignore[arg-type]
    for count in (1, 2):
        ended.clear()
        lane.add(job(f"job {count}", bool))
        assert ended.wait(PATIENCE) and len(begun) == count


class Held:
    """A lane that is at work until it is let go on, and the order of what it does then."""

    def __init__(self) -> None:
        self.lane = EditorLane(Idle)  # type: ignore[arg-type]
        self.order: list[str] = []
        self.release, begun = threading.Event(), threading.Event()
        self.lane.add(job("first", lambda: begun.set() or self.release.wait(PATIENCE)))
        assert begun.wait(PATIENCE)

    def add(self, name: str, urgency: int, owner: str = "a", awaited: bool = True) -> bool:
        added = job(name, lambda: self.order.append(f"{owner}'s {name}"), urgency, owner)
        added.is_awaited = lambda: awaited
        return self.lane.add(added)

    def let(self) -> list[str]:
        last = threading.Event()
        end = job("end", last.set, 99)
        end.is_awaited = lambda: False
        self.lane.add(end)
        self.release.set()
        assert last.wait(PATIENCE)
        return self.order


def test_what_is_urgent_comes_first_and_nothing_twice() -> None:
    held = Held()
    for name, urgency in (("part 1", 11), ("open", 0), ("take", 1), ("gone", 0)):
        assert held.add(name, urgency)
    assert not held.add("take", 1) and held.add("take", 1, "b")
    held.lane.cancel("a", "gone")
    assert "gone" not in held.lane.pending("a") and "take" in held.lane.pending("a")
    assert held.let() == ["a's open", "a's take", "b's take", "a's part 1"]


def test_what_somebody_looks_at_comes_next() -> None:
    held = Held()
    for part in range(5):
        held.add(f"part {part}", 10 + part)
    held.add("part 3", 12, "b")
    held.lane.reorder("a", {f"part {part}": 10 + abs(part - 3) for part in range(5)})
    wanted = [f"a's part {part}" for part in (3, 2, 4, 1)]
    assert held.let() == [*wanted, "b's part 3", "a's part 0"]


def test_the_project_that_is_shown_comes_first() -> None:
    held = Held()
    for part in range(3):
        held.add(f"part {part}", 10 + part, awaited=False)
    held.add("part 9", 19, "b")
    assert held.let() == ["b's part 9", "a's part 0", "a's part 1", "a's part 2"]


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
