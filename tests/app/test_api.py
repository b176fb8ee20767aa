"""The endpoints for programs, through Gradio's own client and a local server."""

import json
import re
from pathlib import Path

import pytest
import soundfile
from gradio_client import Client, exceptions, handle_file

from a3t.editor import Editor
from a3t.projects.export.exports import export
from app.service import Service
from app.texts import DEPARTURES
from tests.app.conftest import EDIT_OPTIONS
from tests.conftest import ARCTIC, NEVER, assert_untouched

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


@pytest.fixture(scope="module")
def client(url: str) -> Client:
    return Client(url, verbose=False, analytics_enabled=False)


def test_the_endpoints_and_nothing_else(client: Client) -> None:
    described = client.view_api(return_format="dict", print_info=False)
    endpoints = described["named_endpoints"]
    assert set(endpoints) == {
        "/transcribe", "/plan", "/edit", "/tts", "/align", "/check", "/inspect"
    }  # fmt: skip
    assert all(each["description"] for each in endpoints.values())
    edit = {field["parameter_name"]: field for field in endpoints["/edit"]["parameters"]}
    assert list(edit)[:5] == ["recording", "text", "new_text", "speed", "seed"]
    assert {"fit", "match", "candidates", "changes"} < set(edit)
    assert edit["changes"]["python_type"]["type"] == "str"
    assert edit["new_text"]["python_type"]["type"] == "str"
    assert edit["recording"]["python_type"]["type"] == "filepath"
    assert described["unnamed_endpoints"] == {}
    for name, fields in re.findall(r"^\| `(/\w+)` \| (.*?) \|", PAGE.read_text(), re.MULTILINE):
        told = [field.partition("=")[0] for field in re.findall(r"`([^`]+)`", fields)]
        own = [field["parameter_name"] for field in endpoints[name]["parameters"]]
        assert [field for field in own if field in told] == told, name
        assert own == told or name == "/edit", name


def test_edit(client: Client, arctic: Path, editor: Editor, tmp_path: Path) -> None:
    before, after, picture, left, audio, record, textgrid, text = client.predict(
        recording=handle_file(arctic), text=ARCTIC, new_text=NEVER, api_name="/edit"
    )
    result = editor.edit(arctic, text=ARCTIC, new_text=NEVER)
    out = result.save(tmp_path / f"{arctic.stem}.edited.wav")
    assert Path(audio).read_bytes() == Path(after).read_bytes() == out.read_bytes()
    (shell_grid,) = export(result, out, ["textgrid"])
    assert Path(textgrid).read_bytes() == shell_grid.read_bytes()
    assert Path(before).read_bytes() == arctic.read_bytes()
    assert Path(picture).read_bytes().startswith(b"\x89PNG")
    before, rate = soundfile.read(arctic, dtype="int16")
    after, same_rate = soundfile.read(audio, dtype="int16")
    told = json.loads(Path(record).read_text(encoding="utf-8"))
    assert same_rate == rate
    assert (text, left) == (ARCTIC, "")
    (edit,) = told["edits"]
    assert edit["op"] == "replace"
    assert_untouched([edit], before, after)
    assert Path(audio).name == f"{arctic.stem}.edited.wav"
    assert Path(record).name == f"{arctic.stem}.edited.edit.json"
    assert told["source"]["path"] == arctic.name  # and no folder of the server


def test_fields_have_sound_defaults(client: Client, arctic: Path) -> None:
    preview, plan = client.predict(
        recording=handle_file(arctic), new_text=NEVER, text=ARCTIC, api_name="/plan"
    )
    assert [(each["token"].strip(), each["class_or_confidence"]) for each in preview][1:3] == [
        ("always", "deleted"),
        ("never", "new"),
    ]
    (edit,) = plan["edits"]
    assert (edit["old_words"], edit["new_words"]) == ("always", "never")
    _, fast = client.predict(
        recording=handle_file(arctic), new_text=NEVER, text=ARCTIC, speed=2.0, api_name="/plan"
    )
    assert fast["edits"][0]["frames"] < 0.7 * edit["frames"]


def test_of_the_differences_from_a_recognised_text_the_chosen_are_made(
    client: Client, arctic: Path
) -> None:
    asked = {"recording": handle_file(arctic), "new_text": NEVER.replace("superlative", "lowest")}
    preview, plan = client.predict(**asked, api_name="/plan")
    first, second = plan["differences"]
    assert (first["number"], first["heard"], first["new"], first["ticked"]) == (
        1, "always", "never", True,
    )  # fmt: skip
    assert second["shown"] == "2. “superlative” → “lowest” after “it in the”"
    preview, plan = client.predict(**asked, changes="1", api_name="/plan")
    assert [each["ticked"] for each in plan["differences"]] == [True, False]
    pieces = {each["class_or_confidence"]: each["token"].strip() for each in preview}
    assert (pieces["deleted"], pieces["new"]) == ("always", "never")
    *_, left, _, record, _, text = client.predict(**asked, changes="1", api_name="/edit")
    assert left == "Left as recorded: 2. “superlative” (you wrote “lowest”)."
    (made,) = json.loads(Path(record).read_text(encoding="utf-8"))["edits"]
    assert made["new_words"] == "never" and "superlative" in text


