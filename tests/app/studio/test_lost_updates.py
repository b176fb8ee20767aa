"""Nothing that one does to a project undoes what another has done meanwhile."""

import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from a3t.projects.store.recordings import Places
from app.studio.project import Project as OpenedProject
from app.studio.sent import Sent
from app.studio.studio import Studio
from tests.app.studio.conftest import Project
from tests.conftest import ARCTIC

EACH = 8  # things that each of the four does


def found(studio: Studio, project: Project) -> OpenedProject:
    """The project as the server has it."""
    (visitor,) = (path.name for path in studio.projects.root.iterdir())
    opened = studio.find(visitor, project.at.rpartition("/")[2])
    assert opened is not None
    return opened


class Slow:
    """A worker that answers when it is told to."""

    def __init__(self, answer: Any) -> None:
        self.answer, self.begun, self.free = answer, threading.Event(), threading.Event()

    def ask(self, function: object, *args: object) -> Any:
        self.begun.set()
        self.free.wait()
        return self.answer


def test_two_windows_a_rename_and_an_alignment_at_once(
    project: Project, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = project.listened()
    ids = [row[0] for row in state["tokens"]]
    monkeypatch.setattr("app.processes.lanes.EditorLane.add", lambda lane, job: True)
    server, again = found(studio, project), Studio(studio.service, studio.projects.root)
    places = server.folder.read(Places)

    def window(name: str, server: OpenedProject, places: list[int]) -> None:
        chance = random.Random(name)
        for n in range(1, EACH + 1):
            token = chance.choice(places)
            edit = {"after": ids[token - 1], "tokens": [ids[token]], "text": f"{name}{n}"}
            server.save(Sent({"page": name, "steps": [{"n": n, "come": [edit], "label": "x"}]}))

    def renames() -> None:
        for n in range(EACH):
            server.rename(f"name {n}")

    def alignments() -> None:
        for _ in range(EACH):
            worker = Slow(places)
            job = threading.Thread(target=server.listening._find_places, args=(worker,))
            job.start()
            worker.begun.wait()
            worker.free.set()
            job.join()

    # The other window's project was opened anew, as after it was idle.
    work = [
        threading.Thread(target=window, args=("a", server, [1, 2, 3])),
        threading.Thread(target=window, args=("b", found(again, project), [6, 7, 8])),
        threading.Thread(target=renames),
        threading.Thread(target=alignments),
    ]
    worker = Slow(places)
    work.append(threading.Thread(target=server.listening._find_places, args=(worker,)))
    for each in work:
        each.start()
    for each in work[:-1]:
        each.join()
    worker.free.set()  # it began before all of this
    work[-1].join()
    document = server.folder.document
    assert document.clients == {"a": EACH, "b": EACH} and document.revision == 2 * EACH
    assert len(document.done) == 2 * EACH
    kept = server.folder.state
    assert (kept.name, kept.places, kept.text) == (f"name {EACH - 1}", True, ARCTIC)


def test_a_project_whose_jobs_run_stays_open(
    project: Project, studio: Studio, client: TestClient, upload: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    project.listened()
    opened = found(studio, project)
    begun, free = threading.Event(), threading.Event()

    def run(editor: object) -> None:
        begun.set()
        free.wait()

    opened.open.add_job(opened.open.quick, 0, "slow", run)
    begun.wait()
    monkeypatch.setattr("app.studio.studio.MAX_OPEN", 1)
    try:
        Project(client, {"upload": upload, "text": ARCTIC})
        assert found(studio, project) is opened
    finally:
        free.set()


def test_each_operation_is_killed_at_each_of_its_writes(
    project: Project, studio: Studio, tmp_path: Path
) -> None:
    state = project.listened()
    folder = found(studio, project).folder.path
    command = [sys.executable, "-m", "tests.app.studio.killing", str(folder), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert state["tokens"] and len(done.stdout.splitlines()) == 10
