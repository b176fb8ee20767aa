"""Cleaning on the page: what is found is shown in the script, and goes when one says so."""

from pathlib import Path
from typing import Any

import pytest

from a3t.editor import Editor
from tests.app.browser.pages import change, changes, listened, made, picture, upload, word
from tests.app.browser.test_reading import violations
from tests.conftest import ARCTIC
from tests.hesitations import hesitant_talk

pytestmark = pytest.mark.slow


@pytest.fixture
def script(page: Any, editor: Editor, arctic: Path, tmp_path: Path) -> Any:
    talk = hesitant_talk(editor, arctic, tmp_path / "talk.wav")
    upload(page, talk, ARCTIC.replace("want to", "want want to"))
    listened(page)
    return page


def drag(page: Any, edge: str, by: float) -> None:
    """Drags an edge of the audio view, found by a JavaScript condition on `e`, by some pixels."""
    page.wait_for_function(f"() => window.a3tApp.audio.lane.edges.some((e) => {edge})")
    x, y = page.evaluate(
        "() => { const { audio } = window.a3tApp; const edge = audio.lane.edges.find((e) => "
        f"{edge}); return [edge.x, audio.lane.rows.words + 10]; }}"
    )
    box = page.locator("canvas.sound").bounding_box()
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    page.mouse.move(box["x"] + x + by, box["y"] + y, steps=4)
    page.mouse.up()


def test_shown_heard_and_taken_out_one_by_one_or_all(script: Any) -> None:
    script.get_by_role("tab", name="Clean up").click()
    script.locator(".offers li").nth(1).wait_for()
    assert script.locator(".w.offered").all_inner_texts() == ["want"]
    assert "pause" in script.locator(".offered.between").inner_text()
    assert script.locator(".change").count() == 0  # nothing is changed yet
    picture(script, "cleaning")
    assert violations(script) == []
    script.locator(".offered.between").click()  # heard as it is
    script.wait_for_function("() => window.a3tApp.transport.playing")
    script.keyboard.press("k")
    script.get_by_role("button", name="Remove: “want”").click()
    script.locator(".change.made").wait_for()
    assert script.locator(".offers li").count() == 1
    script.get_by_role("button", name="Remove all 1").click()
    script.locator(".change.made").nth(1).wait_for()
    script.get_by_text("Nothing of this kind was found.").wait_for()
    script.get_by_role("tab", name="Changes").click()
    repeat, pause = changes(script)
    assert repeat == "want deleted" and pause.startswith("pause −1.")
    script.locator(".script").focus()
    for _ in range(2):
        script.keyboard.press("Control+z")
    assert changes(script) == []


def test_all_at_once_is_one_step(script: Any) -> None:
    script.get_by_role("tab", name="Clean up").click()
    script.get_by_role("button", name="Remove all 2").click()
    script.locator(".change.made").nth(1).wait_for()
    script.locator(".script").focus()
    script.keyboard.press("Control+z")
    assert script.locator(".change").count() == 0
    script.locator(".offers li").nth(1).wait_for()  # offered again


def test_a_pause_is_dragged_shorter_and_longer(script: Any) -> None:
    """And a word beside it can be changed: the pause stays as it was dragged."""
    place = "e.side === 'pause'"
    drag(script, place, -60)
    script.locator(".change.made").wait_for()
    assert changes(script)[0].startswith("pause −")
    length = "() => window.a3tApp.sound.seconds - window.a3tApp.timeline.length / 16000"
    assert script.evaluate(length) > 0.1
    change(script, "see", "hear")
    assert len(changes(script)) == 2
    script.locator(".script").focus()
    script.keyboard.press("Control+z")
    drag(script, place, 120)
    made(script, "pause +")
    assert len(changes(script)) == 1 and script.evaluate(length) < -0.1


def test_one_of_several_new_words_is_dragged_longer(script: Any) -> None:
    word(script, "see").first.click()
    script.keyboard.type("hear all of")
    script.keyboard.press("Enter")
    made(script, "hear all of")
    lengths = "() => window.a3tApp.script.chosen(window.a3tApp.script.edits[0]).words"
    first = script.evaluate(lengths)
    drag(script, "e.edit && e.word === 0", 40)
    script.wait_for_function(
        "() => window.a3tApp.script.chosen(window.a3tApp.script.edits[0]).base === 0"
    )
    assert script.locator(".choice").count() == 0  # another length is no further take
    second = script.evaluate(lengths)
    before, after = ([word["end"] - word["start"] for word in each] for each in (first, second))
    assert after[0] > before[0] + 0.04
    assert after[1:] == pytest.approx(before[1:], abs=0.02)
