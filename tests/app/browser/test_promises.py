"""The page in a browser: pointer, finger and keys, and what stays when the server goes."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.app.browser.pages import changes, export, upload, word
from tests.conftest import ARCTIC

pytestmark = pytest.mark.slow

MANY = 17_208  # words of two hours


@pytest.fixture
def script(page: Any, arctic: Path) -> Any:
    upload(page, arctic, ARCTIC)
    return page


def test_with_its_transcript_a_change_is_taken_home_in_six_actions(page: Any, arctic: Path) -> None:
    page.evaluate(  # 1: pasted, wherever
        "(text) => { const data = new DataTransfer(); data.setData('text/plain', text);"
        " const paste = { clipboardData: data, bubbles: true };"
        " document.body.dispatchEvent(new ClipboardEvent('paste', paste)); }",
        ARCTIC,
    )
    assert page.locator(".hero textarea").input_value() == ARCTIC
    page.locator("#studio-upload").set_input_files(arctic)  # 2
    word(page, "always").click()  # 3
    page.keyboard.type("never")  # 4
    page.keyboard.press("Enter")
    with page.expect_download():
        export(page)  # 5 and 6: opened, and begun


def selected(page: Any) -> list[str]:
    found: list[str] = page.locator(".script .w.selected").all_inner_texts()
    return found


def point(page: Any, kind: str, last: str) -> None:
    """A pointer that goes down on a word and ends otherwise."""
    fields = {"bubbles": True, "pointerType": kind, "pointerId": 5, "button": 0}
    word(page, "always").dispatch_event("pointerdown", fields)
    word(page, "always").dispatch_event(last, fields)


def test_a_finger_that_scrolls_selects_and_plays_nothing(script: Any) -> None:
    point(script, "touch", "pointercancel")
    assert selected(script) == []
    assert not script.evaluate("() => window.a3tApp.transport.playing")
    point(script, "touch", "pointerup")
    assert selected(script) == ["always"]
    script.wait_for_function("() => window.a3tApp.transport.playing")


def test_after_a_click_the_word_itself_is_lit(script: Any) -> None:
    word(script, "always").click()
    lit = "() => document.querySelector('.script .now')?.textContent"
    script.wait_for_function(
        "() => !window.a3tApp.transport.playing && window.a3tApp.transport.rest"
    )
    assert script.evaluate(lit) == "always"


def test_the_bar_of_a_selection_floats_below_it_and_moves_nothing(script: Any) -> None:
    last = word(script).last
    before = last.bounding_box()
    last.click()
    bar = script.get_by_role("toolbar", name="Selected words").bounding_box()
    assert last.bounding_box() == before
    assert 0 <= bar["y"] - before["y"] - before["height"] < 12


def test_letters_type_over_a_selected_word_and_steer_without(script: Any) -> None:
    script.keyboard.press("?")
    script.get_by_role("heading", name="While no word is selected").wait_for()
    script.keyboard.press("Escape")
    word(script, "always").click()
    script.keyboard.press("o")
    assert script.get_by_label("The new words", exact=True).input_value() == "o"
    script.keyboard.press("Escape")
    script.keyboard.press("Escape")
    script.keyboard.press("o")
    script.get_by_role("radio", name="Original", checked=True).wait_for()
    assert changes(script) == []


def test_typing_over_a_word_keeps_the_marks_of_its_place(script: Any) -> None:
    word(script, "degree.").click()
    script.keyboard.type("case")
    assert script.get_by_label("The new words", exact=True).input_value() == "case."
    script.keyboard.press("Escape")
    script.keyboard.press("Enter")
    script.keyboard.type("sense")
    assert script.get_by_label("The new words", exact=True).input_value() == "sense."
    script.keyboard.press("Escape")


def test_words_are_selected_copied_cut_and_pasted(script: Any) -> None:
    script.context.grant_permissions(["clipboard-read", "clipboard-write"])
    script.locator(".script").focus()
    script.keyboard.press("Control+a")
    assert selected(script) == ARCTIC.split()
    script.keyboard.press("Control+c")
    assert script.evaluate("() => navigator.clipboard.readText()") == ARCTIC
    word(script, "always").click()
    script.keyboard.press("Control+x")
    word(script, "see").click()
    script.keyboard.press("Control+v")
    assert changes(script) == ["always deleted", "always"]
    assert script.evaluate("() => window.a3tApp.script.text") == (
        "And you want to see always it in the superlative degree."
    )


def test_the_view_follows_what_is_heard_until_one_scrolls(script: Any) -> None:
    follows = "() => window.a3tApp.view.text.follows"
    script.locator(".script").focus()
    script.keyboard.press("Space")
    assert script.evaluate(follows)
    script.locator(".script").hover()
    script.mouse.wheel(0, 10)
    script.get_by_role("button", name="Follow").click()
    assert script.evaluate(follows)


def test_without_a_server_one_gets_to_the_start_and_back(script: Any) -> None:
    asked: list[str] = []
    script.on("request", lambda request: asked.append(request.url))
    script.context.set_offline(True)
    script.get_by_role("button", name="Projects").click()
    script.get_by_role("button", name="Try again").wait_for()
    script.context.set_offline(False)
    script.get_by_role("button", name="Try again").click()
    script.locator(".project").click()
    word(script, "always").wait_for()
    assert not [url for url in asked if "null" in url]
    script.faults.clear()  # requests that failed


def test_all_of_two_hours_words_are_selected_without_a_search_for_each(script: Any) -> None:
    searches = script.evaluate(
        """(many) => {
            const { script, view } = window.a3tApp;
            const token = (k) => [k, `word${k}${k % 20 ? "" : "."}`, k / 10, k / 10 + 0.09, 1, 0];
            script.setTokens(Array.from({ length: many }, (_, k) => token(k)));
            view.text.render();
            let count = 0;
            const { querySelector } = Element.prototype;
            Element.prototype.querySelector = function (...given) {
                count++;
                return querySelector.apply(this, given);
            };
            view.selected.select(0, many - 1);
            Element.prototype.querySelector = querySelector;
            return count;
        }""",
        MANY,
    )
    assert searches < 50
    assert script.evaluate("() => window.a3tApp.range") == [0, MANY]
    assert script.locator(".script *").count() < 5000  # words far from the view are text
    last = f"word{MANY - 1}"
    script.locator(".script").press("End")
    script.locator(".w.selected", has_text=last).wait_for()
    assert last in script.locator(".script p").last.text_content()


def test_the_audio_view_shows_nothing_beyond_the_end(script: Any) -> None:
    shown = script.evaluate(
        """() => {
            const audio = window.a3tApp.audio.axis;
            audio.whole();
            audio.scale *= 3; // as when the window gets wider, or a change shorter
            audio.clamp();
            return [audio.left, audio.at(audio.width) / audio.line.axis];
        }"""
    )
    assert shown == [0, pytest.approx(1)]


def test_what_is_exported_waits_for_what_is_being_made(script: Any, arctic: Path) -> None:
    word(script, "always").click()
    script.keyboard.type("never")
    script.keyboard.press("Enter")
    with script.expect_download() as waiting:
        export(script)
    assert waiting.value.suggested_filename.endswith(".edited.wav")
    exported, recorded = (soundfile.read(path)[0] for path in (waiting.value.path(), arctic))
    assert not np.array_equal(exported, recorded)


def test_a_file_that_is_refused_is_no_project_and_can_be_tried_again(
    page: Any, arctic: Path, tmp_path: Path
) -> None:
    """Also by a visitor whom a server that was started anew doesn't know."""
    wrong = tmp_path / "words.wav"
    wrong.write_text("No sound at all.")
    page.locator("#studio-upload").set_input_files(wrong)
    page.locator(".busy", has_text="words.wav is not audio").wait_for()
    page.get_by_role("button", name="Try again").wait_for()
    assert page.locator("button.project").count() == 0  # it lies in the bin alone
    page.context.clear_cookies()
    page.locator("#studio-upload").set_input_files(arctic)
    word(page).first.wait_for()
    page.faults = [fault for fault in page.faults if "403" not in fault and "404" not in fault]


def test_what_was_recorded_stays_until_the_server_has_it(page: Any) -> None:
    page.get_by_role("button", name="Record yourself").click()
    page.locator("button.live", has_text=re.compile("0:0[3-9]|0:[1-5]")).wait_for()
    page.context.set_offline(True)
    page.locator("button.live").click()
    page.get_by_role("button", name="Try again").wait_for()
    page.context.set_offline(False)
    page.reload()
    page.get_by_text("was never sent").wait_for()
    page.get_by_role("button", name="Open it").click()
    word(page).first.wait_for()
    page.get_by_role("button", name="Projects").click()
    page.locator(".project").first.wait_for()
    assert page.get_by_text("was never sent").count() == 0
    page.faults.clear()  # the request that failed


def test_a_deleted_project_comes_back(script: Any) -> None:
    script.get_by_role("button", name="Projects").click()
    script.get_by_role("button", name="Delete: ").click()
    script.locator("summary", has_text="Recently deleted: 1").click()
    script.get_by_role("button", name="Restore").click()
    script.locator(".recent button.project").click()
    word(script, "always").wait_for()
