"""A project's promises: it keeps and merges each step, deleted projects come back, and a recording
that can't be edited makes none."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import numpy as np
import pytest
import soundfile
from starlette.requests import Request
from starlette.testclient import TestClient

from app.studio.routes import events
from app.studio.studio import Studio
from tests.app.studio.conftest import Project, change, client_of
from tests.conftest import ARCTIC


def test_what_is_deleted_comes_back_within_seven_days(
    project: Project, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.save(change(project.listened(), "always", "never"))
    project.made()
    project.post("delete", {})
    assert [each["binned"] for each in client.get("/projects").json()] == [True]
    assert client.get(project.at).status_code == 404
    project.post("restore", {})
    project.post("takes", {"key": project.state["edits"][0]["key"]})
    project.made(2)
    project.post("delete", {})
    monkeypatch.setattr("a3t.projects.store.folder.BIN_S", 0.0)
    assert client.get("/projects").json() == []
    project.post("restore", {}, 404)


def test_what_cannot_be_edited_is_no_project(client: TestClient, upload: str) -> None:
    path = Path(upload).with_name("silence.wav")
    soundfile.write(path, np.zeros(48000), 48000)
    project = Project(client, {"upload": str(path)})
    sentence = project.gone()
    assert "silence.wav" in sentence and "projects" not in sentence
    (listed,) = client.get("/projects").json()  # another time it may be read
    assert listed["binned"]


def test_a_page_waits_for_events_and_its_desk_stays(
    project: Project, studio: Studio, upload: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.listened()
    visitor = next(studio.projects.root.iterdir()).name
    found = studio.find(visitor, project.at.rpartition("/")[2])
    assert found is not None
    looks: list[int] = []
    monkeypatch.setattr("app.studio.routes.LOOK_S", 600.0)
    monkeypatch.setattr("app.studio.studio.MAX_OPEN", 1)

    async def shown() -> None:
        since = found.events.since
        monkeypatch.setattr(
            found.events, "since", lambda place: [looks.append(place), since(place)][1]
        )
        request = Request({"type": "http"})
        monkeypatch.setattr(request, "is_disconnected", AsyncMock(return_value=False))
        stream = events(request, found, since=999999).body_iterator  # type: ignore[attr-defined]
        assert "retry" in await anext(stream)
        assert "reload" in await anext(stream)  # from another server's life
        Project(project.client, {"upload": upload, "text": ARCTIC})
        assert studio.find(visitor, found.folder.id) is found
        waiting = asyncio.ensure_future(anext(stream))
        for _ in range(5):
            await asyncio.sleep(0)
        assert len(looks) == 1  # it waits for what is told
        threading.Thread(target=lambda: found.events.tell(kind="news")).start()
        assert "news" in await waiting
        assert len(looks) == 2

    with ThreadPoolExecutor(1) as pool:  # Playwright has a loop in this thread
        pool.submit(asyncio.run, shown()).result()


def test_what_two_windows_do_is_merged_in_order_and_each_step_once(project: Project) -> None:
    state = project.listened()
    mine, other = change(state, "always", "never"), change(state, "superlative", "best")
    sent = {"page": "a", "steps": [{"n": 1, "gone": [], "come": [mine]}]}
    project.post("script", sent)
    project.step(gone=[], come=[other])  # another window, which has seen none of it
    project.step(gone=[mine], come=[mine | {"accepted": True}])
    made = project.step(gone=[mine], come=[mine | {"take": 1}])["edits"]
    assert [(e["text"], e["take"], e["accepted"]) for e in made] == [
        ("never", 1, True), ("best", None, False),
    ]  # fmt: skip
    whole = change(state, "you always", "they seldom")
    project.step(gone=[mine], come=[whole])
    project.post("script", sent)  # once more, since its answer was lost
    assert [edit["text"] for edit in project.state["edits"]] == ["best", "they seldom"]
    project.step(gone=[whole], come=[mine], gentle=True)  # taken back
    project.step(gone=[], come=[whole], gentle=True)  # gives way to what has come since
    assert [edit["text"] for edit in project.state["edits"]] == ["best", "never"]


def test_a_correction_outlives_a_killed_server(
    project: Project, studio: Studio, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So does what takes it back before it was aligned."""
    state = project.listened()
    monkeypatch.setattr("app.processes.lanes.EditorLane.add", lambda queue, job: True)
    wanted = change(state, "superlative", "relative")
    right = state["tokens"][-1][0]
    project.correct(wanted | {"right": right})
    project.correct(wanted | {"right": right, "tokens": None, "text": "comparative"})
    monkeypatch.undo()
    with client_of(Studio(studio.service, studio.projects.root)) as other:
        other.cookies = client.cookies
        project.client = other
        said = ARCTIC.replace("superlative", "comparative").split()
        project.until(lambda state: [token[1] for token in state["tokens"]] == said)


