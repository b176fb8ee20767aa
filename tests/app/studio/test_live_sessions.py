"""Words while one speaks, through the interface of the page's script."""

import base64
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from starlette.testclient import TestClient

from app.studio import live_sessions
from app.studio.studio import Studio
from tests.app.studio.conftest import client_of


def packed(samples: np.ndarray) -> str:
    return base64.b64encode((samples * 32767).astype("<i2").tobytes()).decode()


def begun(client: TestClient, rate: Any = 16_000) -> str:
    return f"/live/{client.post('/live', json={'rate': rate}).json()['id']}"


def test_words_come_while_one_speaks_and_the_process_goes_with_the_last(
    client: TestClient, studio: Studio, arctic: Path
) -> None:
    samples, rate = soundfile.read(arctic, dtype="float32")
    at = begun(client, rate)
    final: list[str] = []
    provisional = 0
    for part in np.array_split(samples, 6):
        heard = client.post(at, json={"samples": packed(part)}).json()
        final += [word for word, start, end in heard["final"]]
        provisional += len(heard["provisional"])
    (session,) = studio.live._sessions.values()
    assert provisional and final
    ended = client.post(at, json={"samples": "", "last": True}).json()
    final += [word for word, start, end in ended["final"]]
    assert "you always want to see it in" in " ".join(final) and not ended["provisional"]
    assert not studio.live._sessions and not session._process.alive
    assert client.post(at, json={"samples": ""}).status_code == 404


def test_nobody_hears_another_ones_microphone(client: TestClient, studio: Studio) -> None:
    at = begun(client)
    with client_of(studio) as other:
        assert other.post(at, json={"samples": ""}).status_code == 404
        second = begun(other)
        with client_of(studio) as third:
            refused = third.post("/live", json={"rate": 16_000})
            assert refused.status_code == 400 and "when you stop" in refused.json()["detail"]
        assert begun(other) != second  # one's own earlier one gives way
        assert other.post(second, json={"samples": ""}).status_code == 404


def test_other_rates_are_refused(client: TestClient) -> None:
    for rate in (None, "16000", 16_000.5, 10, 10**9, True):
        assert client.post("/live", json={"rate": rate}).status_code == 400


def test_what_is_no_sound_is_refused_and_the_next_is_heard(client: TestClient) -> None:
    at = begun(client)
    wrong: tuple[Any, ...] = ("é", "AAA", [1, 2], "!!!!", {"a": 1})
    for samples in wrong:
        assert client.post(at, json={"samples": samples}).status_code == 400
    assert client.post(at, json={"samples": "AAAA"}).json() == {
        "final": [],
        "provisional": [],
        "late": False,
    }


def test_one_who_has_left_leaves_no_process(
    client: TestClient, studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_sessions, "SILENCE_S", 0.05)
    begun(client)
    while studio.live._sessions:
        time.sleep(0.01)
