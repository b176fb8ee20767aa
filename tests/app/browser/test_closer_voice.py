"""The recording's own voice on the page: told while it is learnt, and what was made before it."""

from pathlib import Path
from typing import Any

import pytest

from a3t.editor import Editor
from app.processes.lanes import EditorLane
from app.service import Service
from tests.app.browser.pages import change, listened, opened, picture, upload
from tests.app.conftest import EditorThread, launched
from tests.conftest import ARCTIC
from tests.voice.conftest import learn_quickly

pytestmark = pytest.mark.slow


def test_a_closer_voice_is_offered(
    browser: Any,
    service: Service,
    editor: Editor,
    arctic: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learn_quickly(monkeypatch)
    monkeypatch.setattr("a3t.voice.adaptation_data.LEAST_SECONDS", 1.0)
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(service.folder))
    learning = Service(service.folder, service.quick._start)
    learning.quick = learning.long = service.quick
    learning.learning = EditorLane(lambda: EditorThread(lambda _: editor.in_voice(None)), False)
    with launched(learning, projects=tmp_path / "projects") as url:
        page = opened(browser, url, viewport={"width": 1280, "height": 900})
        # Nothing is learnt before it is wanted.
        page.get_by_role("button", name="Settings").click()
        learn = page.get_by_label("Learn the recording's voice in the background")
        learn.uncheck()
        page.keyboard.press("Escape")
        upload(page, arctic, ARCTIC)
        listened(page)
        change(page, "always", "never")
        assert page.locator(".voice").is_hidden()
        page.get_by_role("button", name="Settings").click()
        learn.check()
        page.keyboard.press("Escape")
        offer = page.locator(".voice button")
        offer.wait_for()
        assert "A closer voice is ready." in page.locator(".voice").inner_text()
        picture(page, "closer")
        offer.click()
        take = page.get_by_role("radio", name="Take 2")
        take.wait_for()
        assert take.get_attribute("aria-checked") == "true"
        page.locator(".voice", has_text="New words use this recording’s own voice").wait_for()
        # What is made now is made in it from the beginning.
        change(page, "superlative", "highest")
        assert page.locator(".voice button").count() == 0
        assert page.faults == []
        page.context.close()
