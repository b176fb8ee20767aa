"""The command makes the page's downloads again, to the sample."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from starlette.testclient import TestClient

from a3t.audio.reading.recording import Recording
from a3t.commands import edit
from a3t.editor import Editor
from a3t.projects.project import History
from a3t.projects.replay import read_record, remake
from app.service import Service
from app.studio.studio import Studio
from tests.app.studio.conftest import Project, change, client_of, taken_home
from tests.conftest import ARCTIC, NEVER


def another_take(project: Project, key: str, **how: Any) -> dict[str, Any]:
    count = len(project.state["takes"][key])
    project.post("takes", {"key": key, **how})
    return project.until(lambda state: len(state["takes"][key]) > count)


@pytest.fixture(scope="module")
def downloaded(
    service: Service, arctic: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """A download after changes of all kinds, one after the other."""
    folder = tmp_path_factory.mktemp("downloaded")
    upload = service.folder / "uploaded" / "talk.wav"
    upload.parent.mkdir(exist_ok=True)
    upload.write_bytes(arctic.read_bytes())
    with client_of(Studio(service, folder / "projects")) as client:
        project = Project(client, {"upload": str(upload), "text": ARCTIC})
        yield made_one_by_one(project, folder / "home").parent


@pytest.fixture
def several(downloaded: Path, tmp_path: Path) -> Path:
    """A copy of it: its edit.json."""
    shutil.copytree(downloaded, tmp_path, dirs_exist_ok=True)
    return tmp_path / "talk.edited.edit.json"


def made_one_by_one(project: Project, folder: Path) -> Path:
    state = project.listened()
    cut = {"kind": "noise", "action": "cut", "start": 0.02, "end": 0.1}
    edits = [change(state, "always", "never")]
    project.save(*edits)
    (again,) = project.made()["takes"]
    another_take(project, again)  # levelled to the first, and of another variation
    edits[0]["take"] = 1
    token = state["tokens"][6]  # its edge is dragged: what is made from now on has other times
    project.set_words(times=[[token[0], token[2], token[3] - 0.03]])
    edits.append(change(state, "see", "watch"))
    project.save(*edits)
    dragged = project.made()["edits"][1]["key"]
    another_take(project, dragged, duration=0.45)
    edits[1]["take"] = 1
    edits.append(change(state, "the", ""))
    edits.append({"after": -1, "tokens": [], "text": "", "cut": cut})
    edits.append(change(state, "degree", "frobbly"))
    project.save(*edits)
    project.made()
    project.post("pronounce", {"word": "frobbly", "said": "FROH-blie"})
    project.until(lambda state: sorted(map(len, state["takes"].values())) == [1, 1, 2, 2, 2])
    edits[4]["take"] = 1
    project.save(*edits)
    assert not project.made()["failures"]
    return taken_home(project, folder)


def test_several_changes_are_made_again(several: Path, editor: Editor) -> None:
    home, out = several.parent / "talk.edited.wav", several.parent / "again.wav"
    assert edit.main(["--replay", str(several), "--out", str(out)]) == 0
    assert out.read_bytes() == home.read_bytes()
    first, second = (json.loads(p.read_text()) for p in (several, out.with_suffix(".edit.json")))
    ours = {name: first[name] for name in ("edits", "text", "new_text", "takes", "alignment")}
    assert ours == {name: second[name] for name in ours} and len(ours["takes"]) == 5
    # The record can tell: without what says how, or with another length, other samples come.
    told = dict(read_record(several))
    told["takes"][1]["asked"]["duration"] = 0.5
    recording = Recording.open(several.parent / "talk.wav")
    changed = remake(editor, recording, History.of(told).chain())
    changed.save(out)
    assert out.read_bytes() != home.read_bytes()


def test_the_command_goes_on_with_what_sounds_as_it_did_on_the_page(several: Path) -> None:
    out = several.parent / "talk.edited.wav"
    before, told = soundfile.read(out, dtype="int16")[0], read_record(several)
    new = told["new_text"].replace("want", "hope")
    assert edit.main(["--wav", str(out), "--new-text", new, "--yes"]) == 0
    after, then = soundfile.read(out, dtype="int16")[0], read_record(several)
    assert len(then["edits"]) == len(told["edits"]) - 1  # those beside the word are one with it
    (kept,) = (e for e in then["edits"] if e["new_words"] == "frobbly")
    (made,) = (e for e in told["edits"] if e["new_words"] == "frobbly")
    assert np.array_equal(before[slice(*made["output"])], after[slice(*kept["output"])])
    assert edit.main(["--wav", str(out), "--undo"]) == 0
    assert np.array_equal(soundfile.read(out, dtype="int16")[0], before)


@pytest.mark.slow
def test_takes_of_a_long_recording_are_made_again(
    client: TestClient,
    service: Service,
    upload: str,
    tmp_path: Path,
    editor: Editor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each was made from its surroundings alone."""
    monkeypatch.setattr("app.studio.work.take_making.LONG", 10.0)
    monkeypatch.setattr("app.studio.work.take_making.CONTEXT_S", (2.0, 4.0))
    samples, rate = soundfile.read(upload, dtype="int16")
    path = service.folder / "uploaded" / "long.wav"
    soundfile.write(path, np.tile(samples, 5), rate)
    project = Project(client, {"upload": str(path), "text": " ".join([ARCTIC] * 5)})
    tokens = project.listened()["tokens"]
    words = len(ARCTIC.split())
    edits = []
    for part, text in ((1, "never"), (3, "seldom")):
        k = part * words + ARCTIC.split().index("always")
        edits.append({"after": tokens[k - 1][0], "tokens": [tokens[k][0]], "text": text})
    project.save(*edits)
    assert not project.made()["failures"]
    record = taken_home(project, tmp_path)
    told = read_record(record)
    recording = Recording.open(record.parent / "long.wav")
    for take in told["takes"]:
        assert take["stretch"][1] - take["stretch"][0] < recording.samples
        assert "alignment" not in take  # it follows from the recording's
    result = remake(editor, recording, History.of(told).chain())
    again = result.save(tmp_path / "again.wav")
    assert again.read_bytes() == (record.parent / "long.edited.wav").read_bytes()