def test_what_may_be_misheard_is_planned_but_not_made_unasked(client: Client, arctic: Path) -> None:
    asked = {"recording": handle_file(arctic), "new_text": ARCTIC.replace("always", "all ways")}
    _, plan = client.predict(**asked, api_name="/plan")
    (difference,) = plan["differences"]
    assert difference["verdict"] == "open" and difference["shown"].endswith("(maybe misheard)")
    preview, plan = client.predict(**asked, changes="none", api_name="/plan")
    assert (preview, plan["edits"], len(plan["differences"])) == ([], [], 1)
    with pytest.raises(exceptions.AppError, match="Choose those to make by their numbers"):
        client.predict(**asked, text="", api_name="/edit")


def test_align(client: Client, arctic: Path) -> None:
    told, textgrid, picture = client.predict(handle_file(arctic), ARCTIC, api_name="/align")
    assert "superlative" in Path(textgrid).read_text() and Path(picture).stat().st_size > 10_000
    words = [word for word in told["words"] if word["text"]]
    assert [word["text"] for word in words] == ARCTIC.lower().strip(".").split()
    assert all(0 <= word["score"] <= 1 and word["start"] < word["end"] for word in words)
    assert told["duration"] == pytest.approx(soundfile.info(arctic).duration)


def test_check_and_inspect(client: Client, arctic: Path, editor: Editor, tmp_path: Path) -> None:
    script = ARCTIC.replace("always", "never")
    found = client.predict(handle_file(arctic), script, api_name="/check")
    assert found["headers"] == DEPARTURES
    assert [row[2:] for row in found["data"]] == [["misread", "never", "always"]]
    told = client.predict(handle_file(arctic), api_name="/inspect")
    assert told.startswith(f"{arctic.name} has no record of synthetic parts")
    out = editor.edit(arctic, text=ARCTIC, new_text=NEVER).save(tmp_path / "edited.wav")
    told = client.predict(handle_file(out), api_name="/inspect")
    assert told.startswith("edited.wav: ") and "synthetic, in 1 part" in told


def test_transcribe(client: Client, arctic: Path) -> None:
    heard = client.predict(handle_file(arctic), ARCTIC, api_name="/transcribe")
    assert "superlative" in heard.lower()


def test_tts(client: Client, arctic: Path) -> None:
    job = client.submit(handle_file(arctic), "Bring the papers.", ARCTIC, 1.0, 0, api_name="/tts")
    _, audio, record, prompt_text = job.result()
    assert len(job.outputs()) > 1  # the pieces come before the whole
    info = soundfile.info(audio)
    assert info.samplerate == 24000 and 0.4 < info.duration < 4
    told = json.loads(Path(record).read_text(encoding="utf-8"))
    assert told["text"] == "Bring the papers."
    assert told["prompts"][0]["path"] == arctic.name
    assert prompt_text == ARCTIC


def test_without_ffmpeg_which_streams_the_whole_is_spoken(
    client: Client, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.gradio_requests.which", lambda _: None)
    job = client.submit(handle_file(arctic), "Bring the papers.", ARCTIC, api_name="/tts")
    assert soundfile.info(job.result()[1]).duration > 0.4
    assert len(job.outputs()) == 1


def test_a_voice_of_the_server_speaks_and_its_recording_stays(client: Client) -> None:
    *_, record, prompt_text = client.predict(
        None, "Bring the papers.", voice="example", api_name="/tts"
    )
    assert json.loads(Path(record).read_text(encoding="utf-8"))["text"] == "Bring the papers."
    assert prompt_text == ARCTIC
    assert client.view_api(return_format="dict", print_info=False)["unnamed_endpoints"] == {}


def refusal(client: Client, *arguments: object, endpoint: str = "/edit") -> str:
    with pytest.raises(exceptions.AppError) as caught:
        client.predict(*arguments, api_name=endpoint)
    message = str(caught.value)
    assert "Traceback" not in message and 'File "' not in message
    assert message.count("\n") == 0
    return message


def test_refusals_are_one_sentence(client: Client, arctic: Path, tmp_path: Path) -> None:
    upload = handle_file(arctic)
    assert "upload or record one first" in refusal(client, None, ARCTIC, ARCTIC, *EDIT_OPTIONS)
    assert "no new text" in refusal(client, upload, ARCTIC, "  ", *EDIT_OPTIONS)
    assert "200000" in refusal(client, upload, ARCTIC, "word " * 50000, *EDIT_OPTIONS)
    assert "maximum value 4.0" in refusal(client, upload, ARCTIC, NEVER, 9.0, *EDIT_OPTIONS[1:])
    other_words = "A wholly different sentence about bread and butter."
    assert "wholly" in refusal(client, upload, other_words, ARCTIC, *EDIT_OPTIONS)
    assert "nothing to speak" in refusal(client, upload, "", ARCTIC, endpoint="/tts")
    notes = tmp_path / "notes.wav"
    notes.write_text("no sound at all")
    assert "not a sound file" in refusal(client, handle_file(notes), ARCTIC, ARCTIC, *EDIT_OPTIONS)


def test_html_in_a_text_stays_text(client: Client, arctic: Path) -> None:
    script = "<img src=x onerror=alert(1)> <script>alert(2)</script> Καλημέρα"
    message = refusal(client, handle_file(arctic), ARCTIC, script, *EDIT_OPTIONS)
    assert "<" not in message


def test_internal_errors_are_not_revealed(
    client: Client, arctic: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret of the server")

    monkeypatch.setattr(Service, "edit", broken)
    message = refusal(client, handle_file(arctic), ARCTIC, NEVER, *EDIT_OPTIONS)
    assert "secret" not in message and "went wrong" in message
