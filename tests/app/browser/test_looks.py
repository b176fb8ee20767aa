"""What stands where on the page: nothing jumps, nothing is cut off, nothing is out of reach."""

import json
from typing import Any

import pytest

from tests.app.browser.pages import change, changes, export, upload, watched, word
from tests.conftest import ARCTIC

pytestmark = pytest.mark.slow

BOXES = """() => [...document.querySelectorAll('.script .w, .script .field')].map((each) => {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    return { text: each.value ?? each.textContent, left, right, middle: (top + bottom) / 2 };
})"""


def boxes(page: Any) -> dict[str, dict[str, float]]:
    return {box["text"]: box for box in page.evaluate(BOXES)}


@pytest.mark.parametrize("width", [1280, 390])
def test_typing_lifts_nothing(page: Any, arctic: Any, width: int) -> None:
    """The field stands on the line of its words, apart from them, and is never cut off."""
    page.set_viewport_size({"width": width, "height": 844})
    upload(page, arctic, ARCTIC)
    for old in ("And", "want", "degree."):
        before = boxes(page)
        word(page, old).first.click()
        page.keyboard.type("so")
        after = boxes(page)
        field = next(box for text, box in after.items() if text.startswith("so"))
        assert field["middle"] == pytest.approx(after[old]["middle"], abs=1)
        assert after[old]["middle"] == pytest.approx(before[old]["middle"], abs=0.5)
        assert field["left"] - after[old]["right"] > 2
        page.keyboard.type(" long that it takes more than a line of the page and is not cut off")
        wide, view = page.evaluate(
            "() => [document.querySelector('.field').getBoundingClientRect().right,"
            " document.querySelector('.script').getBoundingClientRect().right]"
        )
        assert wide <= view
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")  # nothing is selected, and no bar is in the way


def test_the_focus_is_seen_at_a_word(page: Any, arctic: Any) -> None:
    """No bar along the script; one take is no choice; a change is counted whatever is open."""
    upload(page, arctic, ARCTIC)
    page.keyboard.press("Tab")
    while page.evaluate("() => !document.activeElement.matches('.script')"):
        page.keyboard.press("Tab")
    outline = "(one) => getComputedStyle(one).outlineStyle"
    assert page.locator(".script").evaluate("(one) => getComputedStyle(one).boxShadow") == "none"
    assert page.locator(".script .here").evaluate(outline) == "solid"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator(".script .here").inner_text() == "you"
    page.get_by_role("tab", name="Recordings").click()
    change(page, "always", "never")
    page.get_by_role("tab", name="Changes 1").wait_for()
    page.get_by_role("tab", name="Changes 1").click()
    assert changes(page) == ["always never"]
    assert page.locator(".choice").count() == 0


def test_short_words_are_told_and_waves_fill_their_place(page: Any, arctic: Any) -> None:
    upload(page, arctic, ARCTIC)
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("() => window.a3tApp.audio.axis.whole()")
    page.wait_for_function("() => window.a3tApp.audio.lane.short.length > 0")
    x, y, text = page.evaluate(
        "() => { const { lane } = window.a3tApp.audio, [{ a, b, text }] = lane.short;"
        " return [(a + b) / 2, lane.rows.words + 10, text]; }"
    )
    box = page.locator("canvas.sound").bounding_box()
    page.mouse.move(box["x"] + x, box["y"] + y)
    assert page.locator(".tip").inner_text() == text
    for second in (0.5, 3.0):  # a loud stretch, and a soft one: both reach the top of their place
        page.evaluate("(from) => window.a3tApp.audio.axis.show(from, from + 8000)", 16000 * second)
        page.wait_for_function(
            "() => { const canvas = document.querySelector('canvas.sound');"
            " const { data } = canvas.getContext('2d').getImageData(0, 22, canvas.width, 6);"
            " return data.some((value, k) => k % 4 === 3 && value > 200); }"
        )


def test_an_export_says_what_it_is_and_begins_while_words_are_still_found(
    page: Any, arctic: Any
) -> None:
    upload(page, arctic, ARCTIC)
    page.get_by_role("button", name="Export").click()
    sheet = page.locator(".export")
    assert "about 0.1 MB" in sheet.inner_text() and "0:0" in sheet.inner_text()
    sheet.get_by_role("radio", name="Transcript").check()
    sheet.get_by_label("File type").select_option("Text")
    with page.expect_download() as waiting:
        sheet.get_by_role("button", name="Download").click()
    assert waiting.value.path().read_text().strip() == ARCTIC
    page.evaluate("() => { window.a3tApp.listening.done = false; }")  # as if some were missing
    with page.expect_download() as waiting:
        export(page)
    assert waiting.value.suggested_filename.endswith(".edited.wav")
    export(page, "Subtitles")
    page.get_by_role("button", name="Listening…").wait_for()


def test_everything_is_within_reach_on_a_phone_and_at_200_percent(page: Any, arctic: Any) -> None:
    upload(page, arctic, ARCTIC)
    window = watched(page.context.new_page(), page.url)
    for size in ({"width": 390, "height": 844}, {"width": 640, "height": 450}):
        page.set_viewport_size(size)
        back = page.get_by_role("button", name="Projects").bounding_box()
        assert back["width"] >= 44 and back["height"] >= 44
        page.locator(".sheet").click()
        for tab in ("Recordings", "Clean up", "Changes"):
            page.get_by_role("tab", name=tab).click()
            page.locator(".changes").evaluate("(one) => one.scrollTo(0, 1e6)")
            close = page.locator(".changes .top .tool").bounding_box()
            assert close["y"] >= 0 and close["x"] + close["width"] <= size["width"]
            inside = page.evaluate(
                "({ x, y }) => !!document.elementFromPoint(x, y).closest('.top .tool')",
                {"x": close["x"] + 20, "y": close["y"] + 20},
            )
            assert inside
        page.locator(".changes .top .tool").click()
        assert not page.locator(".changes").is_visible()
    assert window.faults == []


@pytest.mark.parametrize("width", [1280, 390])
def test_a_hundred_projects_leave_the_drop_zone_where_it_is(page: Any, width: int) -> None:
    """The newest first, the others by their name or when asked for; the bin within the window."""
    one = {"seconds": 60.0, "edits": 0, "binned": False}
    projects = [one | {"id": f"{n:024x}", "name": f"talk {n}", "opened": n} for n in range(100)]
    binned = one | {"id": "f" * 24, "name": "thrown away", "opened": 0, "binned": True}
    told = json.dumps([*projects, binned])
    page.route("**/studio/projects", lambda route: route.fulfill(body=told))
    page.set_viewport_size({"width": width, "height": 844})
    page.reload()
    listed = page.locator("button.project")
    listed.first.wait_for()
    names = [text.split("\n")[0] for text in listed.all_inner_texts()]
    assert names == [f"talk {n}" for n in range(99, 91, -1)]
    hero = page.locator(".hero").bounding_box()
    assert hero["y"] >= 0 and hero["y"] + hero["height"] < 844
    page.get_by_role("searchbox").fill("talk 3")
    page.wait_for_function("() => document.querySelectorAll('button.project').length === 11")
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="All 100 projects").click()
    page.wait_for_function("() => document.querySelectorAll('button.project').length === 100")
    page.get_by_text("Recently deleted: 1").click()
    for control in ("Restore", "Delete"):
        box = page.get_by_role("button", name=control, exact=True).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
