"""Recordings in the browser: a microphone, long ones, files that are none, an example."""

import re
from base64 import b64encode
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.app.browser.pages import (
    change,
    changes,
    export,
    listened,
    made,
    opened,
    picture,
    ready,
    said,
    upload,
    watched,
    word,
)
from tests.app.browser.test_reading import violations
from tests.audio.films import film
from tests.conftest import ARCTIC

pytestmark = pytest.mark.slow


def test_a_text_that_is_another(page: Any, arctic: Path) -> None:
    """No word of it can be edited; without it the recording says its own."""
    page.locator(".hero summary").first.click()
    page.locator(".hero textarea").first.fill("The weather will be sunny on Thursday afternoon.")
    page.locator("#studio-upload").set_input_files(arctic)
    page.locator(".document .problem", has_text="doesn't match the recording").wait_for()
    assert word(page).count() == 0
    page.get_by_role("button", name="Open without it").click()
    word(page, "always").first.wait_for()
    assert not page.locator(".document .problem").is_visible()


def test_capitals_become_sentences(page: Any, arctic: Path) -> None:
    """After a change as well, which keeps its take; undo brings the capitals back.

    A pattern, unlike a text, is looked for in its own case.
    """
    upload(page, arctic, ARCTIC.upper())
    change(page, "ALWAYS", "never NASA")
    assert changes(page) == ["ALWAYS NEVER NASA"]
    button = page.get_by_role("button", name="Sentence case")
    button.click()
    button.wait_for(state="hidden")
    page.locator(".change ins", has_text=re.compile("never NASA")).wait_for()
    assert page.locator(".change.made").count() == 1
    assert said(page) == ARCTIC.replace("always", "always never NASA")
    page.locator(".script").focus()
    page.keyboard.press("Control+z")
    page.locator(".change.made ins", has_text=re.compile("NEVER")).wait_for()
    page.keyboard.press("Control+Shift+z")
    page.locator(".change.made ins", has_text=re.compile("never NASA")).wait_for()
    page.reload()
    page.locator(".change.made ins", has_text=re.compile("never NASA")).wait_for()
    page.locator(".script").focus()
    page.keyboard.press("Control+z")
    button.wait_for()
    assert changes(page) == ["ALWAYS NEVER NASA"]


def test_words_appear_while_one_speaks_and_are_in_the_script_at_once(
    browser: Any, url: str
) -> None:
    page = opened(browser, url, permissions=["microphone"])
    page.get_by_role("button", name="Record yourself").click()
    page.locator(".spoken .provisional", has_text=re.compile(r"\w")).wait_for()
    page.locator(".spoken > span:first-child", has_text="always want to see").wait_for()
    picture(page, "spoken")
    page.route("**/events?*", lambda route: None)  # nothing is told of what is heard later
    page.get_by_role("button", name="Stop recording").click()
    page.locator(".script .provisional", has_text="always want to see").first.wait_for()
    page.unroute("**/events?*")
    page.reload()
    word(page, "always").first.wait_for()
    assert page.locator(".script .provisional").count() == 0
    assert page.evaluate("() => window.a3tApp.sound.seconds") > 2
    assert page.faults == []
    page.context.close()


# The browser asks for the microphone until it is granted.
LATE = """() => {
    const own = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    const asked = new Promise((granted) => { window.grant = granted; });
    navigator.mediaDevices.getUserMedia = async (wanted) => {
        await asked;
        return window.granted = await own(wanted);
    };
}"""


