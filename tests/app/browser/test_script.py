"""The transcript as the document: writing, keys, one undo for everything, and what is heard."""

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.app.browser.pages import change, changes, made, picture, ready, said, upload, word
from tests.conftest import ARCTIC

pytestmark = pytest.mark.slow


@pytest.fixture
def script(page: Any, arctic: Path) -> Any:
    upload(page, arctic, ARCTIC)
    return page


def test_by_keyboard_alone(script: Any) -> None:
    """Words are selected, typed over, deleted, inserted; changes gone through; Tab leaves them."""
    script.locator(".script").focus()
    for key in ("Home", "ArrowRight", "ArrowRight"):
        script.keyboard.press(key)
    script.keyboard.type("never")
    script.keyboard.press("Enter")
    made(script, "never")
    for key in ("End", "Delete"):
        script.keyboard.press(key)
    script.locator(".change.made").nth(1).wait_for()
    assert changes(script) == ["always never", "degree. deleted"]
    for key in ("Home", *["ArrowRight"] * 5, "Insert"):
        script.keyboard.press(key)
    script.keyboard.type("then")
    script.keyboard.press("Enter")
    made(script, "then")
    script.keyboard.press("Escape")
    script.keyboard.press("Home")
    script.keyboard.press("Alt+ArrowDown")
    assert script.locator(".change.active ins").inner_text() == "never"
    script.keyboard.press("Alt+ArrowDown")
    assert script.locator(".change.active ins").inner_text() == "then"
    script.keyboard.press("a")
    script.locator(".change.accepted", has_text="then").wait_for()
    script.keyboard.press("Tab")
    assert not script.evaluate("() => document.activeElement.matches('.script, .script *')")
    script.locator(".script").focus()
    script.keyboard.press("?")
    script.get_by_role("dialog").get_by_text("Ctrl + Enter").wait_for()
    script.keyboard.press("Escape")


def test_words_that_wait_for_their_times_are_edited(
    page: Any, arctic: Path, may_listen: threading.Event
) -> None:
    """What is typed over words of a given text is made once the recording is listened to."""
    page.locator(".hero summary").click()
    page.locator(".hero textarea").fill(ARCTIC)
    page.locator("#studio-upload").set_input_files(arctic)
    word(page, "always").click()
    assert page.locator(".script .w.waits").count() == len(ARCTIC.split())
    page.keyboard.type("never")
    page.keyboard.press("Enter")
    page.locator(".change.making ins", has_text="never").wait_for()
    assert said(page) == ARCTIC.replace("always", "always never")
    may_listen.set()
    made(page, "never")
    assert page.locator(".script .w.waits").count() == 0


def test_one_undo_for_texts_takes_and_corrections(script: Any) -> None:
    change(script, "always", "never")
    script.get_by_role("button", name="Another take").click()
    script.get_by_role("radio", name="Take 2").wait_for()
    script.get_by_role("radio", name="Take 1").click()
    word(script, "see").first.click()
    script.get_by_role("button", name="Fix transcript").click()
    script.keyboard.type("sea")
    script.keyboard.press("Enter")
    word(script, "sea").wait_for()
    script.keyboard.press("Control+z")
    word(script, "see").wait_for()
    script.keyboard.press("Control+z")
    second = script.get_by_role("radio", name="Take 2")
    script.wait_for_function("() => document.querySelector('[data-name=\"take 1\"]').ariaChecked")
    assert second.get_attribute("aria-checked") == "true"
    script.keyboard.press("Control+z")  # the fresh take was a step
    assert second.get_attribute("aria-checked") == "false"
    script.keyboard.press("Control+z")
    assert changes(script) == []
    assert said(script) == f"0:00 {ARCTIC}" or ARCTIC in said(script)
    script.keyboard.press("Control+Shift+z")
    made(script, "never")  # its takes are still there


def test_what_is_typed_is_there_after_a_reload(script: Any) -> None:
    """Also what stands in the field and is no change yet."""
    word(script, "always").click()
    script.keyboard.type("hardly ever")
    script.locator(".status", has_text="Saved").wait_for()
    script.reload()
    ready(script)
    field = script.get_by_label("The new words", exact=True)
    field.wait_for()
    assert field.input_value() == "hardly ever"
    field.press("Enter")
    made(script, "hardly ever")
    script.locator(".status", has_text="Saved").wait_for()
    script.reload()  # the history is the server's
    ready(script)
    made(script, "hardly ever")
    script.keyboard.press("Control+z")
    assert changes(script) == []


