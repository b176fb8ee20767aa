"""Whisper, from a server of Hugging Face's kind to the words of a recording, by a tiny model.

A model of the same architecture, made in some seconds, takes the place of the published weights, in
the same layout; these are heard in tests/source/test_change_detection.py.
"""

import hashlib
import json
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.audio.reading.recording import Recording
from a3t.commands import fetch_recogniser as fetching_command
from a3t.commands.editing.edit_options import parser
from a3t.commands.fetch_recogniser import main
from a3t.errors import InputError
from a3t.fetching import fetch_recogniser
from a3t.fetching.fetch_recogniser import OFFERED, REVISIONS, repository_of
from a3t.source.transcripts import find_transcript
from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment import AlignmentError
from alignment.recognition import whisper_model
from alignment.recognition.whisper import fetched_model, load_whisper
from tests.conftest import ARCTIC
from tests.tiny_whisper import make_tiny_whisper

FILES = {
    "config.json": b'{"alignment_heads": []}',
    "model.bin": bytes(range(256)) * 4000,
    "tokenizer.json": b"{}",
    "vocabulary.txt": b"a\nb\n",
    "README.md": b"not needed",
}


def entry(name: str, data: bytes) -> dict[str, object]:
    """A file as the hub lists it; large ones lie elsewhere and have their sha256."""
    if name != "model.bin":
        blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
        return {"type": "file", "path": name, "size": len(data), "oid": blob}
    large = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}
    return {"type": "file", "path": name, "size": len(data), "oid": "0" * 40, "lfs": large}


class Hub:
    """A server with exchangeable files; `asked` has the requested paths and first bytes."""

    def __init__(self) -> None:
        self.serve(FILES)
        self.asked: list[tuple[str, int]] = []
        self.most = 10**9  # bytes after which the line drops
        self.url = ""

    def serve(self, files: dict[str, bytes]) -> None:
        self.files = dict(files)
        self.tree: object = [entry(name, data) for name, data in files.items()]

    def answer(self, path: str) -> bytes | None:
        repository, revision = repository_of(OFFERED), REVISIONS[OFFERED]
        path = path.partition("?")[0]
        if path == f"/api/models/{repository}/tree/{revision}":
            return json.dumps(self.tree).encode()
        if path == f"/api/models/{repository}/revision/{revision}":
            siblings = [{"rfilename": name} for name in self.files]
            return json.dumps({"id": repository, "sha": revision, "siblings": siblings}).encode()
        start = f"/{repository}/resolve/{revision}/"
        return self.files.get(path.removeprefix(start)) if path.startswith(start) else None


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    pytest.importorskip("huggingface_hub", reason="pip install 'a3t[whisper]' brings it")
    serving = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.do_HEAD(with_body=True)

        def do_HEAD(self, with_body: bool = False) -> None:
            data = serving.answer(self.path)
            first = int(self.headers.get("Range", "bytes=0-")[6:-1])
            if with_body:
                serving.asked.append((self.path, first))
            body = (data or b"")[first:]
            self.send_response(404 if data is None else 206 if first else 200)
            self.send_header("Content-Length", str(len(body)))
            if first:
                whole = len(data or b"")
                self.send_header("Content-Range", f"bytes {first}-{whole - 1}/{whole}")
            self.send_header("X-Repo-Commit", REVISIONS[OFFERED])
            self.send_header("ETag", f'"{hashlib.sha256(data or b"").hexdigest()}"')
            self.end_headers()
            if with_body:
                self.wfile.write(body[: serving.most])

        def log_message(self, *_: object) -> None: ...

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    serving.url = f"http://127.0.0.1:{listening.server_port}"
    monkeypatch.setenv("HF_ENDPOINT", serving.url)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("A3T_RECOGNISER")
    monkeypatch.setattr(fetching_command, "is_installed", lambda: True)
    yield serving
    listening.shutdown()
    listening.server_close()


def test_a_model_is_fetched_once_and_recorded(hub: Hub) -> None:
    assert main(["--yes"]) == 0
    folder = fetched_model(OFFERED)
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    source = json.loads(found.pop("source.json"))
    assert found == {name: data for name, data in FILES.items() if name != "README.md"}
    assert source["revision"] == REVISIONS[OFFERED]
    assert source["sha256"]["model.bin"] == hashlib.sha256(FILES["model.bin"]).hexdigest()
    assert [path.name for path in folder.parent.iterdir()] == [OFFERED]
    before = len(hub.asked)
    assert main([]) == 0
    assert len(hub.asked) == before


def test_a_line_that_drops_is_taken_up_where_it_was(hub: Hub) -> None:
    large = bytes(range(256)) * 48_000  # 12 MB; huggingface_hub keeps 10 MB at once
    hub.serve({**FILES, "model.bin": large})
    hub.most = 11_000_000
    assert main(["--yes"]) == 0
    begun, again = (first for path, first in hub.asked if path.endswith("model.bin"))
    assert begun == 0 and 10_000_000 < again <= hub.most
    assert (fetched_model(OFFERED) / "model.bin").read_bytes() == large


def test_nothing_is_fetched_for_no_program(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching_command, "is_installed", lambda: False)
    assert main(["--yes"]) == 1 and not hub.asked


