"""The endpoints given values of the wrong kind: one sentence each, and nothing in the log."""

import json
from collections.abc import Iterator

import httpx
import pytest

ENDPOINTS = {
    "edit": [None, "a", "b", 0, 1.0],
    "plan": [None, "a", "b", 1.0],
    "tts": [None, "a", "b", 0, 1.0, "never"],
    "align": [None, "a"],
    "transcribe": [None, "a"],
}
VALUES = [
    None, True, 1e308, 10**400, "\0", "\ud800", [[]], {"path": 5},
    {"path": None, "meta": {"_type": "gradio.FileData"}}, {"a": {"b": [1]}},
]  # fmt: skip
KIND = {"content-type": "application/json"}


def answers(url: str) -> Iterator[tuple[str, str, str]]:
    """(what was sent, where, the answer) for every field with every value, and wrong lists."""
    with httpx.Client(base_url=f"{url}/gradio_api", timeout=600) as client:

        def sent(name: str, data: object) -> str:
            body = json.dumps({"data": data}).encode()
            asked = client.post(f"/call/{name}", content=body, headers=KIND)
            if asked.status_code != 200:
                return asked.text
            return client.get(f"/call/{name}/{asked.json()['event_id']}").text

        for name, usual in ENDPOINTS.items():
            for data in (None, {}, "x", [], usual[:1], [*usual, 1, 2]):
                yield name, repr(data), sent(name, data)
            for k in range(len(usual)):
                # All fields go through one check: one endpoint gets every value.
                for value in VALUES if name == "edit" else VALUES[-2:]:
                    data = [*usual[:k], value, *usual[k + 1 :]]
                    yield name, f"{k}: {value!r}"[:40], sent(name, data)


def test_wrong_types_are_refused_with_a_sentence(
    url: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    for name, what, answer in answers(url):
        assert "event: complete" not in answer, (name, what)
        told = answer.partition("data: ")[2] or answer
        error = json.loads(told)
        sentence = error.get("error") or error.get("detail")
        assert sentence and len(str(sentence)) < 500, (name, what, answer)
        assert "went wrong inside" not in answer, (name, what, answer)
    assert "Traceback" not in capfd.readouterr().err + caplog.text


def test_an_answer_that_nobody_is_making(url: str, capfd: pytest.CaptureFixture[str]) -> None:
    for path in ("call/edit/x", "call/nothing/x", "call/edit/" + "0" * 32):
        answer = httpx.get(f"{url}/gradio_api/{path}", timeout=600)
        assert "doesn't know that request" in answer.text or answer.status_code == 404
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "path",
    ["call/edit", "queue/join", "run/edit", "api/edit", "upload", "cancel", "reset", "stream/x"],
)
def test_bodies_that_are_no_request(path: str, url: str, capfd: pytest.CaptureFixture[str]) -> None:
    bodies = [b"", b"[", b"[]", b"null", b'"x"', b"\xff\xfe", b"[" * 100_000]
    for body in [*bodies, b'{"data":' + b"[" * 50_000]:
        asked = httpx.post(f"{url}/gradio_api/{path}", content=body, headers=KIND, timeout=600)
        assert 400 <= asked.status_code < 500, (path, body[:20], asked.text[:200])
    assert "Traceback" not in capfd.readouterr().err
