"""Recordings in the browser: a microphone, hours of speech, invalid files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.app.browser.pages import give, opened, picture, shown, upload
from tests.conftest import ARCTIC

pytestmark = pytest.mark.slow


def test_bad_files_and_texts(page: Any, arctic: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.wav"
    notes.write_text("no sound at all")
    upload(page, notes)
    page.get_by_text("not a sound file").first.wait_for()
    page.reload()
    give(page, arctic, ARCTIC, "<img src=x onerror=alert(1)> never")
    page.locator("#changes ins").first.wait_for()
    assert page.locator("#changes img").count() == 0
    page.locator("#transcript textarea").fill("The weather will be sunny on Thursday afternoon.")
    page.locator("#make").click()
    page.get_by_text("doesn't match its text").first.wait_for()


def test_recording_with_a_microphone(browser: Any, url: str) -> None:
    page = opened(browser, url, permissions=["microphone"])
    page.locator("#recording").get_by_label("Record audio").click()
    page.locator("#recording").get_by_text("Record", exact=True).click()
    page.wait_for_timeout(3000)
    page.locator("#recording").get_by_text("Stop", exact=True).first.click()
    shown(page, "before")
    assert page.faults == []
    page.context.close()


def test_a_long_recording_is_shown_in_parts(page: Any, arctic: Path, tmp_path: Path) -> None:
    samples, rate = soundfile.read(arctic, dtype="int16")
    long = tmp_path / "long.flac"
    soundfile.write(long, np.tile(samples, 61), rate)
    upload(page, long)
    shown(page, "before")
    where = page.locator("[data-part=where]")
    assert where.text_content() == "00:00 to 00:30 of 04:04"
    page.locator("[data-part=later]").click()
    page.get_by_text("00:24 to 00:54 of 04:04").wait_for()
    place = page.locator("[data-part=place]")
    place.focus()
    place.press("End")
    page.get_by_text("03:34 to 04:04 of 04:04").wait_for()
    picture(page, "long")
