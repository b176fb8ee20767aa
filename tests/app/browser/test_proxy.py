"""The page in a browser, behind a reverse proxy that serves it under a path, with a login."""

import re
from typing import Any

import pytest

from app.service import Service
from tests.app.browser.pages import READY, watched, word
from tests.app.conftest import launched
from tests.app.proxy import under_a_path

pytestmark = pytest.mark.slow


def test_words_sound_and_picture_under_a_path(
    browser: Any, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(service.folder))
    with (
        launched(service, root_path="/speech", auth=("ann", "secret")) as address,
        under_a_path(address, "/speech") as there,
    ):
        page = watched(browser.new_page(), there)
        page.goto(f"{there}/editor")
        page.get_by_label("Name").fill("ann")
        for password, after in (
            ("wrong", page.get_by_role("alert")),
            ("secret", page.locator(READY)),
        ):
            page.get_by_label("Password").fill(password)
            page.get_by_role("button", name="Log in").click()
            after.wait_for()
        # A wrong password, and the next one too soon.
        page.faults = [fault for fault in page.faults if not re.search("40|429", fault)]
        page.locator("#studio-example").click()
        word(page).first.wait_for()
        page.get_by_role("button", name="Spectrogram").click()
        page.get_by_role("button", name="Play", exact=True).last.click()
        page.wait_for_function(
            "() => window.a3tApp.transport.place > 0.3 * window.a3tApp.sound.sample_rate"
        )
        page.wait_for_function("() => [...window.a3tApp.audio.axis.pictures.images.values()][0]")
        assert page.faults == []
        page.context.close()
