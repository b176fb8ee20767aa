"""The server asked for what no client would ask: one sentence, and no error of its own."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.server.voice_folder import voices_in
from app.service import Service
from tests.app.conftest import called
from tests.fuzz.corpus import VALUES

SPEECH = {
    "input": "x",
    "model": "small",
    "voice": "awb",
    "response_format": "wav",
    "speed": 9,
}
FIELDS = ("text", "new_text", "speed", "fit", "seed", "response_format", "reply")
BODIES = [b"", b"[", b"[" * 50_000, b"null", b'"x"', b"\xff", b'{"input":' + b"[" * 9000]


@pytest.fixture(scope="module")
def client(service: Service, arctic: Path, tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    voices = tmp_path_factory.mktemp("voices")
    (voices / "awb.wav").write_bytes(arctic.read_bytes())
    return called(service, voices_in(voices))


def refused(answer: Any) -> None:
    assert 400 <= answer.status_code < 500, (answer.status_code, answer.text[:300])
    message = answer.json()["error"]["message"]
    assert message and "\n" not in message and len(message) < 500


@pytest.mark.parametrize("field", SPEECH)
def test_wrong_values_in_a_request_for_speech(field: str, client: TestClient) -> None:
    for value in [*VALUES, "9" * 5000]:
        body = json.dumps(SPEECH | {field: value}).encode()
        refused(client.post("/v1/audio/speech", content=body))


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("path", ["audio/speech", "edits", "alignments"])
def test_bodies_that_are_no_request(path: str, body: bytes, client: TestClient) -> None:
    for kind in ("application/json", "multipart/form-data", "multipart/form-data; boundary=x"):
        refused(client.post(f"/v1/{path}", content=body, headers={"content-type": kind}))


@pytest.mark.parametrize("field", FIELDS)
def test_wrong_fields_of_a_form(field: str, client: TestClient) -> None:
    for value in ("\0", "nan", "-1", "9" * 400, "9" * 5000, "1e999", "\x85", "é" * 300_000):
        form = {"new_text": "we met", "reply": "recording", field: value}
        files = {"file": ("../x.wav", b"no sound")}
        refused(client.post("/v1/edits", data=form, files=files))


@pytest.mark.parametrize("length", ["9" * 400, "9" * 5000, "-1", "1e3", "x"])
def test_lengths_that_are_none(length: str, client: TestClient) -> None:
    answer = client.post("/v1/edits", content=b"x", headers={"content-length": length})
    assert answer.status_code == 411


@pytest.mark.parametrize(
    "token", ["", "x", "Bearer", "Bearer é", "Basic x", "Bearer " + "x" * 9000]
)
def test_wrong_tokens(token: str, client: TestClient) -> None:
    given = {"Authorization": token.encode("latin-1")}
    assert client.get("/v1/models", headers=given).status_code == 401  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["x", "..", "%00", "x" * 5000])
def test_jobs_of_nobody(name: str, client: TestClient) -> None:
    for path in (f"/v1/jobs/{name}", f"/v1/jobs/{name}/recording", f"/v1/jobs/{name}/edit.json"):
        assert client.get(path).status_code == 404
    assert client.delete(f"/v1/jobs/{name}").status_code in (404, 405)
