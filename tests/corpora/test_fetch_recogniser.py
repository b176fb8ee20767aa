"""A recogniser's model fetched from a server of Hugging Face's kind, on this machine."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from a3t.corpora import fetch_recogniser
from alignment.recognition.whisper import fetched_model

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {
    "config.json": b'{"alignment_heads": []}',
    "model.bin": bytes(range(256)) * 400,
    "tokenizer.json": b"{}",
    "vocabulary.txt": b"a\nb\n",
    "README.md": b"not needed",
}


def entry(name: str, data: bytes) -> dict[str, object]:
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
    if name != "model.bin":
        return {"type": "file", "path": name, "size": len(data), "oid": blob}
    large = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}
    return {"type": "file", "path": name, "size": len(data), "oid": "0" * 40, "lfs": large}


class Server:
    """What it serves can be changed; `asked` has the paths that were."""

    def __init__(self) -> None:
        self.files = dict(FILES)
        self.tree = [entry(name, data) for name, data in FILES.items()]
        self.asked: list[str] = []
        self.url = ""

    def answer(self, path: str) -> bytes | None:
        self.asked.append(path)
        base = "/api/models/Systran/faster-whisper-tiny.en"
        if path == base:
            return json.dumps({"sha": COMMIT}).encode()
        if path == f"{base}/tree/{COMMIT}":
            return json.dumps(self.tree).encode()
        start = f"/Systran/faster-whisper-tiny.en/resolve/{COMMIT}/"
        return self.files.get(path.removeprefix(start)) if path.startswith(start) else None


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    serving = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = serving.answer(self.path)
            self.send_response(404 if data is None else 200)
            self.send_header("Content-Length", str(len(data or b"")))
            self.end_headers()
            self.wfile.write(data or b"")

        def log_message(self, *_: object) -> None: ...

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    serving.url = f"http://127.0.0.1:{listening.server_port}"
    monkeypatch.setenv("HF_ENDPOINT", serving.url)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield serving
    listening.shutdown()
    listening.server_close()


def test_a_model_is_fetched_once_and_found(server: Server) -> None:
    assert fetch_recogniser.main(["tiny.en", "--yes"]) == 0
    folder = fetched_model("tiny.en")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        name: data for name, data in FILES.items() if name != "README.md"
    }
    assert [path.name for path in folder.parent.iterdir()] == ["tiny.en"]
    before = len(server.asked)
    assert fetch_recogniser.main(["tiny.en"]) == 0
    assert len(server.asked) == before


def test_nothing_is_fetched_unless_the_user_agrees(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fetch_recogniser.main(["tiny.en"]) == 1  # no terminal to ask on
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert not any("resolve" in path for path in server.asked)
    assert not fetched_model("tiny.en").parent.exists()


@pytest.mark.parametrize("name", ["model.bin", "tokenizer.json"])
def test_a_file_that_is_not_the_published_one(
    name: str, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    server.files[name] = server.files[name][:-1] + b"!"
    assert fetch_recogniser.main(["tiny.en", "--yes"]) == 1
    assert "differs" in capsys.readouterr().err
    assert not fetched_model("tiny.en").exists()
    server.files = dict(FILES)
    assert fetch_recogniser.main(["tiny.en", "--yes"]) == 0


@pytest.mark.parametrize(
    "tree", [[], {"error": "x"}, [{"path": "model.bin"}], "x", [entry("config.json", b"{}")]]
)
def test_another_answer_is_refused(tree: object, server: Server) -> None:
    server.tree = tree  # type: ignore[assignment]
    assert fetch_recogniser.main(["tiny.en", "--yes"]) == 1


def test_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert fetch_recogniser.main(["tiny.en", "--yes"]) == 1
    assert "can't be fetched" in capsys.readouterr().err
