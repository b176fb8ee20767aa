"""Speech from a prompt, on the start page."""

from pathlib import Path
from typing import Any

import pytest

from tests.app.browser.pages import picture
from tests.conftest import ARCTIC

pytestmark = pytest.mark.slow


def test_a_text_is_spoken_in_a_recording_s_voice(page: Any, arctic: Path) -> None:
    page.locator("summary", has_text="Speech from a prompt").click()
    page.locator("#speak").click()
    page.get_by_text("Choose a recording of the voice first.").wait_for()
    page.locator("#speech-upload").set_input_files(arctic)
    page.locator(".speech summary", has_text="transcript").click()
    page.locator(".speech").get_by_label("I have its transcript").fill(ARCTIC)
    page.get_by_label("What to say in this voice").fill("And you never want to see it.")
    page.locator("#speak").click()
    page.locator(".speech audio").wait_for()
    picture(page, "speech")
    seconds = (
        "() => new Promise((done) => { const audio = document.querySelector('.speech audio');"
        " if (audio.duration) done(audio.duration); audio.onloadedmetadata = () =>"
        " done(audio.duration); })"
    )
    assert 0.8 < page.evaluate(seconds) < 10
    with page.expect_download() as waiting:
        page.get_by_role("link", name="speech.json").click()
    assert ARCTIC.split()[0] in Path(waiting.value.path()).read_text()