def test_new_words_are_said_into_the_microphone(browser: Any, url: str, arctic: Path) -> None:
    """They are a take of their change, marked as recorded, and heard at once."""
    page = opened(browser, url, permissions=["microphone"])
    upload(page, arctic, ARCTIC)
    word(page, "want").first.click()
    page.get_by_role("toolbar").get_by_role("button", name="Record these words").click()
    box = page.get_by_role("dialog", name="Record these words")
    box.get_by_role("textbox").fill("always")  # the microphone says all of the sentence
    box.get_by_role("button", name="Record", exact=True).click()
    box.get_by_role("button", name=re.compile("Stop recording · 0:0[5-9]")).wait_for()
    picture(page, "saying")
    box.get_by_role("button", name="Stop recording").click()
    box.wait_for(state="hidden")
    recorded = page.get_by_role("radio", name="Recorded for this change", checked=True)
    recorded.wait_for()
    picture(page, "said")
    assert page.locator(".synthetic").inner_text() == ""
    page.locator(".card.active").get_by_role("button", name="Record these words").click()
    box.locator("input").set_input_files(arctic)  # in a file
    page.get_by_role("radio", name="Recorded for this change").nth(1).wait_for()
    page.locator(".card.active").get_by_role("button", name="Record these words").click()
    box.get_by_role("textbox").fill("")  # no words, which deletes none
    box.locator("input").set_input_files(arctic)
    page.get_by_text("Type the new words").wait_for()
    page.evaluate(LATE)
    page.locator(".card.active").get_by_role("button", name="Record these words").click()
    box.get_by_role("button", name="Record", exact=True).click()
    box.get_by_role("button", name="Cancel").click()
    page.evaluate("() => window.grant()")
    page.wait_for_function("() => window.granted?.getTracks()[0].readyState === 'ended'")
    page.reload()
    made(page, "always")
    assert changes(page) == ["want always"]
    page.go_back()
    assert page.locator(".left p").count() == 0  # the browser keeps nothing that the server has
    assert page.faults == []
    page.context.close()


SELECT = """([from, until]) => {
    const text = document.querySelector('.told').firstChild, { data } = text;
    const [first, last] = [data.indexOf(from) + 2, data.lastIndexOf(until) + 1];
    getSelection().setBaseAndExtent(text, first, text, last);
}"""


def test_words_of_another_recording_are_put_into_the_script(
    page: Any, arctic: Path, tmp_path: Path
) -> None:
    """By the button, or copied; every window lists it, and a window that is loaded again."""
    samples, rate = soundfile.read(arctic, dtype="int16")
    other, words = tmp_path / "An answer.wav", tmp_path / "An answer.txt"
    soundfile.write(other, np.tile(samples, 2), rate)
    words.write_text(f"{ARCTIC} {ARCTIC}")
    upload(page, arctic, ARCTIC)
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Add a recording").first.click()
    panel = page.locator(".recordings")
    panel.get_by_label("Add a recording").last.set_input_files([words, other])
    panel.locator(".told").wait_for()
    panel.get_by_role("button", name="Put into the script").click()
    page.get_by_text("Select the word in the script after").wait_for()
    word(page, "always").first.click()
    page.evaluate(SELECT, ["degree", "you"])  # parts of words
    picture(page, "another recording")
    panel.get_by_role("button", name="Put into the script").click()
    made(page, "degree. And you")
    page.keyboard.press("Control+z")
    panel.locator(".told").click()
    page.evaluate(SELECT, ["superlative", "always"])
    page.keyboard.press("Control+c")
    word(page, "see").first.click()
    page.keyboard.press("Control+v")
    made(page, "superlative degree. And you always")
    page.get_by_role("tab", name="Changes").click()
    page.get_by_text("in another recording.").wait_for()
    assert page.get_by_role("button", name="Another take").is_enabled()
    picture(page, "words of another recording")
    page.reload()
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Add a recording").first.click()
    panel.locator(".told", has_text=f"{ARCTIC} {ARCTIC}").wait_for()
    window = watched(page.context.new_page(), page.url)
    window.goto(page.url)
    listed = window.locator(".recordings .further")
    listed.wait_for(state="attached")
    panel.get_by_role("button", name="Delete: An answer.wav").click()
    listed.wait_for(state="detached")
    assert window.faults == []
    made(page, "superlative degree. And you always")
    page.set_viewport_size({"width": 390, "height": 844})
    panel.get_by_label("Add a recording").last.set_input_files([words, other])
    panel.locator(".told").wait_for()
    picture(page, "another recording on a phone")
    assert violations(page) == []