def test_nothing_is_fetched_unless_the_user_agrees(
    hub: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([]) == 1  # no terminal to ask on
    said = capsys.readouterr().err
    assert "Traceback" not in said and "75 MB" in said
    assert not hub.asked and not fetched_model(OFFERED).parent.exists()


def test_a_terminal_is_asked_once(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    questions: list[str] = []
    answers = ["n", "y"]

    def answer() -> str:
        questions.append(capsys.readouterr().err)
        return answers[len(questions) - 1] + "\n"

    monkeypatch.setattr(sys.stdin, "readline", answer, raising=False)
    for stream in (sys.stdin, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(fetch_recogniser, "is_installed", lambda: True)
    fetch_recogniser.offer("network")
    assert not questions
    for _ in range(2):
        fetch_recogniser.offer("auto")
    assert len(questions) == 1 and "75 MB" in questions[0] and not hub.asked
    (fetched_model(OFFERED).parent / "not-now").unlink()
    fetch_recogniser.offer("auto")
    assert len(questions) == 2 and (fetched_model(OFFERED) / "model.bin").is_file()
    monkeypatch.setattr(fetch_recogniser, "find_whisper", lambda: None)
    wanted: list[str] = []
    monkeypatch.setattr(fetch_recogniser, "fetch_model", wanted.append)
    answers.append("small.en")
    fetch_recogniser.offer("auto")
    assert "small.en (484 MB)" in questions[2] and wanted == ["small.en"]


@pytest.mark.parametrize("name", ["model.bin", "tokenizer.json"])
def test_a_file_that_is_not_the_published_one(
    name: str, hub: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.files[name] = hub.files[name][:-1] + b"!"
    assert main(["--yes"]) == 1
    assert "differs" in capsys.readouterr().err
    assert not fetched_model(OFFERED).exists()
    hub.serve(FILES)
    assert main(["--yes"]) == 0


@pytest.mark.parametrize(
    "tree", [[], {"error": "x"}, [{"path": "model.bin"}], "x", [entry("config.json", b"{}")]]
)
def test_another_answer_is_refused(tree: object, hub: Hub) -> None:
    hub.tree = tree
    with pytest.raises(InputError, match=OFFERED):
        fetch_recogniser.fetch_model(OFFERED)


def test_no_network(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InputError, match="can't be fetched"):
        fetch_recogniser.fetch_model(OFFERED)


# ---- a model that runs --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whisper") / "tiny"
    make_tiny_whisper(folder, ARCTIC)
    names = json.loads((folder / "vocabulary.json").read_text())
    (folder / "vocabulary.txt").write_text("\n".join(names) + "\n")  # as the hub has it
    return folder


@pytest.mark.slow
def test_from_the_hub_to_words_with_times(hub: Hub, tiny: Path, arctic: Path) -> None:
    hub.serve({name: (tiny / name).read_bytes() for name in FILES if name != "README.md"})
    assert main(["--yes"]) == 0
    recording, pronouncer = Recording.open(arctic), Pronouncer()
    found = find_transcript(recording, None, None, pronouncer)
    assert found.origin == "recognised" and found.transcript.text == ARCTIC
    assert len(found.confidences) == len(found.transcript.words)
    with pytest.raises(AlignmentError, match="30 s"):
        load_whisper(fetched_model(OFFERED)).hear(np.zeros(31 * 16_000), 16_000)
    from alignment.aligners.network_aligner import NetworkAligner

    words = NetworkAligner().align(
        recording.mono(), recording.sample_rate, found.transcript.spoken,
        pronouncer.choices(found.transcript.spoken),
    ).spoken  # fmt: skip
    assert all(word.score > 0.5 for word in words)
    assert all(a.end <= b.start + 1e-6 for a, b in zip(words, words[1:], strict=False))


def test_a_broken_model_is_named(hub: Hub, arctic: Path) -> None:
    pytest.importorskip("faster_whisper", reason="pip install 'a3t[whisper]' for Whisper's tests")
    assert main(["--yes"]) == 0
    with pytest.raises(AlignmentError, match=OFFERED):
        find_transcript(Recording.open(arctic), None, None, Pronouncer())


def test_nonsense_is_not_kept(tmp_path: Path, hub: Hub) -> None:
    """Words from random weights and noise are all dropped."""
    make_tiny_whisper(tmp_path / "random", ARCTIC, steps=0)
    noise = np.random.default_rng(0).standard_normal(5 * 16_000) * 0.01
    soundfile.write(tmp_path / "noise.wav", noise, 16_000)
    recording, model = Recording.open(tmp_path / "noise.wav"), str(tmp_path / "random")
    with pytest.raises(AlignmentError, match="no audible words"):
        find_transcript(recording, None, None, Pronouncer(), model)


@pytest.mark.slow
def test_an_hour_in_flat_memory(
    tiny: Path, tmp_path: Path, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = whisper_model(str(tiny))
    assert model is not None
    load_whisper(model)
    speech, rate = soundfile.read(arctic, dtype="int16")
    peaks = []
    for minutes in (3, 60):
        path = tmp_path / f"{minutes}.wav"
        with soundfile.SoundFile(path, "w", rate, 1, "PCM_16") as file:
            for _ in range(round(minutes * 60 * rate / len(speech))):
                file.write(speech)
        recording = Recording.open(path)
        tracemalloc.start()
        found = find_transcript(recording, None, None, Pronouncer(), str(model))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert found.transcript.text.startswith(ARCTIC)
    assert peaks[1] < 1.5 * peaks[0]


def test_a_recogniser_can_be_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["talk.wav", "--new-text", "x", "--recogniser"]
    assert parser().parse_args([*given, str(tmp_path)]).recogniser == str(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        parser().parse_args([*given, "sphinx4"])
    assert "“sphinx4” is neither" in capsys.readouterr().err
