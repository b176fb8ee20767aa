"""Each API asked for what no client would ask: /v1, the page's jobs, and Gradio's endpoints answer
with a sentence or rightly, and a project is as it was."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from starlette.testclient import TestClient

from app.server.voice_folder import voices_in
from app.service import Service
from app.studio.studio import Studio
from tests.app.conftest import EDIT_OPTIONS, called
from tests.app.studio.conftest import Project, change, client_of
from tests.conftest import ARCTIC
from tests.fuzz.corpus import VALUES

WRONG: list[Any] = [*VALUES, [{}], [[1]], {"tokens": [1]}, -(2**40), "../../x", "9" * 5000,
                    {"path": 5}, {"path": None, "meta": {"_type": "gradio.FileData"}}]  # fmt: skip
NO_REQUESTS = [b"", b"[", b"[]", b"null", b'"x"', b"\xff\xfe", b"[" * 100_000,
               b'{"data":' + b"[" * 50_000, b'{"input":' + b"[" * 9000]  # fmt: skip
EDIT = {"after": -1, "tokens": [], "text": "well,", "take": 0, "accepted": False}
CUT = EDIT | {"text": "", "cut": {"kind": "pause", "action": "cut", "start": 0.1, "end": 0.2}}
SETTINGS = {
    "speed": 1.0, "fit": False, "margin": 25, "match": ["room"], "seed": 0,
    "model": "small", "vocoder": "builtin", "aligner": "a3t", "voice": "",
}  # fmt: skip
JOBS: dict[str, dict[str, Any]] = {
    "script": {"steps": [{"n": 1, "gone": [], "come": [CUT]},
                         {"n": 2, "correct": [EDIT | {"right": 1}]},
                         {"n": 3, "now": {"times": [[0, 0.0, 0.1]], "marks": True,
                                          "speakers": [["ANN", [[0, 1]]]]}}],
               "draft": {"first": 0, "last": 1, "text": "x", "mode": "insert"},
               "settings": SETTINGS},
    "takes": {"key": "0" * 16, "pace": 1.0, "duration": 0.5, "take": 0, "word": 0, "seconds": 1},
    "names": {"text": "Nguyen=win"},
    "cleaning": {"kinds": ["pause"], "action": "cut", "longest": 1.2},
    "look": {"seconds": 1.0},
    "speakers": {"count": 2},
    "pronounce": {"word": "", "said": "x"},
    "export": {"kind": ".wav"},
    "recordings": {"upload": "x", "text": "we met", "kind": "track"},
    "recordings/remove": {"file": "said-0123456789ab.wav"},
}  # fmt: skip
SPEECH = {"input": "x", "model": "small", "voice": "awb", "response_format": "wav", "speed": 9}
ENDPOINTS = {
    "edit": [None, "a", "b", *EDIT_OPTIONS], "plan": [None, "a", "b", 1.0, ""],
    "tts": [None, "a", "b", 1.0, 0, "never", "never"], "align": [None, "a"],
    "transcribe": [None, "a"],
}  # fmt: skip


@dataclass
class Api:
    """An API: its client, requests that it would understand by their addresses, others for which
    there are bodies, how many values come to each place, and what it may answer."""

    client: Any
    requests: dict[str, Any]
    others: list[str]
    every: int
    statuses: set[int]

    def sent(self, path: str, body: bytes, kind: str = "application/json") -> httpx.Response:
        found: httpx.Response = self.client.post(path, content=body, headers={"content-type": kind})
        if found.status_code == 200 and "event_id" in found.text:  # Gradio's answer comes later
            return self.client.get(f"{path}/{found.json()['event_id']}")  # type: ignore[no-any-return]
        return found

    def check(self, answer: httpx.Response, *what: Any) -> None:
        """The answer is a right one, or one sentence."""
        text = answer.text
        if text.startswith("event:"):
            assert text.startswith("event: error") and "event: complete" not in text, what
            told = json.loads(text.partition("data: ")[2])
        else:
            assert answer.status_code in self.statuses, (what, answer.status_code, text[:300])
            if answer.status_code == 200:
                return
            told = answer.json()
        sentence = told.get("detail") or told.get("error")
        sentence = sentence["message"] if isinstance(sentence, dict) else str(sentence)
        # It may repeat what was given.
        assert sentence and "\n" not in sentence, (what, text)
        assert len(sentence) < 500 + len(str(what[-1])), (what, text)
        assert "went wrong" not in sentence and "Traceback" not in sentence, (what, text)


@pytest.fixture(scope="module")
def hostile(
    service: Service, arctic: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Project]:
    upload = service.folder / "hostile.wav"
    upload.write_bytes(arctic.read_bytes())
    with client_of(Studio(service, tmp_path_factory.mktemp("projects"))) as client:
        made = Project(client, {"upload": str(upload), "text": ARCTIC})
        made.save(change(made.listened(), "always", "never"))
        made.made()
        yield made


@pytest.fixture(scope="module")
def programs(
    service: Service, arctic: Path, tmp_path_factory: pytest.TempPathFactory
) -> TestClient:
    voices = tmp_path_factory.mktemp("voices")
    (voices / "awb.wav").write_bytes(arctic.read_bytes())
    return called(service, voices_in(voices))


@pytest.fixture
def api(request: pytest.FixtureRequest, capfd: pytest.CaptureFixture[str]) -> Iterator[Api]:
    """The API of this name; nothing of it reaches the log."""
    with API[request.param](request.getfixturevalue) as found:
        yield found
    assert "Traceback" not in capfd.readouterr().err


@contextmanager
def jobs(fixture: Callable[[str], Any]) -> Iterator[Api]:
    project = fixture("hostile")
    requests = {f"{project.at}/{name}": body for name, body in JOBS.items()}
    before = project.state
    yield Api(project.client, requests, ["/projects", "/text"], 9, {200, 400})
    assert project.client.get("/projects").status_code == 200
    after = project.state  # whatever was saved can be read again
    assert {edit["key"] for edit in before["edits"]} <= {edit["key"] for edit in after["edits"]}
    assert {token[1] for token in before["tokens"]} <= {token[1] for token in after["tokens"]}


@contextmanager
def v1(fixture: Callable[[str], Any]) -> Iterator[Api]:
    others = ["/v1/edits", "/v1/alignments"]
    refusals = set(range(400, 500))
    yield Api(fixture("programs"), {"/v1/audio/speech": SPEECH}, others, 4, {200, *refusals})


@contextmanager
def gradio(fixture: Callable[[str], Any]) -> Iterator[Api]:
    others = ["queue/join", "run/edit", "api/edit", "upload", "cancel", "reset", "stream/x"]
    requests = {f"call/{name}": {"data": usual} for name, usual in ENDPOINTS.items()}
    with httpx.Client(base_url=f"{fixture('url')}/gradio_api/", timeout=600) as client:
        yield Api(client, requests, others, 25, set(range(400, 500)))


API = {"jobs": jobs, "v1": v1, "gradio": gradio}
each_api = pytest.mark.parametrize("api", API, indirect=True)


def places(body: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a body at which something else may stand."""
    found = [at] if at else []
    if isinstance(body, dict | list):
        for key, inner in body.items() if isinstance(body, dict) else enumerate(body):
            found += places(inner, (*at, key))
    return found


