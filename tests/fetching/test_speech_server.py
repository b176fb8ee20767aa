"""A speech server is asked as OpenAI's is, and what it answers is not believed."""

import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from a3t.audio.output.provenance import provenance_of
from a3t.commands.editing.said_by import sentences
from a3t.errors import InputError
from a3t.fetching import speech_server
from a3t.fetching.speech_server import KEY, SpeechServer
from a3t.text.transcript import Transcript


def wav(seconds: float = 0.5, level: float = 0.1) -> bytes:
    file = io.BytesIO()
    noise = level * np.random.default_rng(0).standard_normal(round(16000 * seconds))
    soundfile.write(file, noise, 16000, format="WAV")
    return file.getvalue()


class Answering(HTTPServer):
    """A server with one answer to everything; it keeps what it was asked."""

    answer: tuple[int, dict[str, str], bytes] = (200, {}, b"")
    asked: list[tuple[str, dict[str, str], dict[str, Any]]]


class Handler(BaseHTTPRequestHandler):
    server: Answering

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), body))
        code, headers, content = self.server.answer
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def server() -> Iterator[Answering]:
    made = Answering(("127.0.0.1", 0), Handler)
    made.asked = []
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def of(server: Answering, more: str = "") -> SpeechServer:
    return SpeechServer.of(f"http://127.0.0.1:{server.server_port}/v1{more}")


@pytest.mark.parametrize("address", [
    "file:///etc/passwd", "ftp://host/v1", "localhost:8880", "http://", "//host/v1", "",
    "http://host:port/v1", "http://[::1/v1", "http://me:secret@host/v1", "http://host/v1#voice",
    "http://host/v1?speed=2",
])  # fmt: skip
def test_only_an_address_of_a_web_server_is_taken(address: str) -> None:
    with pytest.raises(InputError):
        SpeechServer.of(address)


def test_the_endpoint_is_found_from_the_address() -> None:
    full = "https://host:1/v1/audio/speech"
    for address in ("https://host:1/v1", "https://host:1/v1/", full):
        assert SpeechServer.of(address).url == full
    named = SpeechServer.of("http://host/v1?voice=anna&model=tiny")
    assert (named.voice, named.model, named.name) == ("anna", "tiny", "tiny anna, host")


def test_speech_is_written_and_marked_as_synthetic(
    server: Answering, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer = (200, {}, wav())
    monkeypatch.setenv(KEY, "secret")
    out = tmp_path / "said.wav"
    of(server, "?voice=anna").speak("We meet on Friday.", out)
    (path, headers, body), *others = server.asked
    assert path == "/v1/audio/speech" and not others
    assert headers["Authorization"] == "Bearer secret"
    assert (body["input"], body["voice"]) == ("We meet on Friday.", "anna")
    (trace,) = provenance_of(out).traces
    assert trace.synthetic and trace.words == "We meet on Friday." and "anna" in trace.models
    assert soundfile.info(out).frames == 8000


@pytest.mark.parametrize("answer", [
    (200, {}, b"no sound at all"), (200, {}, b""), (200, {}, wav(level=0.0)),
    (401, {}, b"who are you?"), (302, {"Location": "http://127.0.0.1:1/"}, b""), (500, {}, b""),
])  # fmt: skip
def test_another_answer_is_one_sentence(
    server: Answering, tmp_path: Path, answer: tuple[int, dict[str, str], bytes]
) -> None:
    server.answer = answer
    with pytest.raises(InputError) as error:
        of(server).speak("Hello.", tmp_path / "said.wav")
    assert "\n" not in str(error.value) and not list(tmp_path.iterdir())


def test_an_answer_has_a_largest_size_and_a_server_has_to_run(
    server: Answering, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer = (200, {}, wav(2.0))
    monkeypatch.setattr(speech_server, "MAX_BYTES", 20_000)
    with pytest.raises(InputError, match="answers more than"):
        of(server).speak("Hello.", tmp_path / "said.wav")
    with pytest.raises(InputError, match="characters"):
        of(server).speak("a" * 5000, tmp_path / "said.wav")
    with pytest.raises(InputError, match="does the server run"):
        SpeechServer.of("http://127.0.0.1:1/v1").speak("Hello.", tmp_path / "said.wav")


def test_whole_sentences_are_spoken_each_once() -> None:
    text = Transcript.from_text("It is late. We meet on Friday, at noon. Then we go. Good bye")
    assert sentences(text, [(5, 6), (7, 8)]) == [(3, 9)]
    assert sentences(text, [(0, 1), (10, 11)]) == [(0, 3), (9, 12)]
    assert sentences(text, [(12, 14)]) == [(12, 14)]
    long = Transcript.from_text("word " * 300)
    assert sentences(long, [(150, 152)]) == [(120, 182)]
