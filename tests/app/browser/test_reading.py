"""Accessibility: screen readers, dark mode, phones, a page at 200 %."""

from typing import Any

import pytest

from tests.app.browser.pages import change, opened, picture, violations, word

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(browser: Any, url: str) -> Any:
    """A page with a change on it."""
    page = opened(browser, url, viewport={"width": 1280, "height": 900})
    page.locator("#studio-example").click()
    word(page).first.wait_for()
    change(page, "always", "never")
    yield page
    assert page.faults == []
    page.context.close()


def test_the_start(browser: Any, url: str) -> None:
    page = opened(browser, url, viewport={"width": 1280, "height": 900})
    picture(page, "start")
    assert violations(page) == []
    page.context.close()


def test_every_control_can_be_named_and_read(made: Any) -> None:
    word(made, "superlative").click()
    made.get_by_role("button", name="More", exact=True).click()
    made.get_by_role("button", name="Settings").click()
    made.locator("summary", has_text="Advanced").click()
    picture(made, "everything")
    assert violations(made) == []
    made.keyboard.press("Escape")


def test_the_result_is_in_view_without_scrolling(made: Any) -> None:
    for part in (".change.made", ".card", "canvas.sound", ".transport .play"):
        box = made.locator(part).first.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 900


def test_the_sound_is_drawn_in_the_page_s_colours(made: Any) -> None:
    made.emulate_media(color_scheme="light")
    drawn = "document.querySelector('canvas.sound').toDataURL()"
    light = made.evaluate(drawn)
    made.emulate_media(color_scheme="dark")
    made.wait_for_function(f"(light) => {drawn} !== light", arg=light)


@pytest.mark.parametrize(
    ("name", "scheme", "width"),
    [("dark", "dark", 1280), ("phone", "light", 390), ("at 200 %", "light", 640)],
)
def test_dark_on_a_phone_and_large(made: Any, name: str, scheme: str, width: int) -> None:
    made.emulate_media(color_scheme=scheme)
    made.set_viewport_size({"width": width, "height": 844 if width == 390 else 900})
    wide = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    made.wait_for_function(f"() => ({wide})() <= 1")
    picture(made, name)
    assert violations(made) == []
    play = made.locator(".transport .play").bounding_box()
    assert play["y"] + play["height"] <= 900 and min(play["width"], play["height"]) >= 44