def with_value(body: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    copy = dict(body) if isinstance(body, dict) else list(body)
    copy[place[0]] = with_value(copy[place[0]], place[1:], value)
    return copy


@each_api
def test_wrong_values_are_answered_and_change_nothing(api: Api) -> None:
    """Each value in the place of each part of a request; of long requests, in some places."""
    for path, usual in api.requests.items():
        for number, place in enumerate(places(usual)):
            for value in WRONG[number % api.every :: api.every]:
                body = with_value(usual, place, value)
                body |= {"page": uuid4().hex} if path.endswith("/script") else {}
                # NaN, 10**400 and surrogates too
                api.check(api.sent(path, json.dumps(body).encode()), path, place, value)


@each_api
def test_bodies_that_are_no_request(api: Api) -> None:
    for path in [*api.requests, *api.others]:
        for body in NO_REQUESTS:
            answer = api.sent(path, body)
            assert 400 <= answer.status_code < 500 or path in api.requests, (path, body[:20])
            assert answer.status_code < 500, (path, body[:20], answer.text[:200])


@pytest.mark.parametrize("api", ["v1"], indirect=True)
def test_wrong_forms(api: Api) -> None:
    for path in api.others:
        for body in NO_REQUESTS:
            for kind in ("multipart/form-data", "multipart/form-data; boundary=x"):
                api.check(api.sent(path, body, kind), path, body[:20])
    for field in ("text", "new_text", "speed", "fit", "seed", "response_format", "reply"):
        for value in ("\0", "nan", "-1", "9" * 400, "1e999", "\x85", "é" * 300_000):
            form = {"new_text": "we met", "reply": "recording", field: value}
            files = {"file": ("../x.wav", b"no sound")}
            api.check(api.client.post("/v1/edits", data=form, files=files), field, value[:20])


@pytest.mark.parametrize("api", ["v1"], indirect=True)
@pytest.mark.parametrize(
    "path, field",
    [*(("/v1/edits", field) for field in ("said", "from", "with")), ("/v1/cleanings", "with")],
)
def test_wrong_further_files(
    api: Api, path: str, field: str, service: Service, arctic: Path
) -> None:
    """Whatever they are called and hold, nothing is written but in the service's folder."""
    form = {"new_text": "we met", "text": ARCTIC, "reply": "recording"}
    recording = ("file", ("talk.wav", arctic.read_bytes()))
    around = {*service.folder.parent.iterdir()}
    names = [
        "../../x.wav",
        "/x.wav",
        "..",
        ".",
        "x" * 5000,
        "\U00020000" * 300,
        "a\\b",
        "é\r\n.wav",
    ]
    files = [(name, b"no sound") for name in (*names, f"{service.folder.parent}/x.wav")]
    files += [("x.wav", content) for content in (b"", b"RIFF", recording[1][1][:40], bytes(1000))]
    for sent in [*([each] for each in files), [("x.wav", b"x")] * 400]:
        answer = api.client.post(path, data=form, files=[recording, *((field, x) for x in sent)])
        assert answer.status_code == 400 and str(service.folder) not in answer.text
        api.check(answer, path, sent[0][0])
    answer = api.client.post(path, data=form | {field: "x"}, files=[recording])
    assert f"“{field}” is text" in answer.json()["detail"]
    assert {*service.folder.parent.iterdir()} == around


@pytest.mark.parametrize("api", ["jobs", "gradio"], indirect=True)
def test_what_was_not_uploaded_is_not_read(api: Api, service: Service, arctic: Path) -> None:
    """However its path is written, and whatever links lie on it."""
    secret = service.folder.parent / "secret.wav"
    sibling = service.folder.with_name(f"{service.folder.name}-other") / "a.wav"
    sibling.parent.mkdir(exist_ok=True)
    for path in (secret, sibling):
        path.write_bytes(arctic.read_bytes())
    for name, target in (("link.wav", secret), ("loop.wav", service.folder / "loop.wav")):
        (service.folder / name).unlink(missing_ok=True)
        (service.folder / name).symlink_to(target)
    paths = [*map(str, (arctic, secret, sibling)), "", "../x", "a\0b", "x" * 5000, "/etc/passwd",
             "file:///etc/passwd", *(f"{service.folder}/{name}" for name in
             ("../secret.wav", "link.wav", "loop.wav"))]  # fmt: skip
    for upload in [None, 5, [], {}, *paths]:
        for path in api.others[:2] if "/text" in api.others else ["call/edit"]:
            body: Any = {"upload": upload, "text": [[], {}]}
            if path == "call/edit":
                handed = {"path": upload, "meta": {"_type": "gradio.FileData"}}
                body = {"data": [handed, ARCTIC, ARCTIC, *EDIT_OPTIONS]}
            plain = json.dumps(body)
            # The same JSON to whoever parses it, and no "path" to whoever looks for it.
            for text in (plain, plain.replace('"path"', '"p\\u0061th"')):
                answer = api.sent(path, text.encode())
                api.check(answer, path, upload)
                assert answer.text.startswith("event: error") or answer.status_code >= 400
                assert str(service.folder) not in answer.text and "root:" not in answer.text


@pytest.mark.parametrize(
    "token", ["", "x", "Bearer", "Bearer é", "Basic x", "Bearer " + "x" * 9000]
)
def test_wrong_tokens(token: str, programs: TestClient) -> None:
    given = {"Authorization": token.encode("latin-1")}
    assert programs.get("/v1/models", headers=given).status_code == 401  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["x", "..", "%2e%2e", "..%2f..%2fetc", "0" * 24, "x" * 5000, "%00", "a/b"]
)
def test_what_is_nobodys(name: str, programs: TestClient, hostile: Project, url: str) -> None:
    for path in (f"/v1/jobs/{name}", f"/v1/jobs/{name}/recording", f"/v1/jobs/{name}/edit.json"):
        assert programs.get(path).status_code == 404
    assert programs.delete(f"/v1/jobs/{name}").status_code in (404, 405)
    assert hostile.client.get(f"/projects/{name}").status_code in (200, 404)
    assert hostile.client.get(f"/web/{name}").status_code in (404, 405)
    assert hostile.client.post(f"/projects/{name}/delete").status_code in (404, 405)
    for path in (f"call/edit/{name}", f"call/nothing/{name}"):
        answer = httpx.get(f"{url}/gradio_api/{path}", timeout=600)
        assert "doesn't know that request" in answer.text or answer.status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "sound/99999999999999999999", "sound/" + "9" * 5000, "sound/-1", "sound/x",
        "peaks/0?first=99999999999&count=999999999999", "peaks/9", "peaks/" + "9" * 5000,
        "peaks/0?first=-1&count=²", "spectrogram/0/999999999", "spectrogram/7/0",
        "spectrogram/" + "9" * 5000 + "/0", "takes/..%2f..-0/sound",
        "takes/0000000000000000-1/sound",
        "takes/0000000000000000-999999/spectrogram", "takes/%00/sound", "download", "nothing",
    ],
)  # fmt: skip
def test_addresses_of_nothing(path: str, hostile: Project) -> None:
    answer = hostile.client.get(f"{hostile.at}/{path}")
    assert answer.status_code in (200, 404, 400)
    assert len(answer.content) < 2_000_000