def test_what_is_selected_and_typed_stays_with_its_word_when_others_come(script: Any) -> None:
    """As when a correction, or a part that was being recognised, brings more words before it."""
    count = "window.a3tApp.script.tokens.length"
    word(script, "superlative").click()
    script.evaluate("() => window.a3tApp.editing.correct([1, 2, 'you all'])")
    script.wait_for_function(f"() => {count} === 12")
    script.keyboard.type("best")
    script.evaluate("() => window.a3tApp.editing.correct([1, 3, 'you'])")
    script.wait_for_function(f"() => {count} === 11")
    script.keyboard.press("Enter")
    made(script, "best")
    assert changes(script) == ["superlative best"]


def test_find_and_replace(script: Any) -> None:
    script.locator(".script").focus()
    script.keyboard.press("Control+f")
    script.get_by_label("Find", exact=True).fill("superlative degree")
    script.get_by_text("0 of 1").wait_for()
    script.get_by_label("Replace with").fill("best")
    script.get_by_role("button", name="Replace all").click()
    made(script, "best.")
    assert changes(script) == ["superlative degree. best."]


def test_html_that_is_typed_stays_text(script: Any) -> None:
    word(script, "always").click()
    script.keyboard.type("never <img src=x onerror=alert(1)>")
    script.keyboard.press("Enter")
    script.locator(".change ins", has_text="<img").wait_for()
    assert script.locator(".studio img").count() == 0


# Seconds of the recording between what is heard before and after the other side is chosen.
JUMP = """() => {
    const { transport, sound } = window.a3tApp;
    const heard = () => transport.timeline.sourceOf(transport.place) / sound.sample_rate;
    const before = heard();
    window.a3tApp.hearing.setSide("original");
    return Math.abs(heard() - before);
}"""


def test_from_take_to_take_at_the_same_instant(script: Any) -> None:
    """Neither another take nor the original stops what is playing or jumps."""
    change(script, "always", "never")
    script.get_by_role("button", name="Another take").click()
    script.get_by_role("radio", name="Take 2").wait_for()
    script.get_by_role("button", name="Loop").click()
    playing = "() => window.a3tApp.transport.playing"
    script.wait_for_function(playing)
    for button in ("Take 1", "Take 2"):
        script.get_by_role("radio", name=button).click()
        assert script.evaluate(playing)
    assert script.evaluate(JUMP) < 0.5
    assert script.evaluate(playing)
    script.get_by_role("radio", name="Edited").click()
    script.keyboard.press("Space")
    script.wait_for_function("() => !window.a3tApp.transport.playing")


def test_an_edge_stops_at_its_neighbour_and_can_be_taken_back(script: Any) -> None:
    tokens = "() => window.a3tApp.script.tokens.map((token) => [token.start, token.end])"
    was = script.evaluate(tokens)
    word(script, "always").click()
    edge = script.evaluate(
        "() => { const { audio } = window.a3tApp;"
        " const edge = audio.lane.edges.find((e) => e.k === 2 && e.side === 'end');"
        " return [edge.x, audio.lane.rows.words + 10]; }"
    )
    box = script.locator("canvas.sound").bounding_box()
    x, y = box["x"] + edge[0], box["y"] + edge[1]
    script.mouse.move(x, y)
    assert script.locator("canvas.sound").evaluate("(c) => c.style.cursor") == "ew-resize"
    script.mouse.down()
    script.mouse.move(x + 300, y, steps=4)
    script.mouse.up()
    now = script.evaluate(tokens)
    assert now[2][1] == pytest.approx(was[3][0], abs=1e-3) and now[3] == was[3]
    picture(script, "edges")
    script.locator(".script").focus()
    script.keyboard.press("Control+z")
    script.wait_for_function(
        "(end) => Math.abs(window.a3tApp.script.tokens[2].end - end) < 1e-3", arg=was[2][1]
    )


def test_the_same_words_are_no_change(script: Any) -> None:
    word(script, "always").first.dblclick()
    script.keyboard.press("Enter")
    word(script, "see").click()
    script.keyboard.type("see")
    script.keyboard.press("Enter")
    assert changes(script) == [] and script.locator(".change").count() == 0