def test_turns_of_named_speakers_keep_their_names(
    client: TestClient, service: Service, upload: str, tmp_path: Path, editor: Editor
) -> None:
    samples, rate = soundfile.read(upload, dtype="int16")
    path = service.folder / "uploaded" / "two.wav"
    soundfile.write(path, np.tile(samples, 2), rate)
    project = Project(client, {"upload": str(path), "text": f"ANNA: {ARCTIC}\n\n BOB:  {ARCTIC}"})
    tokens = project.listened()["tokens"]
    words = len(ARCTIC.split())
    assert [token[6] for token in tokens] == ["ANNA"] * words + ["BOB"] * words
    assert tokens[words][1] == "And"
    edits = [{"after": tokens[words - 1][0], "tokens": [tokens[words][0]], "text": "But"}]
    edits.append({"after": tokens[1][0], "tokens": [tokens[2][0]], "text": "never"})
    project.save(*edits)
    assert not project.made()["failures"]
    record = taken_home(project, tmp_path)
    told = read_record(record)
    assert told["text"].splitlines() == [f"ANNA: {ARCTIC}", f"BOB: {ARCTIC}"]
    never, but = NEVER, ARCTIC.replace("And", "But")
    assert told["new_text"].splitlines() == [f"ANNA: {never}", f"BOB: {but}"]
    assert told["takes"][0]["new_text"].splitlines()[1].startswith("BOB:")
    recording = Recording.open(record.parent / "two.wav")
    again = remake(editor, recording, History.of(told).chain()).save(tmp_path / "again.wav")
    assert again.read_bytes() == (record.parent / "two.edited.wav").read_bytes()
