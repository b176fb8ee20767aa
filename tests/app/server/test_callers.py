"""Who may use /v1 where there is a page: whoever has the token, or this computer's own visitors."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from app import PageOptions, guard, limits
from app.application import application
from app.guard import MAY_CALL, Callers, Guard
from app.server.endpoints import router
from app.service import Service
from tests.app.conftest import AUTH, TOKEN
from tests.conftest import ARCTIC

READ = ["/v1/models", "/v1/voices", "/v1/jobs/none"]
LOCAL = "http://127.0.0.1:7860"
Page = Callable[[str | None, bool], TestClient]


@pytest.fixture(scope="module")
def inner(service: Service) -> Any:
    """The application behind every guard here: building it takes a second."""
    return application(service, Callers(None, True), PageOptions()).inner


@pytest.fixture
def page(inner: Any, service: Service) -> Page:
    def guarded(token: str | None, local_only: bool) -> TestClient:
        return TestClient(Guard(inner, service.folder, Callers(token, True, local_only)), LOCAL)

    return guarded


def aligned(client: TestClient, arctic: Path, **headers: str) -> httpx.Response:
    file = {"file": ("talk.wav", arctic.read_bytes())}
    return client.post("/v1/alignments", files=file, data={"text": ARCTIC}, headers=headers)


@pytest.mark.parametrize(
    ("token", "local_only"), [(TOKEN, True), (TOKEN, False), (None, False)], ids=str
)
def test_without_the_token_there_is_no_api(
    page: Page, arctic: Path, token: str | None, local_only: bool
) -> None:
    """Nor under any other path, by which a proxy might name it."""
    client = page(token, local_only)
    wrong = {"Authorization": "Bearer wrong-token"}
    for path in READ:
        assert client.get(path).status_code == client.get(path, headers=wrong).status_code == 401
        for other in (f"/speech{path}", f"/{path}", path.upper(), f"{path}/"):
            told = client.get(other, follow_redirects=True).text
            assert "owned_by" not in told and '"voices"' not in told
    refused = aligned(client, arctic)
    assert refused.status_code == 401 and "token" in refused.json()["error"]["message"]
    assert client.post("/v1/audio/speech", json={"input": "Hi."}).status_code == 401
    if token is not None:
        assert client.get("/v1/models", headers=AUTH).status_code == 200
        assert aligned(client, arctic, **AUTH).status_code == 200
    assert client.get("/studio/limits").status_code == 200  # the page is there all the same


def test_this_computer_s_page_serves_its_visitors(page: Page, arctic: Path) -> None:
    client = page(None, True)
    assert client.get("/v1/models").status_code == 200
    assert aligned(client, arctic).status_code == 200
    elsewhere = aligned(client, arctic, Origin="https://evil.example")
    assert elsewhere.status_code == 403
    stranger = aligned(client, arctic, Origin=LOCAL)  # a browser that never saw the page
    assert stranger.status_code == 403
    files = {"files": ("a.wav", b"RIFF")}
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = client.post("/gradio_api/upload", files=files, headers=headers)
        assert answer.status_code == 403 and "other sites" in answer.json()["detail"]
    for path in ("/", "/v1/models"):
        answer = client.get(path, headers={"Host": "evil.example"})
        assert answer.status_code == 403 and "only this computer" in answer.text


def test_uploads_by_visitors_are_counted(
    page: Page, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_MEGABYTES", 0)
    monkeypatch.setattr(guard, "FORM", 0)
    assert aligned(page(None, True), arctic).status_code == 413


def test_every_endpoint_asks_whether_it_may_answer(service: Service) -> None:
    """By itself, whatever stands before it."""
    app = application(service, Callers(TOKEN)).inner
    seen = []

    async def bare(scope: dict, receive: object, send: object) -> None:  # type: ignore[type-arg]
        seen.append(MAY_CALL in scope)
        await app(scope, receive, send)  # type: ignore[arg-type]

    client = TestClient(bare)  # type: ignore[arg-type]
    for route in router.routes:
        method = next(iter(route.methods))  # type: ignore[attr-defined]
        path = route.path.replace("{name}", "x")  # type: ignore[attr-defined]
        body = {"input": "x"} if path.endswith("speech") else None
        file = {"file": b"x"} if path.endswith(("edits", "alignments")) else None
        answer = client.request(
            method, path, json=body, files=file, data=file and {"new_text": "x"}
        )
        assert answer.status_code == 401, (method, path, answer.text)
    assert seen and not any(seen)