def test_a_film_is_shown_as_it_is_heard_and_taken_home(
    page: Any, arctic: Path, tmp_path: Path
) -> None:
    path = film(tmp_path / "talk.webm", arctic, "libopus", "libvpx-vp9", later=0.5)
    upload(page, path, ARCTIC)
    off = (
        "() => Math.abs(document.querySelector('video').currentTime - window.a3tApp.film.start"
        " - window.a3tApp.hearing.heardSource() / window.a3tApp.sound.sample_rate)"
    )
    word(page, "superlative").click()  # a picture of what is selected, and heard
    # The silence before a late sound is part of the recording: it begins with the picture.
    assert page.evaluate("() => window.a3tApp.film.start") < 0.1
    page.wait_for_function(f"() => !window.a3tApp.transport.playing && ({off})() < 0.05")
    change(page, "always", "never")
    for side in ("Edited", "Original"):
        page.get_by_role("radio", name=side).click()
        page.evaluate("() => window.a3tApp.transport.play(0)")
        page.wait_for_function(
            f"() => window.a3tApp.hearing.heardSource() > 24000 && ({off})() < 0.1"
        )
    page.evaluate("() => window.a3tApp.transport.stop()")
    page.wait_for_function("() => document.querySelector('video').paused")
    picture(page, "film")
    with page.expect_download() as waiting:
        export(page, "Film")
    assert waiting.value.suggested_filename == "talk.edited.webm"
    word(page, "superlative").click()
    page.keyboard.press("Delete")
    page.locator(".film .note", has_text="shorter than the picture").wait_for()
    for width, scheme in ((390, "light"), (1280, "dark")):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 844})
        picture(page, f"film {width} {scheme}")


def test_the_example(page: Any) -> None:
    page.locator("#studio-example").click()
    word(page).first.wait_for()
    page.locator(".offer button").click()
    page.locator(".change.made").first.wait_for()
    picture(page, "example")


def test_a_long_recording_is_edited_while_it_is_listened_to(
    page: Any, arctic: Path, tmp_path: Path
) -> None:
    samples, rate = soundfile.read(arctic, dtype="int16")
    long = tmp_path / "long.flac"
    soundfile.write(long, np.tile(samples, 16), rate)
    upload(page, long, " ".join([ARCTIC] * 16))
    word(page, "always").first.click()
    page.keyboard.type("never")
    page.keyboard.press("Enter")
    made(page, "never")
    listened(page)
    assert said(page).count("superlative") == 16
    page.reload()
    ready(page)
    made(page, "never")
    page.evaluate("() => window.a3tApp.transport.seek(50 * window.a3tApp.sound.sample_rate)")
    page.keyboard.press("l")  # plays, and the view goes along
    page.wait_for_function(
        "() => { const { audio, sound } = window.a3tApp;"
        " return audio.axis.left > 20 * sound.sample_rate; }"
    )
    page.keyboard.press("k")
    change(page, "superlative", "always")  # which is said before, and in every other sentence
    recorded = page.get_by_role("radio", name="Said at")
    recorded.first.wait_for()
    picture(page, "recorded takes")
    recorded.first.click()
    page.get_by_text("in this recording.").wait_for()
    picture(page, "a recorded take")


def test_a_transcript_of_any_kind_is_dropped_with_its_recording(page: Any, arctic: Path) -> None:
    words = f"[00:00.30]{ARCTIC.replace('always', 'always,')}\n"
    dropped = [
        [name, b64encode(data).decode()]
        for name, data in ((arctic.name, arctic.read_bytes()), ("talk.lrc", words.encode()))
    ]
    page.evaluate(
        """(dropped) => {
            const dataTransfer = new DataTransfer();
            for (const [name, data] of dropped) {
                const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
                dataTransfer.items.add(new File([bytes], name));
            }
            const drop = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
            document.querySelector(".start-screen").dispatchEvent(drop);
        }""",
        dropped,
    )
    word(page, "always,").wait_for()
