"""Recordings in the browser: a microphone, long ones, files that are none, an example."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.app.browser.pages import listened, made, opened, picture, ready, said, upload, word
from tests.conftest import ARCTIC

pytestmark = pytest.mark.slow


def test_a_text_that_is_another(page: Any, arctic: Path) -> None:
    upload(page, arctic, "The weather will be sunny on Thursday afternoon.")
    page.locator(".document .problem", has_text="not what this recording says").wait_for()


def test_recording_with_a_microphone(browser: Any, url: str) -> None:
    page = opened(browser, url, permissions=["microphone"])
    page.get_by_role("button", name="Record yourself").click()
    page.get_by_text("0:03").wait_for()
    page.get_by_role("button", name="Stop recording").click()
    page.wait_for_function("() => window.a3tApp.sound && window.a3tApp.sound.seconds > 2")
    assert page.faults == []
    page.context.close()


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
        " return audio.left > 20 * sound.sample_rate; }"
    )
    page.keyboard.press("k")
