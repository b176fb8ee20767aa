"""Suggested removals appear as changes before anything is made."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from starlette.testclient import TestClient

from a3t.audio.output.provenance import provenance_of
from app.service import Service
from tests.app.studio.conftest import Project
from tests.conftest import ARCTIC, assert_untouched
from tests.hesitations import PAUSE, RATE, hesitant_talk


@pytest.fixture
def project(client: TestClient, service: Service, arctic: Path, editor: Any) -> Project:
    folder = service.folder / "uploaded"
    folder.mkdir(exist_ok=True)
    path = hesitant_talk(editor, arctic, folder / "talk.wav")
    text = ARCTIC.replace("want to", "want want to")
    project = Project(client, {"upload": str(path), "text": text})
    project.listened()
    return project


def offered(project: Project, **want: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = project.post("cleaning", want)["found"]
    return found


def test_repeats_and_long_pauses_are_offered_and_nothing_is_changed(project: Project) -> None:
    found = offered(project)
    assert [each["kind"] for each in found] == ["repeat", "pause"]
    repeat, pause = found
    assert pause["end"] - pause["start"] == pytest.approx(PAUSE, abs=0.1)
    words = {token[0]: token[1] for token in project.state["tokens"]}
    assert [words[token] for token in repeat["edit"]["tokens"]] == ["want"]
    assert pause["edit"]["tokens"] == [] and pause["edit"]["text"] == ""
    assert project.state["edits"] == []
    assert offered(project, kinds=["pause"]) == [pause]
    assert offered(project, kinds=["pause"], longest=3.0) == []


def test_what_is_accepted_goes_and_all_else_stays(project: Project) -> None:
    found = offered(project)
    project.save(*(each["edit"] for each in found))
    state = project.made()
    assert not state["failures"]
    files = project.files()
    told = json.loads(files["talk.edited.edit.json"])
    assert told["new_text"] == ARCTIC
    assert [cut["kind"] for cut in told["asked"]["cuts"]] == ["repeat", "pause"]
    before, _ = soundfile.read(io.BytesIO(files["talk.wav"]), dtype="int16")
    after, _ = soundfile.read(io.BytesIO(files["talk.edited.wav"]), dtype="int16")
    assert len(before) - len(after) > (PAUSE + 0.2 - 0.8) * RATE
    assert_untouched(told["edits"], before, after)


def test_what_is_muted_keeps_the_recordings_length(project: Project) -> None:
    (repeat, _) = offered(project, action="mute")
    project.save(repeat["edit"])
    assert not project.made()["failures"]
    files = project.files()
    lengths = [
        len(soundfile.read(io.BytesIO(files[name]))[0]) for name in ("talk.wav", "talk.edited.wav")
    ]
    assert lengths[1] == pytest.approx(lengths[0], abs=0.1 * RATE)


@pytest.mark.parametrize("bleep", [False, True])
def test_named_words_are_hidden_to_the_sample(
    project: Project, bleep: bool, tmp_path: Path
) -> None:
    want = {"kinds": [], "hidden": "Always, nobody", "bleep": bleep}
    told = project.post("cleaning", want)
    (found,) = told["found"]
    assert (found["kind"], found["text"], told["unnamed"]) == ("word", "“always”", ["nobody"])
    project.save(found["edit"])
    state = project.made()
    assert not state["failures"]
    ((take,),) = state["takes"].values()
    assert not any("still be heard" in doubt for doubt in take["doubts"])
    files = project.files()
    told = json.loads(files["talk.edited.edit.json"])
    assert [cut["action"] for cut in told["asked"]["cuts"]] == ["bleep" if bleep else "mute"]
    before, _ = soundfile.read(io.BytesIO(files["talk.wav"]), dtype="int16")
    after, _ = soundfile.read(io.BytesIO(files["talk.edited.wav"]), dtype="int16")
    assert len(after) == len(before)
    assert_untouched(told["edits"], before, after)
    (tmp_path / "hidden.wav").write_bytes(files["talk.edited.wav"])
    assert provenance_of(tmp_path / "hidden.wav").synthetic_seconds == 0


def test_what_is_said_twice_is_offered_with_both_takes(
    client: TestClient, service: Service, arctic: Path
) -> None:
    speech, _ = soundfile.read(arctic)
    path = service.folder / "uploaded" / "twice.wav"
    path.parent.mkdir(exist_ok=True)
    soundfile.write(path, np.concatenate([speech, speech]), RATE)
    project = Project(client, {"upload": str(path), "text": f"{ARCTIC} {ARCTIC}"})
    project.listened()
    assert not offered(project, longest=3.0)
    (found,) = offered(project, kinds=["retake"])
    assert len(found["edit"]["tokens"]) == len(ARCTIC.split())
    start, end = found["again"]
    assert found["end"] <= start and end - start == pytest.approx(
        found["end"] - found["start"], abs=0.1
    )
    project.save(found["edit"])
    assert not project.made()["failures"]
    told = json.loads(project.files()["twice.edited.edit.json"])
    assert told["new_text"] == ARCTIC


def test_a_pause_is_made_shorter_or_longer(project: Project) -> None:
    """As when it is dragged: some of its middle goes, or silence comes."""
    tokens = project.state["tokens"]
    place = next(k for k, token in enumerate(tokens) if token[1] == "it")
    gap = (tokens[place][3], tokens[place + 1][2])
    cut = {"kind": "pause", "action": "cut", "start": gap[0] + 0.5, "end": gap[1] - 0.5}
    edit = {"after": tokens[place][0], "tokens": [], "text": ""}
    project.save(edit | {"cut": cut})
    (takes,) = project.made()["takes"].values()
    (span,) = takes[0]["spans"]
    gone = (span["source"][1] - span["source"][0] - span["length"]) / RATE
    assert gone == pytest.approx(gap[1] - gap[0] - 1.0, abs=0.1)
    project.save(edit | {"text": "[pause 0.60]"})
    (takes,) = project.made()["takes"].values()
    (span,) = takes[0]["spans"]
    came = (span["length"] - span["source"][1] + span["source"][0]) / RATE
    assert came == pytest.approx(0.6, abs=0.1)


def test_cuts_that_no_page_would_send_are_refused(project: Project) -> None:
    edit = {"after": -1, "tokens": [], "text": ""}
    wrong: list[Any] = [
        {},
        7,
        "cut",
        {"kind": "pause", "action": "cut", "start": 2, "end": 1},
        {"kind": "pause", "action": "burn", "start": 1, "end": 2},
        {"kind": "pause", "action": "cut", "start": None, "end": 2},
    ]
    for cut in wrong:
        step = {"n": 1, "gone": [], "come": [edit | {"cut": cut}]}
        project.post("script", {"steps": [step]}, 400)
    for want in (
        {"kinds": ["everything"]},
        {"kinds": [{}]},
        {"longest": "x"},
        {"longest": -1},
        {"action": []},
        {"action": "burn"},
    ):
        project.post("cleaning", want, 400)
    assert offered(project, kinds="pause")
    assert project.state["edits"] == []
