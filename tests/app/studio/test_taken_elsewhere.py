"""A word is taken from where else in the recording it is said."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile
from starlette.testclient import TestClient

from a3t.audio.reading.recording import Recording
from a3t.commands import edit
from a3t.editor import Editor
from a3t.projects.store.folder import ProjectFolder
from a3t.projects.store.packed_project import pack, unpack
from app.service import Service
from app.studio.studio import Studio
from tests.app.conftest import serving
from tests.app.studio.conftest import Project, change, taken_home
from tests.conftest import ARCTIC
from tests.fixtures import loading


@pytest.fixture(scope="module", autouse=True)
def depth() -> Iterator[None]:
    """Whole networks: places are chosen by what they sound like."""
    with loading(shallow=False):
        yield


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, whole_editor: Editor) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("taken").resolve(), whole_editor) as service:
        yield service


def test_a_word_is_taken_from_elsewhere(
    client: TestClient, studio: Studio, service: Service, arctic: Path, tmp_path: Path
) -> None:
    samples, rate = soundfile.read(arctic, dtype="int16")
    path = service.folder / "twice.wav"
    soundfile.write(path, np.concatenate([samples, samples[rate // 4 :]]), rate)
    project = Project(client, {"upload": str(path), "text": f"{ARCTIC} {ARCTIC}"})
    state = project.listened()
    project.save(change(state, "want", "see"))
    (key,) = project.made()["takes"]
    takes = project.until(lambda state: len(state["takes"][key]) == 3)["takes"][key]
    times = [token[2] for token in state["tokens"] if token[1] == "see"]
    assert takes[0]["recorded"] is None
    found = sorted(take["recorded"] for take in takes[1:])
    assert np.allclose(found, times, atol=0.15)

    project.save({**project.state["edits"][0], "take": 1})
    home = taken_home(project, tmp_path / "home")
    told = json.loads(home.read_text())
    (taken,) = told["edits"][0]["taken"]
    out = Recording.open(home.with_name("twice.edited.wav"))
    assert taken["source"][0] / rate == takes[1]["recorded"] and "path" not in taken
    own, made = Recording.open(path).read(), out.read()
    if taken.get("exact", True):
        assert np.array_equal(own[slice(*taken["source"])], made[slice(*taken["output"])])
    told = home.with_name("twice.edited.labels.txt").read_text().split()
    assert told.count("see") == 3 and "want" in told

    again = tmp_path / "again.wav"
    assert edit.main(["--replay", str(home), "--out", str(again)]) == 0
    assert again.read_bytes() == out.path.read_bytes()

    (folder,) = studio.projects.root.glob(f"*/{state['id']}")
    pack(ProjectFolder(folder), tmp_path / "twice.a3t.zip")
    (tmp_path / "stage").mkdir()
    unpack(tmp_path / "twice.a3t.zip", tmp_path / "stage", 10**8)
    kept = json.loads((tmp_path / "stage" / "takes" / key / "1" / "take.json").read_text())
    assert kept["recorded"] == takes[1]["recorded"]
    assert (
        kept["mix"] == json.loads((folder / "takes" / key / "1" / "take.json").read_text())["mix"]
    )
