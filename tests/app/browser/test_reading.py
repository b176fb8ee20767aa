"""Accessibility: screen readers, keyboards, dark mode, phones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app.browser.pages import opened, picture, shown

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(browser: Any, url: str) -> Any:
    """A page with a result on it."""
    page = opened(browser, url, viewport={"width": 1280, "height": 1000})
    page.locator("#example").click()
    shown(page, "before")
    page.locator("#make").click()
    shown(page, "after")
    yield page
    page.context.close()


# Colours that fade into others are judged when they have.
STILL = """() => new Promise(requestAnimationFrame).then(() => Promise.all(document.getAnimations()
    .filter((each) => each.effect.getComputedTiming().endTime < 1e4)
    .map((each) => each.finished.catch(() => null)))).then(() => true)"""


def violations(page: Any) -> list[str]:
    """What axe finds wrong with the page, one line a rule."""
    page.evaluate(STILL)
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    found = axe.Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]})
    return [
        f"{rule['id']}: {rule['help']}: {[node['html'][:150] for node in rule['nodes'][:3]]}"
        for rule in found.response["violations"]
    ]


def test_every_control_can_be_named_and_read(made: Any) -> None:
    made.locator("#more button").first.click()
    made.locator("[data-part=before] .a3t-word").first.click()
    picture(made, "everything")
    assert violations(made) == []


def test_words_by_keyboard(made: Any) -> None:
    """The words are one stop of the Tab key; arrows go through them, Enter chooses one."""
    words = made.locator("[data-part=before] .a3t-word")
    assert words.evaluate_all("(all) => all.filter((word) => word.tabIndex === 0).length") == 1
    words.first.focus()
    made.keyboard.press("ArrowRight")
    made.keyboard.press("ArrowRight")
    made.keyboard.press("Enter")
    assert made.locator("[data-part=word-name]").text_content() == words.nth(2).text_content()
    made.keyboard.press("End")
    assert words.last.evaluate("(word) => word === document.activeElement")


def test_the_whole_way_by_keyboard(made: Any) -> None:
    """The Tab key comes to everything that an edit needs, in the order in which it is needed."""
    made.locator("#transcript textarea").focus()
    wanted = ["find", "new-text", "preview", "make", "cancel", "undo", "redo", "accept", "stage"]
    met: list[str] = []
    for _ in range(60):
        made.keyboard.press("Tab")
        here = made.evaluate(
            "(names) => names.find((name) => document.activeElement.closest(`#${name}`))", wanted
        )
        if here and here not in met:
            met.append(here)
    assert met == wanted


@pytest.mark.parametrize(
    ("name", "scheme", "width"), [("dark", "dark", 1280), ("phone", "light", 390)]
)
def test_dark_and_on_a_phone(made: Any, name: str, scheme: str, width: int) -> None:
    made.emulate_media(color_scheme=scheme)
    made.set_viewport_size({"width": width, "height": 900})
    wide = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    made.wait_for_function(f"() => ({wide})() <= 1")  # only the stage's boxes scroll sideways
    picture(made, name)
    assert violations(made) == []
