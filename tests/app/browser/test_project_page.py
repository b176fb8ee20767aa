"""Projects as files, limits, pronunciations, long recordings and fingers, on the page."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from app import limits
from tests.app.browser.pages import (
    change,
    changes,
    listened,
    made,
    opened,
    picture,
    ready,
    upload,
    word,
)
from tests.conftest import ARCTIC

pytestmark = pytest.mark.slow


def saved_file(page: Any, folder: Path) -> Path:
    """The first project of the list, as one file."""
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Save as one file").first.click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def test_a_project_goes_to_another_visitor_and_replaces_nothing_unasked(
    page: Any, browser: Any, url: str, arctic: Path, tmp_path: Path
) -> None:
    upload(page, arctic, ARCTIC)
    change(page, "always", "never")
    page.get_by_role("button", name="Projects").click()
    path = saved_file(page, tmp_path)
    assert path.name.endswith(".a3t.zip")

    other = opened(browser, url)
    other.locator("#studio-upload").set_input_files(path)
    made(other, "never")
    assert changes(other) == ["always never"]
    assert other.faults == []
    other.context.close()

    page.locator("#studio-upload").set_input_files(path)
    page.get_by_role("dialog").get_by_text("You have “").wait_for()
    picture(page, "replace")
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert page.locator(".project").count() == 1
    before = page.url
    page.locator("#studio-upload").set_input_files(path)
    page.get_by_role("dialog").get_by_role("button", name="Keep both").click()
    page.wait_for_url(lambda url: url != before)  # until then the page has the first, made as well
    made(page, "never")
    page.get_by_role("button", name="Projects").click()
    page.locator(".project").nth(1).wait_for()
    page.faults = [fault for fault in page.faults if "409" not in fault]


def test_who_leaves_a_project_while_it_is_fetched_has_left(page: Any, arctic: Path) -> None:
    """As when its state is asked for again, and a slow answer comes after a click on *Projects*."""
    upload(page, arctic, ARCTIC)
    held: list[Any] = []
    page.route(re.compile(r"/projects/[0-9a-f]{24}$"), lambda route: held.append(route))
    with page.expect_request(re.compile(r"/projects/[0-9a-f]{24}$")):
        page.evaluate("() => { window.again = window.a3tApp.open(window.a3tApp.project); }")
    page.get_by_role("button", name="Projects").click()
    page.locator(".project").wait_for()
    held[0].continue_()
    page.evaluate("() => window.again")
    assert page.locator(".project").is_visible() and "#" not in page.url


def test_limits_are_told_and_mean_what_they_say(
    browser: Any, url: str, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is too large is refused before it is sent."""
    monkeypatch.setattr(limits, "MAX_MEGABYTES", 0.1)
    page = opened(browser, url)
    page.locator(".formats", has_text="2 hours and 1 MB").wait_for()
    sent = []
    page.on("request", lambda request: sent.append(request.url))
    page.locator("#studio-upload").set_input_files(arctic)
    page.locator(".busy", has_text="the limit is 1 MB").wait_for()
    assert not [each for each in sent if "upload" in each]
    page.context.close()
    assert limits.MAX_SECONDS * 44_100 * 4 <= 1300 * 1_000_000  # stereo, as on a CD


def test_a_guessed_word_is_put_right(page: Any, arctic: Path) -> None:
    upload(page, arctic, ARCTIC)
    change(page, "always", "frobbly")
    page.get_by_text("“frobbly” is in no dictionary").wait_for()
    page.locator("[data-name^='say frobbly ']").first.click()  # another way that it may be said
    page.get_by_role("radio", name="Take 2").wait_for()
    page.get_by_label("“frobbly” is said as").fill("FROH-blie")
    page.get_by_role("button", name="Say it so").click()
    page.get_by_role("radio", name="Take 3").wait_for()
    page.reload()
    ready(page)
    made(page, "frobbly")
    page.locator(".card").click()
    page.get_by_role("radio", name="Take 3").wait_for()
    assert page.get_by_label("“frobbly” is said as").input_value() == "FROH-blie"


def test_what_is_missing_is_told_and_comes_when_it_is_looked_at(
    page: Any, arctic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.studio.work.listening.FIRST_PART", (2.0, 4.0))
    monkeypatch.setattr("a3t.source.recognised_transcript.PARTS", (4.0, 8.0))
    samples, rate = soundfile.read(arctic, dtype="int16")
    long = tmp_path / "long.flac"
    soundfile.write(long, np.tile(samples, 12), rate)
    asked = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    upload(page, long)
    page.locator("[data-look]").first.click()
    listened(page)
    assert page.locator("[data-look]").count() == 0 and "look" in asked
    starts = page.evaluate("() => window.a3tApp.script.tokens.map((token) => token.start)")
    assert starts == sorted(starts) and starts[-1] > 44


def test_by_finger(browser: Any, url: str, arctic: Path) -> None:
    """A word is tapped and the selection drawn out by its handle, on a phone."""
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    page = opened(browser, url, **phone)
    upload(page, arctic, ARCTIC)
    word(page, "always").tap()
    handle = page.locator(".handle").nth(1)
    handle.wait_for()
    start, end = handle.bounding_box(), word(page, "see").bounding_box()
    session = page.context.new_cdp_session(page)
    x, y = start["x"] + 22, start["y"] + 12
    to = (end["x"] + end["width"] / 2, end["y"] + end["height"] / 2 + 14)
    points = [(x + (to[0] - x) * k / 5, y + (to[1] - y) * k / 5) for k in range(6)]
    for k, (a, b) in enumerate(points):
        kind = "touchMove" if k else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": a, "y": b}]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert page.locator(".w.selected").all_inner_texts() == ["always", "want", "to", "see"]
    picture(page, "finger")
    assert page.faults == []
    page.context.close()
