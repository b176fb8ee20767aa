"""Speakers told apart by a button, and named."""

from pathlib import Path
from typing import Any

import pytest

from app.studio import word_corrections
from app.studio.work import listening
from tests.app.browser.pages import listened, picture, upload
from tests.conftest import ARCTIC

pytestmark = pytest.mark.slow


def test_speakers_are_told_apart_and_named(
    page: Any, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_corrections, "require_packages", lambda: None)
    monkeypatch.setattr("app.studio.project.tells_speakers", lambda: True)
    by_sound = lambda recording, aligned, text, count: [0] * 4 + [1] * 5 + [0] * 2  # noqa: E731
    monkeypatch.setattr(listening, "speakers_by_sound", by_sound)
    upload(page, arctic, ARCTIC)
    listened(page)

    def shown(*names: str) -> None:
        page.wait_for_function(
            "(names) => [...document.querySelectorAll('.speaker')].map((each) => each.textContent)"
            ".join() === names",
            arg=",".join(names),
        )

    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Tell the speakers apart").click()
    picture(page, "how many speak")
    page.get_by_role("button", name="2", exact=True).click()
    shown("Speaker 1", "Speaker 2", "Speaker 1")
    page.get_by_role("button", name="Speaker 1").first.click()
    page.locator("dialog[open] input").fill("Anna")
    picture(page, "who is this")
    page.get_by_role("button", name="Everywhere").click()
    shown("ANNA", "Speaker 2", "ANNA")
    page.get_by_role("button", name="ANNA").last.click()
    page.locator("dialog[open] input").fill("Bob")
    page.keyboard.press("Enter")  # as the first answer: everywhere
    shown("BOB", "Speaker 2", "BOB")
    picture(page, "speakers")
    page.set_viewport_size({"width": 390, "height": 844})
    picture(page, "speakers phone")
    page.keyboard.press("Control+z")
    shown("ANNA", "Speaker 2", "ANNA")
    page.keyboard.press("Control+z")
    shown("Speaker 1", "Speaker 2", "Speaker 1")
    page.keyboard.press("Control+z")
    shown()
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="Tell the speakers apart").wait_for()
