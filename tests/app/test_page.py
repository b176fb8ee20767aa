"""The page as its users reach it: a server on this machine, asked through gradio's own client."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
import soundfile

pytest.importorskip("gradio", reason="gradio is not installed: pip install 'a3t[app]'")
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

from gradio_client import Client, exceptions, handle_file

from a3t.demo import example_recording
from a3t.errors import InputError
from app.__main__ import launch
from app.service import Service

TEXT = "And you always want to see it in the superlative degree."


@pytest.fixture(scope="module")
def sentence() -> Path:
    try:
        return example_recording()
    except InputError:
        pytest.skip("pysptk, which holds the sentence, is not installed")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Service:
    folder = tmp_path_factory.mktemp("app").resolve()
    (folder / "uploads").mkdir()
    return Service(folder / "uploads", folder / "results")


@pytest.fixture(scope="module")
def url(service: Service) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", str(service.uploads))
        with launch(service, "127.0.0.1", None) as address:
            yield address


@pytest.fixture(scope="module")
def client(url: str) -> Client:
    return Client(url, verbose=False, analytics_enabled=False)


def test_from_page_to_wav(client: Client, sentence: Path) -> None:
    new_text = "And you never want to see it in the superlative degree."
    audio, picture, record, text = client.predict(
        handle_file(sentence), TEXT, new_text, 0, api_name="/edit"
    )
    before, rate = soundfile.read(sentence, dtype="int16")
    after, same_rate = soundfile.read(audio, dtype="int16")
    told = json.loads(Path(record).read_text(encoding="utf-8"))
    assert same_rate == rate
    assert text == TEXT
    assert [edit["op"] for edit in told["edits"]] == ["replace"]
    (edit,) = told["edits"]
    assert np.array_equal(after[: edit["output"][0]], before[: edit["source"][0]])
    assert np.array_equal(after[edit["output"][1] :], before[edit["source"][1] :])
    assert Path(picture).read_bytes().startswith(b"\x89PNG")
    assert Path(audio).name.endswith(".edited.wav")


def test_the_record_tells_no_path_of_the_server(client: Client, sentence: Path) -> None:
    _, _, record, _ = client.predict(handle_file(sentence), TEXT, TEXT, 0, api_name="/edit")
    path = Path(json.loads(Path(record).read_text(encoding="utf-8"))["source"]["path"])
    assert path.name == str(path)


def test_recognition(client: Client, sentence: Path) -> None:
    heard = client.predict(handle_file(sentence), TEXT, api_name="/recognise")
    assert "superlative" in heard.lower()


def refusal(client: Client, *arguments: object) -> str:
    with pytest.raises(exceptions.AppError) as caught:
        client.predict(*arguments, api_name="/edit")
    message = str(caught.value)
    assert "Traceback" not in message
    assert message.count("\n") == 0
    return message


def test_refusals_are_one_sentence(client: Client, sentence: Path, tmp_path: Path) -> None:
    upload = handle_file(sentence)
    assert "upload one first" in refusal(client, None, TEXT, TEXT, 0)
    assert "no new text" in refusal(client, upload, TEXT, "  ", 0)
    assert "20000" in refusal(client, upload, TEXT, "word " * 5000, 0)
    assert "wholly" in refusal(client, upload, "A wholly different sentence of bread.", TEXT, 0)
    other = tmp_path / "notes.wav"
    other.write_text("no sound at all")
    assert "not a sound file" in refusal(client, handle_file(other), TEXT, TEXT, 0)


def test_a_path_that_was_not_uploaded_is_not_read(url: str, sentence: Path) -> None:
    """As a request by hand: gradio's own client would upload the file first."""
    for path in (str(sentence), "/etc/passwd", "../../etc/passwd", "file:///etc/passwd"):
        upload = {"path": path, "meta": {"_type": "gradio.FileData"}}
        asked = httpx.post(f"{url}/gradio_api/call/edit", json={"data": [upload, TEXT, TEXT, 0]})
        if asked.status_code == 200:
            event = asked.json()["event_id"]
            answer = httpx.get(f"{url}/gradio_api/call/edit/{event}", timeout=60).text
            assert "event: error" in answer
            assert "event: complete" not in answer
    for path in ("/etc/passwd", str(sentence)):
        assert httpx.get(f"{url}/gradio_api/file={path}").status_code in {403, 404}


def test_uploads_are_copied_and_kept_apart(service: Service, client: Client) -> None:
    """Every request has a folder of its own, and the names in it are harmless."""
    folders = list(service.results.iterdir())
    assert len(folders) == len({folder.name for folder in folders})
    for file in service.results.rglob("*"):
        assert file.resolve().is_relative_to(service.results)
