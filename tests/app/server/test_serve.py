"""The server, as OpenAI's own client and other programs use it."""

import ast
import gc
import io
import json
import re
import threading
import time
import weakref
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

import httpx
import numpy as np
import pytest
import soundfile as sf

from a3t.audio.output.provenance import provenance_of
from a3t.audio.reading.recording import Recording
from a3t.commands.app import token_of
from a3t.commands.editing.said_by import said_by
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.fetching.speech_server import KEY, SpeechServer
from a3t.plan.prompt import SpeechPlan
from a3t.plan.request import EditRequest
from a3t.projects.project_edit import ProjectEdit
from a3t.rendering.renderer import Renderer
from a3t.text.transcript import Transcript
from app import limits
from app.application import application, served
from app.guard import Callers
from app.processes.request_jobs import RequestJob, RequestJobs
from app.server.voice_folder import voices_in
from app.service import Service
from tests.app.conftest import AUTH, TOKEN, EditorThread
from tests.audio.films import film
from tests.conftest import ARCTIC, assert_untouched

if TYPE_CHECKING:  # importing it takes a second, in each of the tests' processes
    import openai

NEW = ARCTIC.replace("superlative", "positive")


@pytest.fixture(scope="module")
def address(
    tmp_path_factory: pytest.TempPathFactory, editor: Editor, arctic: Path
) -> Iterator[str]:
    """A server on a free port, with the session's editor and one voice, “awb”."""
    folder, voices = (tmp_path_factory.mktemp(name).resolve() for name in ("serve", "voices"))
    (voices / "awb.wav").write_bytes(arctic.read_bytes())
    (voices / "awb.txt").write_text(ARCTIC, encoding="utf-8")
    service = Service(folder, lambda: EditorThread(lambda models: editor.in_voice(None)))
    app = application(service, Callers(TOKEN, local_only=True), voices=voices_in(voices))
    with served(app, "127.0.0.1", None) as url:
        yield url


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, headers=AUTH, timeout=600) as made:
        yield made


@pytest.fixture
def official(address: str) -> "openai.OpenAI":
    import openai

    return openai.OpenAI(base_url=f"{address}/v1", api_key=TOKEN, timeout=600, max_retries=0)


def test_the_official_client_gets_speech(official: "openai.OpenAI") -> None:
    """In every format that it asks for, and all say the same."""
    lengths = {}
    for kind in ("wav", "mp3", "opus", "flac", "aac", "pcm"):
        answer = official.audio.speech.create(
            model="small",
            voice="awb",
            input="See it.",
            response_format=kind,  # type: ignore[arg-type]
        )
        data = answer.read()
        if kind == "pcm":
            lengths[kind] = len(data) / 2 / 24_000
        elif kind == "aac":
            assert data[:1] == b"\xff"
        else:
            samples, rate = sf.read(io.BytesIO(data))
            assert np.abs(samples).max() > 0.01
            lengths[kind] = len(samples) / rate
    assert max(lengths.values()) - min(lengths.values()) < 0.15
    assert [model.id for model in official.models.list()] == ["small"]


def test_fields_that_are_null_are_as_if_left_out(client: httpx.Client) -> None:
    names = ("model", "voice", "response_format", "stream_format", "speed", "seed", "instructions")
    answer = client.post("/v1/audio/speech", json=dict.fromkeys(names) | {"input": "Hi."})
    assert answer.status_code == 200 and answer.headers["content-type"] == "audio/mpeg"


def test_refusals_recommend_no_option_of_the_command_line() -> None:
    """What is raised below the commands reaches callers of /v1 too; those of a folder don't."""
    folders = ("a3t/audio", "a3t/plan", "a3t/source", "a3t/text", "a3t/rendering", "alignment")
    modules = [path for folder in (*folders, "app") for path in Path(folder).rglob("*.py")]
    for path in modules:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise):
                texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
                named = re.search(r"(?<![\w-])--[a-z]", " ".join(filter(_is_text, texts)))
                assert not named or "--port" in str(texts) or "--out" in str(texts), (path, texts)


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


