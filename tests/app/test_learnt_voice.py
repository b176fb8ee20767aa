"""Speech and edits in a learnt voice: on the page, through its endpoints, through the server."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from a3t.commands import edit
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.model.saved_voices import OF_RECORDING
from a3t.plan.edit_limits import check_adapt
from a3t.plan.request import SpeechRequest
from app.processes.lanes import EditorLane
from app.processes.progress import Watch
from app.server.voice_folder import PromptVoice
from app.service import Service
from tests.app.conftest import EditorThread, called
from tests.conftest import ARCTIC
from tests.voice.conftest import learn_quickly

TEXT = "Nobody knew."
NEW = ARCTIC.replace("superlative", "positive")


def speech(adapt: str | float) -> SpeechRequest:
    return SpeechRequest(text=TEXT, prompt_text=ARCTIC, adapt=adapt)


class Learner(EditorLane):
    """The lane that learns, and how often it was needed."""

    def __init__(self, editor: Editor) -> None:
        self.starts = 0

        def start() -> EditorThread:
            self.starts += 1
            return EditorThread(lambda models: editor.in_voice(None))

        super().__init__(start, kept=False)


@pytest.fixture
def learner(editor: Editor) -> Learner:
    return Learner(editor)


@pytest.fixture(params=["cache", ""])
def learning(
    request: pytest.FixtureRequest,
    service: Service,
    learner: Learner,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Iterator[Service]:
    """A service that learns voices, in few steps; for its own user, and for others."""
    learn_quickly(monkeypatch)
    monkeypatch.setattr("a3t.voice.recording_adaptation.LEAST_PROMPT_SECONDS", 1.0)
    monkeypatch.setenv("A3T_CACHE", request.param and str(tmp_path / request.param))
    other = Service(service.folder, service.quick._start)
    other.quick = other.long = service.quick
    other.learning = learner
    yield other
    learner.close()


def test_a_prompt_is_learnt_once_where_that_is_asked_for(
    learning: Service, learner: Learner, upload: str
) -> None:
    def spoken(adapt: str | float) -> tuple[bytes, str | None, list[str]]:
        seen: list[tuple[float, str]] = []
        watch = Watch(lambda share, step: seen.append((share, step)))
        sound, record, said = learning.spoken(watch, upload, speech(adapt))
        assert said == ARCTIC and [share for share, _ in seen] == sorted(s for s, _ in seen)
        voice = json.loads(record.read_text(encoding="utf-8")).get("voice")
        return sound.read_bytes(), voice and voice["name"], [s for _, s in seen if "of 3" in s]

    plain = spoken("never")
    assert plain[1:] == (None, []) and learner.starts == 0
    first = spoken("auto")
    assert first[1] == OF_RECORDING and len(first[2]) == 3 and learner.starts == 1
    assert first[0] != plain[0]
    # It is known from now on, and the same bytes come at once.
    assert spoken("auto") == spoken("always") == (*first[:2], [])
    assert spoken("never") == plain and learner.starts == 1


def test_too_little_speech_is_spoken_like_as_it_is(
    learning: Service, learner: Learner, upload: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("a3t.voice.recording_adaptation.LEAST_PROMPT_SECONDS", 60.0)
    _, record, _ = learning.spoken(Watch(), upload, speech("auto"))
    assert "voice" not in json.loads(record.read_text()) and learner.starts == 0


def test_who_learns_nothing_says_so_if_it_has_to(service: Service, upload: str) -> None:
    _, record, _ = service.spoken(Watch(), upload, speech("auto"))
    assert "voice" not in json.loads(record.read_text())
    with pytest.raises(InputError, match="learns no voices"):
        service.spoken(Watch(), upload, speech("always"))


@pytest.mark.parametrize("learning", ["cache"], indirect=True)
def test_edits_by_the_server_learn_the_recordings_voice_once(
    learning: Service,
    learner: Learner,
    arctic: Path,
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("a3t.voice.recording_adaptation.LEAST_SECONDS", 1.0)

    def edited(by: Service = learning, status: int = 200, **fields: str) -> bytes:
        with arctic.open("rb") as file:
            form = {"text": ARCTIC, "new_text": NEW, "reply": "recording", **fields}
            client = called(by)
            answer = client.post("/v1/edits", files={"file": file}, data=form)
        assert answer.status_code == status, answer.text
        return answer.content

    plain = edited()
    assert edited(service, adapt="auto") == plain and learner.starts == 0
    own = edited(adapt="auto")
    assert own != plain and learner.starts == 1
    assert edited(adapt="auto") == edited(adapt="always") == own
    assert edited(adapt="never") == plain
    assert learner.starts == 1
    assert b"number of seconds" in edited(adapt="soon", status=400)
    assert b"learns no voices" in edited(service, adapt="always", status=400)


@pytest.mark.parametrize("given", ["", "0", "soon", "nan", "-1", "inf", None, [], "9" * 5000 + "x"])
def test_what_is_no_time_is_refused(given: object) -> None:
    with pytest.raises(InputError, match="always, auto, never or a number of seconds"):
        check_adapt(given)


def test_requests_have_the_options_values() -> None:
    values = ("auto", "always", "never", "20", 20, 20.5)
    assert [check_adapt(value) for value in values] == ["auto", "always", "never", 20.0, 20.0, 20.5]


@pytest.mark.parametrize("learning", ["cache"], indirect=True)
def test_the_servers_voices_are_learnt_once(
    learning: Service, learner: Learner, arctic: Path
) -> None:
    """But for those that `a3t voice make` has learnt, whose requests go to that voice."""
    client = called(learning, {"awb": PromptVoice("awb", arctic, ARCTIC, learnt=False)})

    def said(**fields: object) -> bytes:
        body = {"voice": "awb", "input": TEXT, "response_format": "pcm", **fields}
        answer = client.post("/v1/audio/speech", json=body)
        assert answer.status_code == 200, answer.text
        return answer.content

    plain = said(adapt="never")
    assert learner.starts == 0
    first = said()
    assert first != plain and learner.starts == 1
    assert said() == said(adapt="always") == first and said(adapt="never") == plain
    assert learner.starts == 1
    refused = client.post("/v1/audio/speech", json={"input": TEXT, "adapt": "soon"})
    assert refused.status_code == 400 and "number of seconds" in refused.text


@pytest.mark.parametrize("learning", ["cache"], indirect=True)
def test_one_request_gives_the_same_bytes_wherever_it_is_made(
    learning: Service, editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    """By the shell, a list, a replay, HTTP and Python, each of which learns the voice itself."""
    talk = tmp_path / "talk.wav"
    talk.write_bytes(arctic.read_bytes())
    fields = {"text": ARCTIC, "new_text": NEW, "adapt": "always"}
    words = [f"--text={ARCTIC}", f"--new-text={NEW}", "--adapt=always"]
    (tmp_path / "list.jsonl").write_text(json.dumps({"wav": "talk.wav", **fields}))
    record = str(tmp_path / "shell.edit.json")
    commands = {
        "shell.wav": ["--wav", str(talk), *words],
        "talk.edited.wav": ["--manifest", str(tmp_path / "list.jsonl"), "--jobs", "1"],
        "again.wav": ["--replay", record],
    }

    def over_http() -> bytes:
        client = called(learning)
        with talk.open("rb") as file:
            form = {**fields, "reply": "recording"}
            return client.post("/v1/edits", files={"file": file}, data=form).content

    def from_python() -> bytes:
        plain = editor.in_voice(None)  # of which nobody knows the voice
        plain.voices = None
        return plain.edit(talk, **fields).save(tmp_path / "python.wav").read_bytes()

    made = []
    for name, command in commands.items():
        many = "--jobs" in command
        out = ["--out-dir", str(tmp_path)] if many else ["--out", str(tmp_path / name)]
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        assert edit.main([*command, *out]) == 0
        made.append((tmp_path / name).read_bytes())
    for make in (over_http, from_python):
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)
        made.append(make())
    assert len(set(made)) == 1
    assert json.loads(Path(record).read_text())["voice"]["name"] == OF_RECORDING
