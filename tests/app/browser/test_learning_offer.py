"""The voice is offered to be learnt, learnt with its speaker's consent, and used."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from a3t.user_folders import voice_names
from app.service import Service
from app.studio.routes import WEB
from tests.app.browser.pages import change, listened, opened, picture, upload
from tests.app.conftest import launched
from tests.conftest import ARCTIC
from tests.voice.conftest import quick

pytestmark = pytest.mark.slow


@pytest.fixture
def page(
    browser: Any, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Any]:
    """This computer's own page, for which one change of a sentence is worth an offer."""
    monkeypatch.setenv("A3T_VOICES", str(tmp_path / "voices"))
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(service.folder))
    monkeypatch.setattr("a3t.voice.adaptation.LEAST_SECONDS", 1.0)
    monkeypatch.setattr("a3t.voice.making.AdaptationConfig", quick)
    module = (WEB / "panels" / "learning_view.js").read_text()
    easy = module.replace("ENOUGH_S = 300", "ENOUGH_S = 1").replace("EDITS = 3", "EDITS = 1")

    def answer(route: Any) -> None:
        route.fulfill(body=easy, content_type="text/javascript")

    with launched(service, local_only=True) as address:
        page = opened(browser, address)
        page.context.route("**/learning_view.js", answer)
        page.reload()
        yield page
        assert page.faults == []
        page.context.close()


def test_a_voice_is_learnt_and_used(page: Any, arctic: Path) -> None:
    upload(page, arctic, ARCTIC)
    listened(page)
    line = page.locator(".learning")
    assert line.is_hidden()
    change(page, "always", "never")
    line.get_by_text("sound more like the speaker").wait_for()
    picture(page, "voice-offered")
    line.get_by_role("button", name="Learn it").click()
    page.get_by_role("button", name="Yes, the speaker agrees").click()
    line.get_by_text("The voice is learnt, as").wait_for()
    picture(page, "voice-learnt")
    line.get_by_role("button", name="Use it for new words").click()
    line.wait_for(state="hidden")
    (name,) = voice_names()
    assert voice_of(page, "degree", "sense") == name
    page.reload()
    assert voice_of(page, "superlative", "comparative") == name
    page.get_by_role("button", name="Projects").click()
    page.locator("#studio-example").click()
    page.locator(".script .w:not(.waits)").first.wait_for()
    listened(page)
    assert voice_of(page, "always", "never") == ""  # another project's words are somebody else's


def voice_of(page: Any, old: str, new: str) -> str:
    """Make a change, and return the voice that the server was asked for."""
    with page.expect_request(
        lambda request: "/script" in request.url and "come" in str(request.post_data)
    ) as sent:
        change(page, old, new)
    return str(sent.value.post_data_json["settings"]["voice"])
