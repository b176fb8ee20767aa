"""Each operation of a project, killed at each of its writes; a program without threads.

    killing.py TEMPLATE VISITOR FOLDER

A page sends again what wasn't answered: done once more after the kill, an operation has to leave
the project as if nothing had happened.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from a3t.projects.store.folder import ProjectFolder
from a3t.projects.store.recordings import FurtherRecording, Places
from alignment.serialisation import to_json
from app.studio.project import Project
from app.studio.sent import Sent

REPLACE = os.replace


class Idle:
    """A lane in which nothing is done."""

    def add(self, job: object) -> bool:
        return True

    def pending(self, owner: str) -> list[str]:
        return []

    def being_made(self, owner: str) -> list[str]:
        return []

    def cancel(self, owner: str, name: str | None = None) -> None:
        pass


class Editor:
    """A worker that has one answer."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def ask(self, function: object, *args: object) -> Any:
        return self.answer


def opened(folder: Path) -> Project:
    lane: Any = Idle()
    return Project(ProjectFolder(folder), lane, lane)


def listened(project: Project, template: ProjectFolder) -> None:
    """The transcript's places are found, and its words are heard."""
    project.listening.retext(template.state.text)
    project.listening._find_places(Editor(template.read(Places)))  # type: ignore[arg-type]
    project.listening._listen_to(Editor(template.heard(0)), 0)  # type: ignore[arg-type]


def operations(folder: Path) -> dict[str, Callable[[Project], object]]:
    """What is done to a project, by its name."""
    tokens = opened(folder).state().tokens
    ids = [row[0] for row in tokens]
    edit = {"after": ids[0], "tokens": [ids[1]], "text": "they"}
    step = {"n": 1, "gone": [], "come": [edit], "label": "they"}
    correct = {
        "n": 1,
        "correct": [{"after": ids[2], "tokens": [ids[3]], "right": ids[4], "text": "x"}],
        "label": "x",
    }
    sound = folder / "talk.wav"
    fields = {
        "marks": ({"marks": True}, {"marks": False}),
        "times": (
            {"times": [[ids[1], *tokens[1][2:4]]]},
            {"times": [[ids[1], tokens[1][2] + 0.01, tokens[1][3]]]},
        ),
        "speakers": (
            {"speakers": [["", [[ids[0], ids[-1]]]]]},
            {"speakers": [["ANN", [[ids[0], ids[-1]]]]]},
        ),
    }

    def set_words(name: str) -> Callable[[Project], object]:
        step = {"n": 1, "label": name, **dict(zip(("was", "now"), fields[name], strict=True))}
        return lambda project: project.save(Sent({"page": "w", "steps": [step]}))

    further = FurtherRecording("source", "", "other.wav", 1.0, "x")
    return {
        "a change": lambda project: project.save(Sent({"page": "w", "steps": [step]})),
        "a correction": lambda project: project.save(Sent({"page": "w", "steps": [correct]})),
        "a name": lambda project: project.rename("Other"),
        **{name: set_words(name) for name in fields},
        "a recording": lambda project: project.further.add(sound, further, "sent again"),
        "what is not needed": lambda project: project.open.forget_said(),
        "the bin": lambda project: project.folder.bin(),
        "a transcript": lambda project: listened(project, ProjectFolder(folder)),
    }


def killed(write: int) -> Callable[..., None]:
    """`os.replace` that ends the process before its call of this number."""
    count = 0

    def replace(*args: Any, **more: Any) -> None:
        nonlocal count
        if count == write:
            os.kill(os.getpid(), signal.SIGKILL)
        count += 1
        REPLACE(*args, **more)

    return replace


def state(folder: Path) -> dict[str, Any]:
    """A project as it is opened, without what differs each time."""
    found = to_json(opened(folder).state())
    for each in found["recordings"]:
        each["file"] = ""
    told = {**json.loads(json.dumps(found)), "version": 0, "revision": 0, "now": 0}
    told["first_id"] = min(told["first_id"], 1)  # higher the more often it was heard anew
    for step in ({"come": told["edits"]}, *told["done"], *told["undone"]):
        for change in (*step["come"], *step.get("gone", ())):
            change.pop("at", None)  # the time is another each time
    return told


def main(template: Path, into: Path) -> None:
    before = state(template)
    for name, do in operations(template).items():
        whole = into / template.name
        shutil.copytree(template, whole)
        do(opened(whole))
        after = state(whole)
        shutil.rmtree(whole)
        for write in range(100):
            shutil.copytree(template, whole)
            child = os.fork()
            if not child:
                os.replace = killed(write)  # type: ignore[assignment]
                do(opened(whole))
                os._exit(0)
            is_done = os.waitpid(child, 0)[1] == 0
            now = state(whole)
            assert now["edits"] in (before["edits"], after["edits"]), (name, write)
            assert now["name"] in (before["name"], after["name"]), (name, write)
            if not is_done:
                do(opened(whole))
                now = state(whole)
            assert now == after, (name, write, now, after)
            shutil.rmtree(whole)
            if is_done:
                print(name, write)
                break


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
