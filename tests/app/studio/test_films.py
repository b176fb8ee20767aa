"""Films and what phones record, as projects: shown, edited, taken home."""

import io
import json
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
from tests.conftest import ARCTIC, assert_untouched


@pytest.mark.slow
def test_what_a_phone_records(client: TestClient, studio: Studio, arctic: Path) -> None:
    """An M4A: what comes back is what it decodes to, but for the change."""
    phone = film(studio.service.folder / "memo.m4a", arctic, picture=None)
    project = Project(client, {"upload": str(phone), "text": ARCTIC})
    project.listened()
    assert project.download(".srt")  # as it is
    project.save(change(project.state, "always", "never"))
    assert not project.made()["failures"]
    files = project.files()
    assert {"memo.m4a", "memo.edited.wav"} <= files.keys()
    told = json.loads(files["memo.edited.edit.json"])
    after, _ = soundfile.read(io.BytesIO(files["memo.edited.wav"]), dtype="float32")
    before = Recording.open(phone).read()[:, 0]
    assert_untouched(told["edits"], before, after)


def test_a_film_is_shown_and_written_back(
    client: TestClient, service: Service, arctic: Path, tmp_path: Path
) -> None:
    path = film(service.folder / "talk.mkv", arctic, "flac", "libvpx-vp9", later=0.4, rate=16_000)
    project = Project(client, {"upload": str(path), "text": ARCTIC})
    state = project.listened()
    # From its first picture: the silence before the sound is part of the recording.
    assert state["film"] == pytest.approx(0.04, abs=0.002)
    some = client.get(f"{project.at}/film", headers={"range": "bytes=10-19"})
    assert (some.status_code, some.content) == (206, path.read_bytes()[10:20])

    project.save(change(state, "always", "never"))
    (takes,) = project.made()["takes"].values()
    ((span,),) = (take["spans"] for take in takes)  # it takes the time of the old word
    assert span["length"] == span["source"][1] - span["source"][0]
    out = tmp_path / "out.mkv"
    out.write_bytes(project.download("film"))
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
