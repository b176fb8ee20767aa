"""The page behind a reverse proxy, under a path."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from gradio_client import Client, handle_file

from app.service import Service
from tests.app.conftest import launched
from tests.app.proxy import under_a_path
from tests.conftest import ARCTIC


@pytest.fixture(scope="module")
def shown_at(service: Service) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", str(service.folder))
        with (
            launched(service, root_path="/speech") as address,
            under_a_path(address, "/speech") as shown,
        ):
            yield shown


def test_the_page_knows_its_path(shown_at: str) -> None:
    page = httpx.get(f"{shown_at}/")
    assert page.status_code == 200
    assert httpx.get(f"{shown_at}/config").json()["root"].endswith("/speech")
    assert httpx.get(shown_at.replace("/speech", "/")).status_code == 404


def test_the_endpoints_answer_there(shown_at: str, arctic: Path) -> None:
    client = Client(f"{shown_at}/", verbose=False, analytics_enabled=False)
    plan = client.predict(
        handle_file(arctic), ARCTIC.replace("always", "never"), ARCTIC, 1.0, api_name="/plan"
    )
    assert [edit["op"] for edit in plan["edits"]] == ["replace"]
