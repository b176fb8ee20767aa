"""Whisper is offered where a recording without a transcript is opened; the server is played."""

from pathlib import Path
from typing import Any

import pytest

from tests.app.browser.pages import word

pytestmark = pytest.mark.slow

OFFERED = {"state": "offered", "problem": "", "megabytes": 75, "server": "https://hub.example"}


@pytest.mark.parametrize("answer", ["Fetch", "Not now"])
def test_a_recording_without_a_text(answer: str, page: Any, arctic: Path) -> None:
    told = [{**OFFERED, "share": 0.0}]
    asked: list[str] = []

    def recogniser(route: Any) -> None:
        asked.append(route.request.method)
        if asked[-1] == "POST":
            told[0] = {**OFFERED, "state": "fetching", "share": 0.5}
        route.fulfill(json=told[0])

    page.route("**/studio/recogniser", recogniser)
    page.locator("#studio-upload").set_input_files(arctic)
    page.get_by_text("75 MB, fetched once from hub.example").wait_for()
    assert word(page).count() == 0
    page.get_by_role("button", name=answer, exact=True).click()
    if answer == "Fetch":
        page.get_by_text("50 %").wait_for()
        told[0] = {"state": "none"}
    word(page).first.wait_for()
    assert ("POST" in asked) == (answer == "Fetch")