def test_steps_of_a_former_transcript_change_no_word_of_the_next(project: Project) -> None:
    state = project.listened()
    mine = change(state, "always", "never")
    project.step(gone=[], come=[mine], label="x")
    project.step(undo=project.state["done"][-1]["name"])
    (step,) = project.state["undone"]
    project.post("text", {"text": ARCTIC})
    state = project.until(lambda now: now["tokens"] and now["first_id"] > state["first_id"])
    assert not state["done"] and not state["undone"]
    project.step(gone=[], come=[mine], gentle=True, redo=step["name"])  # of a window that was away
    state = project.until(lambda now: not now["listening"]["missing"])
    assert {row[0] for row in state["tokens"]}.isdisjoint(mine["tokens"])
    assert [*state["failures"]] == [each["key"] for each in state["edits"]]


def test_another_transcript_after_opening_and_another_name(client: TestClient, upload: str) -> None:
    """A text of another recording makes no words that could be edited."""
    project = Project(client, {"upload": upload, "text": "Quite frankly xylophones bamboozle"})
    state = project.listened()
    assert state["listening"]["other_text"] and "match" in state["listening"]["problem"]
    project.post("text", {"text": ARCTIC})
    words = ARCTIC.split()
    state = project.until(lambda state: [token[1] for token in state["tokens"]] == words)
    assert state["listening"]["other_text"] is None and not state["listening"]["problem"]
    project.save(change(state, "always", "never"))
    assert "undo them" in project.post("text", {"text": ""}, 400)["detail"]
    project.post("rename", {"name": "  My   talk "})
    project.post("rename", {"name": " "}, 400)
    assert project.state["name"] == client.get("/projects").json()[0]["name"] == "My talk"


def test_a_window_is_told_that_its_project_was_deleted(project: Project, studio: Studio) -> None:
    project.listened()
    visitor = next(studio.projects.root.iterdir()).name
    found = studio.find(visitor, project.at.rpartition("/")[2])
    assert found is not None
    project.post("delete", {})
    events = [json.loads(event) for _, event in found.events.since(0)]
    (told,) = [event for event in events if event["kind"] == "gone"]
    assert told["binned"]


def test_every_kind_of_step_is_taken_back_by_a_page_that_was_loaded_again(
    project: Project, studio: Studio, client: TestClient
) -> None:
    """Changes, corrections, times and speakers; the server was started anew meanwhile."""
    state = project.listened()
    first, second = state["tokens"][:2]
    right = state["tokens"][-1][0]
    row = [[first[0], first[0]]]
    times = [second[:1] + second[2:4]]
    moved = [[second[0], second[2] + 0.02, second[3]]]
    steps: list[dict[str, Any]] = [
        {"come": [change(state, "always", "never")]},
        {"correct": [change(state, "superlative", "relative", was="superlative", right=right)]},
        {"was": {"times": times}, "now": {"times": moved}},
        {"was": {"speakers": [["", row]]}, "now": {"speakers": [["ANN", row]]}},
    ]

    def shown(state: dict[str, Any]) -> list[Any]:
        edits = [edit["text"] for edit in state["edits"]]
        tokens = [(row[1], row[6]) for row in state["tokens"]]
        return [edits, tokens, [row[2:4] for row in state["tokens"] if row[0] == second[0]]]

    def until(wanted: list[Any]) -> None:
        project.until(lambda state: not state["corrections"] and shown(state) == wanted)

    reached = [shown(state)]
    for step in steps:
        project.step(**step, label="x")
        state = project.until(
            lambda state: not state["corrections"] and shown(state) != reached[-1]
        )
        reached.append(shown(state))
    with client_of(Studio(studio.service, studio.projects.root)) as other:
        other.cookies = client.cookies
        project.client = other
        for before in reached[-2::-1]:
            project.step(undo=project.state["done"][-1]["name"])
            until(before)
        assert len(project.state["undone"]) == len(steps)
        for after in reached[1:]:
            project.step(redo=project.state["undone"][-1]["name"])
            until(after)


def test_changes_after_a_word_that_is_corrected_stay(project: Project) -> None:
    state = project.listened()
    it = change(state, "it", "")["tokens"][0]
    inserted = {"after": it, "tokens": [], "text": "never"}
    project.step(gone=[], come=[inserted, change(state, "in the", "at a")], label="x")
    project.made()
    project.correct(change(state, "see it", "seem to that"))
    said = ARCTIC.replace("see it", "seem to that").split()
    state = project.until(lambda state: [token[1] for token in state["tokens"]] == said)
    assert not state["failures"] and project.files()
    between = {"after": change(state, "seem", "")["tokens"][0], "tokens": [], "text": "rarely"}
    project.step(gone=[], come=[between], label="x")
    project.correct(change(state, "seem to", "see"))  # a change stands between them
    state = project.until(lambda state: not state["corrections"])
    assert [token[1] for token in state["tokens"]] == said and not state["failures"]
