"""Whisper is offered on this computer's own page, fetched once, and its marks are kept."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient

from a3t.errors import InputError
from a3t.projects.store.pcm_sound import PcmSound, played
from a3t.source.records import FoundTranscript
from a3t.text.transcript import Transcript
from alignment.aligners.network_aligner import NetworkAligner
from app.studio import recogniser_fetch
from app.studio.studio import Studio
from app.studio.work import listening
from app.studio.work.listening import recognise_part
from tests.conftest import ARCTIC


@pytest.fixture
def offered(studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Studio:
    monkeypatch.delenv("A3T_RECOGNISER")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(recogniser_fetch, "is_installed", lambda: True)
    studio.recogniser.is_offered = True
    return studio


def test_it_is_fetched_once_and_told_of(
    offered: Studio, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, outcomes = threading.Semaphore(0), [InputError("The line is dead."), None]
    found: list[str] = []

    def fetch(model: str) -> None:
        found.append(model)
        assert go_on.acquire(timeout=60)
        if outcome := outcomes[len(found) - 1]:
            raise outcome

    monkeypatch.setattr(recogniser_fetch, "fetch_model", fetch)
    assert client.get("/recogniser").json()["state"] == "offered" and not found
    for expected in ("The line is dead.", ""):
        assert client.post("/recogniser", json={}).json()["state"] == "fetching"
        assert client.post("/recogniser", json={}).json()["state"] == "fetching"
        go_on.release()
        assert offered.recogniser._thread is not None
        offered.recogniser._thread.join(60)
        told = client.get("/recogniser").json()
        assert (told["state"], told["problem"]) == ("offered", expected)
    assert found == ["tiny.en", "tiny.en"]
    monkeypatch.setattr(recogniser_fetch, "find_whisper", lambda: Path("here"))
    assert client.post("/recogniser", json={}).json()["state"] == "none"


def test_strangers_are_offered_nothing(
    offered: Studio, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recogniser_fetch, "fetch_model", None)
    offered.recogniser.is_offered = False
    for answer in (client.get("/recogniser"), client.post("/recogniser", json={})):
        assert answer.json()["state"] == "none"


@pytest.mark.parametrize(
    "written", [f"{ARCTIC[:-1]}!", ARCTIC.replace("it in the s", "it, in the S")]
)
def test_a_recognisers_own_marks_capitals_and_doubts_stay(
    written: str, arctic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import soundfile

    samples, rate = soundfile.read(arctic, always_2d=True)
    (tmp_path / "sound.pcm").write_bytes(played(samples, samples.shape[1]))
    sound = PcmSound(tmp_path / "sound.pcm", rate, 1, len(samples))
    sure = (0.3, *[0.9] * 10)
    heard = FoundTranscript(Transcript.from_text(written), confidences=sure)
    monkeypatch.setattr(listening, "whisper_model", lambda _: tmp_path)
    monkeypatch.setattr(listening, "load_whisper", lambda _: None)
    monkeypatch.setattr(listening, "recognised_part", lambda *_: heard)
    editor: Any = SimpleNamespace(
        progress=None, alignments=SimpleNamespace(aligner=NetworkAligner())
    )
    part = recognise_part(editor, sound, 0, 0, len(samples))
    assert " ".join(token.text for token in part.tokens) == written
    assert tuple(token.shown()[4] for token in part.tokens) == sure