@pytest.mark.parametrize("kind", ["mp3", "pcm"])
def test_speech_is_sent_as_it_is_made(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The second piece is made when the first has arrived, and nothing is kept of either."""
    arrived, speak = threading.Event(), Renderer.speak
    results: list[weakref.ref[RequestJob]] = []
    start = RequestJobs.start

    def halting(self: Renderer, plan: SpeechPlan) -> Iterator[np.ndarray]:
        yield from speak(self, plan)
        assert arrived.wait(60)
        yield np.zeros(24_000, np.float32)

    def noted(self: RequestJobs, *arguments: Any, **options: Any) -> RequestJob:
        results.append(weakref.ref(job := start(self, *arguments, **options)))
        return job

    monkeypatch.setattr(Renderer, "speak", halting)
    monkeypatch.setattr(RequestJobs, "start", noted)
    body = {"input": "See it.", "voice": "awb", "response_format": kind}
    with client.stream("POST", "/v1/audio/speech", json=body) as answer:
        received = answer.iter_bytes()
        first = len(next(received))
        arrived.set()
        rest = sum(map(len, received))
    assert first > 1000 and rest >= (48_000 if kind == "pcm" else 1000)
    gc.collect()
    assert results and results[0]() is None


def test_the_official_client_is_told_what_is_wrong(official: "openai.OpenAI", address: str) -> None:
    import openai

    with pytest.raises(openai.BadRequestError, match="“nobody” is no voice here: use one of awb"):
        official.audio.speech.create(model="small", voice="nobody", input="Hi.")
    with pytest.raises(openai.BadRequestError, match="has no words to speak"):
        official.audio.speech.create(model="small", voice="awb", input="…")
    with pytest.raises(openai.BadRequestError, match="speed"):
        official.audio.speech.create(model="small", voice="awb", input="Hi.", speed=9)
    with pytest.raises(openai.BadRequestError, match="stream_format"):
        official.audio.speech.create(model="small", voice="awb", input="Hi.", stream_format="sse")
    form = {"files": {"file": b"x"}, "data": {"model": "whisper-1"}, "headers": AUTH}
    refused = httpx.post(f"{address}/v1/audio/translations", **form)  # type: ignore[arg-type]
    assert refused.status_code == 400 and "Translations aren't offered" in refused.text
    stranger = openai.OpenAI(base_url=f"{address}/v1", api_key="wrong", max_retries=0)
    with pytest.raises(openai.AuthenticationError, match="token is missing or wrong"):
        stranger.models.list()


def edited(client: httpx.Client, sound: Path, **data: str) -> httpx.Response:
    """The answer to a request for an edit."""
    file = {"file": (sound.name, sound.read_bytes())}
    return client.post("/v1/edits", files=file, data={"text": ARCTIC, "new_text": NEW} | data)


def test_an_edit_is_a_job(client: httpx.Client, arctic: Path) -> None:
    """With progress, a recording that differs in its span alone, and its edit.json."""
    answer = edited(client, arctic)
    assert answer.status_code == 202
    job = f"/v1/jobs/{answer.json()['id']}"
    seen = [0.0]
    while (state := client.get(job).json())["status"] == "running":
        seen.append(state["progress"])
        time.sleep(0.05)
    assert state["status"] == "done" and seen == sorted(seen)
    record = client.get(f"{job}/edit.json").json()
    assert "/" not in record["source"]["path"]
    (change,) = record["edits"]
    assert (change["old_words"], change["new_words"]) == ("superlative", "positive")
    new, _ = sf.read(io.BytesIO(client.get(f"{job}/recording").content), dtype="int16")
    old, _ = sf.read(arctic, dtype="int16")
    assert_untouched([change], old, new)


def test_a_macro_gets_the_recording_itself(client: httpx.Client, arctic: Path) -> None:
    answer = edited(client, arctic, fit="true", reply="recording")
    assert answer.status_code == 200
    new, _ = sf.read(io.BytesIO(answer.content), dtype="int16")
    assert len(new) == sf.info(arctic).frames


def test_an_edit_that_is_in_doubt_is_refused_with_the_list_to_choose_from(
    client: httpx.Client, arctic: Path
) -> None:
    """The sentence names the field that chooses, and nothing of the shell's."""
    form = {"text": "", "new_text": ARCTIC.replace("always", "all ways"), "reply": "recording"}
    refused = edited(client, arctic, **form)
    body = refused.json()
    (difference,) = body["differences"]
    assert (refused.status_code, difference["verdict"], difference["ticked"]) == (400, "open", True)
    assert difference["new"] in "all ways"
    assert "The field “changes” takes" in body["detail"] and "--" not in body["detail"]
    unknown = edited(client, arctic, **form, changes="2")
    assert unknown.status_code == 400 and "no difference 2" in unknown.json()["detail"]
    made = edited(client, arctic, **form, changes="1")
    assert made.status_code == 200 and sf.info(io.BytesIO(made.content)).frames


def test_the_best_of_so_many_candidates_is_sent(client: httpx.Client, arctic: Path) -> None:
    form = {"new_text": ARCTIC.replace("see", "want"), "reply": "recording"}
    made = edited(client, arctic, **form, candidates="2")
    assert made.status_code == 200 and sf.info(io.BytesIO(made.content)).frames
    refused = edited(client, arctic, **form, candidates="99")
    assert refused.status_code == 400 and "99 is out of range for “candidates”" in refused.text


def test_new_words_come_from_the_speakers_own_reading(
    client: httpx.Client, editor: Editor, arctic: Path
) -> None:
    """Uploaded with the recording, perhaps under its name; the record tells no folder."""
    sound, rate = sf.read(arctic, dtype="int16")
    word = editor.align(arctic, ARCTIC).spoken[2]
    first, last = round(word.start * rate), round(word.end * rate)
    talk = io.BytesIO()
    sf.write(talk, np.concatenate([sound[:first], sound[last:]]), rate, format="WAV")
    data = {"text": ARCTIC.replace("always ", ""), "new_text": ARCTIC}

    def asked(*readings: bytes, **more: str) -> httpx.Response:
        files = [("file", ("talk.wav", talk.getvalue()))]
        files += [("said", ("talk.wav", reading)) for reading in readings]
        return client.post("/v1/edits", files=files, data=data | more)

    job = f"/v1/jobs/{asked(arctic.read_bytes()).json()['id']}"
    while (state := client.get(job).json())["status"] == "running":
        time.sleep(0.05)
    assert state["status"] == "done", state
    record = client.get(f"{job}/edit.json").json()
    (part,) = record["edits"][0]["taken"]
    assert part["punch_in"] and part["path"] == "talk.wav"
    assert [other["path"] for other in record["asked"]["others"]] == ["talk.wav"]
    made, _ = sf.read(io.BytesIO(client.get(f"{job}/recording").content), dtype="int16")
    assert abs(len(made) - len(sound)) < 0.1 * rate
    other = io.BytesIO()
    sf.write(other, sound[last + rate // 10 :], rate, format="WAV")
    answer = asked(other.getvalue(), reply="recording")
    assert answer.status_code == 400
    assert "“always” isn't heard in talk.wav" in answer.json()["detail"]


def test_new_words_come_from_another_recording(
    client: httpx.Client, editor: Editor, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `--from` takes them, however it is called; what it says is recognised."""
    sound, rate = sf.read(arctic, dtype="int16")
    begin = round(editor.align(arctic, ARCTIC).spoken[7].start * rate)
    talk = io.BytesIO()
    sf.write(talk, sound[:begin], rate, format="WAV")
    files = [("file", ("talk.wav", talk.getvalue())), ("from", ("talk.wav", arctic.read_bytes()))]
    data = {"text": " ".join(ARCTIC.split()[:7]), "new_text": ARCTIC}
    job = f"/v1/jobs/{client.post('/v1/edits', files=files, data=data).json()['id']}"
    while (state := client.get(job).json())["status"] == "running":
        time.sleep(0.05)
    assert state["status"] == "done", state
    record = client.get(f"{job}/edit.json").json()
    (part,) = record["edits"][0]["taken"]
    assert part["path"] == "talk.wav" and "punch_in" not in part
    assert part["source"][1] - part["source"][0] > 0.9 * (len(sound) - begin) - 0.5 * rate
    monkeypatch.setattr("app.limits.MAX_TRACK_SECONDS", 3.0)
    answer = client.post("/v1/edits", files=files, data=data | {"reply": "recording"})
    assert answer.status_code == 400 and "together" in answer.json()["detail"], answer.text


@pytest.mark.parametrize(
    "path, data",
    [("edits", {"new_text": ARCTIC.replace("always ", "")}), ("cleanings", {"mute": "always"})],
)
def test_tracks_are_kept_in_step(
    client: httpx.Client,
    arctic: Path,
    path: str,
    data: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They come in a zip with the recording and its edit.json, as the command line writes them."""
    sound, rate = sf.read(arctic, dtype="int16")
    noise = np.random.default_rng(0).normal(0, 12, len(sound)).astype(np.int16)
    guest = io.BytesIO()
    sf.write(guest, noise, rate, format="FLAC")

    def asked(*tracks: tuple[str, bytes]) -> httpx.Response:
        files = [("file", ("talk.wav", arctic.read_bytes())), *(("with", each) for each in tracks)]
        wanted = {"text": ARCTIC, "reply": "recording"} | data
        return client.post(f"/v1/{path}", files=files, data=wanted)

    answer = asked(("../guest.flac", guest.getvalue()))
    assert answer.status_code == 200 and answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert {*archive.namelist()} == {
            "talk.edited.wav",
            "talk.edited.edit.json",
            "guest.edited.wav",
        }
        record = json.loads(archive.read("talk.edited.edit.json"))
        talk, step = (
            sf.read(io.BytesIO(archive.read(f"{name}.edited.wav")), dtype="int16")[0]
            for name in ("talk", "guest")
        )
    assert [track["path"] for track in record["tracks"]] == ["guest.flac"]
    assert [track["path"] for track in record["asked"]["tracks"]] == ["guest.flac"]
    assert len(talk) == len(step) and (len(talk) < len(sound)) == (path == "edits")
    assert np.array_equal(step[: rate // 4], noise[: rate // 4])
    assert np.array_equal(step[-rate:], noise[-rate:])
    for tracks, reason in (
        ([("guest.wav", arctic.read_bytes())], "guest.wav is the recording itself"),
        ([("talk.flac", guest.getvalue())], "have the same name"),
        ([("guest.wav", b"no sound")], "guest.wav: This is not a sound file"),
        ([(f"{k}.wav", b"no sound") for k in range(21)], "At most 20 tracks"),
    ):
        answer = asked(*tracks)
        assert answer.status_code == 400 and reason in answer.json()["detail"], answer.text
    monkeypatch.setattr("app.limits.MAX_TRACK_SECONDS", 6.0)
    answer = asked(("one.flac", guest.getvalue()), ("two.flac", guest.getvalue()))
    assert answer.status_code == 400 and "together" in answer.json()["detail"], answer.text


def test_a_telephones_recording_is_taken(
    client: httpx.Client, arctic: Path, tmp_path: Path
) -> None:
    talk = film(tmp_path / "talk.m4a", arctic, picture=None)
    answer = edited(client, talk, reply="recording")
    assert answer.status_code == 200, answer.text
    assert sf.info(io.BytesIO(answer.content)).samplerate == 48_000


def test_words_and_phones_have_their_times(client: httpx.Client, arctic: Path) -> None:
    with arctic.open("rb") as file:
        answer = client.post("/v1/alignments", files={"file": file}, data={"text": ARCTIC})
    words = [word["text"] for word in answer.json()["words"] if word["text"]]
    assert words == ARCTIC.lower().rstrip(".").split()


def test_what_can_not_be_used_gets_one_sentence(
    client: httpx.Client, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def post(path: str, content: bytes, **data: str) -> httpx.Response:
        return client.post(path, files={"file": ("../../x.wav", content)}, data=data)

    sound = arctic.read_bytes()
    no_boundary = {"Content-Type": "multipart/form-data"}
    for answer, status, sentence in [
        (post("/v1/edits", b"no sound", new_text="a", reply="recording"), 400, "not a sound"),
        (post("/v1/edits", sound, new_text="…", reply="recording"), 400, "no words"),
        (post("/v1/edits", sound, new_text="a", speed="9"), 400, "out of range"),
        (post("/v1/edits", sound), 400, "new_text"),
        (post("/v1/alignments", sound, text="Nothing of the sort is said here."), 400, "match"),
        (client.post("/v1/audio/speech", content=b"{"), 400, "is not valid JSON"),
        (client.post("/v1/audio/speech", json={}), 400, "“input” is missing"),
        (client.post("/v1/edits", content=b"x", headers=no_boundary), 400, "can't be read"),
        (client.get("/v1/jobs/none"), 404, "no such job"),
        (client.get("/v1/nothing"), 404, "Not Found"),
        (client.get("/v1/models", headers={"Host": "evil.example"}), 403, "127.0.0.1"),
        (client.get("/v1/models", headers={"Origin": "http://evil.example"}), 403, "other sites"),
        (client.get("/v1/models", headers={"Authorization": ""}), 401, "token"),
    ]:
        assert answer.status_code == status, answer.text
        message = answer.json()["error"]["message"]
        assert sentence in message and "Traceback" not in message and "/" not in message[:1]
    monkeypatch.setattr(limits, "MAX_MEGABYTES", 0)
    answer = post("/v1/edits", b"0" * 2_000_000, new_text="a")
    assert answer.status_code == 413 and "larger than 0 MB" in answer.text

    def endless() -> Iterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n'
        for _ in range(30):
            yield b"0" * 100_000

    form, spoken = "multipart/form-data; boundary=x", "application/json"
    for path, kind, status, sentence in (
        ("alignments", form, 411, "must state its length"),
        ("audio/speech", spoken, 413, "request is too large"),
    ):
        chunked = client.post(f"/v1/{path}", content=endless(), headers={"Content-Type": kind})
        assert chunked.status_code == status and sentence in chunked.text


def test_a_job_can_be_ended(client: httpx.Client, arctic: Path) -> None:
    new = NEW.replace("degree", "manner of the day")
    job = edited(client, arctic, new_text=new).json()["id"]
    client.delete(f"/v1/jobs/{job}")
    while (state := client.get(f"/v1/jobs/{job}").json())["status"] == "running":
        time.sleep(0.05)
    assert state["status"] in ("cancelled", "done")
    if state["status"] == "cancelled":
        assert client.get(f"/v1/jobs/{job}/recording").status_code == 409


def test_the_documents_name_every_endpoint(client: httpx.Client) -> None:
    """With the token that they need, and with the answers that they give."""
    document = client.get("/openapi.json").json()
    paths = document["paths"]
    assert {"/v1/audio/speech", "/v1/edits", "/v1/alignments", "/v1/jobs/{name}"} <= paths.keys()
    assert document["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"
    for path in paths.values():
        for about in path.values():
            assert about["security"] == [{"HTTPBearer": []}]
            assert "401" in about["responses"] and "422" not in about["responses"]
    spoken = paths["/v1/audio/speech"]["post"]["responses"]
    assert {"audio/mpeg", "audio/wav"} <= spoken["200"]["content"].keys() and "429" in spoken
    edited = paths["/v1/edits"]["post"]["responses"]
    kinds = {"audio/wav", "audio/flac", "application/zip"}
    assert edited["200"]["content"].keys() == kinds and "202" in edited


def test_tokens_and_voices_that_can_not_be_used(tmp_path: Path) -> None:
    assert token_of(None) is None
    (tmp_path / "token").write_text("long enough\n".replace(" ", "-"), encoding="utf-8")
    assert token_of(f"@{tmp_path / 'token'}") == "long-enough"
    for wrong in ("short", "with a space in it", "@/nowhere", "ünicode-token"):
        with pytest.raises(InputError):
            token_of(wrong)
    for folder in (tmp_path / "none", tmp_path / "token"):
        with pytest.raises(InputError, match="is not a folder"):
            voices_in(folder)
    (tmp_path / "token").unlink()
    with pytest.raises(InputError, match="has no recordings"):
        voices_in(tmp_path)


def test_transcriptions_as_openais_client_asks_for_them(
    official: "openai.OpenAI",
    client: httpx.Client,
    arctic: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the text as a hint, since the built-in recogniser is what runs here. The formats show
    what is recognised once."""
    import openai

    transcribe, kept = Editor.transcribe, {}

    def once(self: Editor, recording: Path, prior: str | None, **more: Any) -> Transcript:
        if (key := (prior, repr(more))) not in kept:
            kept[key] = transcribe(self, recording, prior, **more)
        return kept[key]

    monkeypatch.setattr(Editor, "transcribe", once)

    def asked(kind: str, **more: Any) -> Any:
        with arctic.open("rb") as file:
            return official.audio.transcriptions.create(
                model="whisper-1", file=file, response_format=kind, prompt=ARCTIC, **more
            )  # type: ignore[call-overload]

    from openai.types import audio

    expected = ARCTIC.lower().split()[:4]
    events = list(asked("json", stream=True))
    assert [event.type for event in events] == ["transcript.text.delta", "transcript.text.done"]
    assert isinstance(events[0], audio.TranscriptionTextDeltaEvent)
    assert isinstance(events[-1], audio.TranscriptionTextDoneEvent)
    assert events[0].delta == events[-1].text == asked("json").text
    for kind in ("srt", "vtt", "verbose_json"):
        with pytest.raises(openai.BadRequestError, match=f"{kind} isn't streamed"):
            asked(kind, stream=True)
    audio.TranscriptionVerbose.model_validate(
        asked("verbose_json", timestamp_granularities=["word"]).to_dict(), strict=True
    )
    assert asked("json").text.lower().split()[:4] == expected
    assert asked("text").lower().split()[:4] == expected
    detailed = asked("verbose_json", timestamp_granularities=["word"])
    assert abs(detailed.duration - 4.0) < 0.01 and detailed.language == "english"
    assert [word.word for word in detailed.words[:4]] == [w.strip(",.") for w in expected]
    assert detailed.segments[0].start == pytest.approx(detailed.words[0].start)
    assert detailed.segments[-1].avg_logprob <= 0
    assert asked("srt").startswith("1\n00:00:00,") and asked("vtt").startswith("WEBVTT\n")
    with arctic.open("rb") as file:  # without the hint, but with a name
        named = {"words": "Olwase  AO1 L W EY2 Z", "response_format": "text"}
        answer = client.post("/v1/audio/transcriptions", data=named, files={"file": file})
    assert "olwase" in answer.text.lower()
    with pytest.raises(openai.BadRequestError, match="English alone"):
        asked("json", language="de")
    with pytest.raises(openai.BadRequestError, match="response_format"):
        asked("diarized_json")


def test_words_are_muted_over_http(client: httpx.Client, arctic: Path) -> None:
    """In a job or at once; what can't be found or asked for is one sentence."""

    def asked(**fields: str) -> httpx.Response:
        with arctic.open("rb") as file:
            data = {"text": ARCTIC, "reply": "recording"} | fields
            return client.post("/v1/cleanings", data=data, files={"file": file})

    answer = asked(mute="always")
    assert answer.status_code == 200, answer.text
    before = sf.read(arctic, dtype="int16")[0]
    after = sf.read(io.BytesIO(answer.content), dtype="int16")[0]
    assert len(after) == len(before) and 0.05 < (after != before).mean() < 0.3
    for fields, reason in (
        ({"find": "noise"}, "Nothing was found"),
        ({"mute": "always,nobody"}, "has no “nobody”"),
        ({"mute": "you", "bleep": "it"}, "at once"),
        ({"find": "everything"}, "is not one of"),
    ):
        answer = asked(**fields)
        assert answer.status_code == 400 and reason in answer.json()["detail"]


def test_new_words_are_spoken_by_a_server_and_marked(
    address: str, editor: Editor, arctic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine is a3t's own here; what it says is found, spliced in and named synthetic."""
    monkeypatch.setenv(KEY, TOKEN)
    server = SpeechServer.of(f"{address}/v1?voice=awb")
    request = EditRequest(text=ARCTIC, new_text=NEW, verify=False)
    job = ProjectEdit(Recording.open(arctic), request, tmp_path / "out.wav")
    job, plan = said_by(server, editor, job, job.plan(editor))
    assert [path.name for path in tmp_path.iterdir()] == ["out.spoken1.wav"]
    (edit,) = plan.edits
    assert edit.taken and edit.new_words == "positive"
    (result,) = job.make(editor, plan)
    job.write([result])
    source, output = (sf.read(path, dtype="int16")[0] for path in (arctic, job.out))
    assert_untouched(result.record["edits"], source, output)
    traces = provenance_of(job.out).traces
    assert [trace.models.split(",")[0] for trace in traces if trace.synthetic] == ["tts-1 awb"], (
        traces
    )
    with pytest.raises(InputError):
        said_by(SpeechServer.of(f"{address}/v1?voice=nobody"), editor, job, job.plan(editor))
    assert not (tmp_path / "out.spoken2.wav").exists()
