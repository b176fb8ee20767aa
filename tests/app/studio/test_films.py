"""Films and what phones record, as projects: shown, edited, taken home."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import soundfile
from starlette.testclient import TestClient

from a3t.audio.reading.recording import Recording
from app.service import Service
from app.studio.studio import Studio
from tests.app.studio.conftest import Project, change
from tests.audio.films import film, packets
from tests.conftest import ARCTIC


def test_what_a_phone_records(client: TestClient, studio: Studio, arctic: Path) -> None:
    """An M4A: what comes back is what it decodes to, but for the change."""
    phone = film(studio.service.folder / "memo.m4a", arctic, picture=None)
    project = Project(client, {"upload": str(phone), "text": ARCTIC})
    project.listened()
    project.post("export", {})  # as it is
    project.until(lambda state: client.get(f"{project.at}/download").status_code == 200)
    assert client.get(f"{project.at}/download?part=.srt").status_code == 200
    project.save(change(project.state, "always", "never"))
    assert not project.made()["failures"]
    project.post("export", {})
    project.until(lambda state: client.get(f"{project.at}/download").status_code == 200)
    archive = zipfile.ZipFile(io.BytesIO(client.get(f"{project.at}/download").content))
    assert {"memo.m4a", "memo.edited.wav"} <= set(archive.namelist())
    told = json.loads(archive.read("memo.edited.edit.json"))
    after, _ = soundfile.read(io.BytesIO(archive.read("memo.edited.wav")), dtype="float32")
    before = Recording.open(phone).read()[:, 0]
    (edit,) = told["edits"]
    assert np.array_equal(before[: edit["source"][0]], after[: edit["output"][0]])
    assert np.array_equal(before[edit["source"][1] :], after[edit["output"][1] :])


def test_a_film_is_shown_and_written_back(
    client: TestClient, service: Service, arctic: Path, tmp_path: Path
) -> None:
    path = film(service.folder / "talk.mkv", arctic, "flac", "libvpx-vp9", later=0.4, rate=16_000)
    project = Project(client, {"upload": str(path), "text": ARCTIC})
    state = project.listened()
    assert state["film"] == pytest.approx(0.4, abs=0.002)
    some = client.get(f"{project.at}/film", headers={"range": "bytes=10-19"})
    assert (some.status_code, some.content) == (206, path.read_bytes()[10:20])

    project.save(change(state, "always", "never"))
    (takes,) = project.made()["takes"].values()
    ((span,),) = (take["spans"] for take in takes)  # it takes the time of the old word
    assert span["length"] == span["source"][1] - span["source"][0]
    project.post("export", {"film": True})
    project.until(lambda state: client.get(f"{project.at}/download").status_code == 200)
    out = tmp_path / "out.mkv"
    out.write_bytes(client.get(f"{project.at}/download?part=film").content)
    assert [own[0] for own in packets(out)] == [own[0] for own in packets(path)]
    samples, own = (Recording.open(each).read() for each in (out, path))
    assert np.array_equal(samples[: span["source"][0]], own[: span["source"][0]])
    assert not np.array_equal(samples, own)

    project.save(change(state, "superlative degree", ""))
    project.made()
    before = project.state["version"]
    project.post("export", {"film": True})
    project.until(lambda state: state["version"] > before)
    assert client.get(f"{project.at}/download").status_code == 404
