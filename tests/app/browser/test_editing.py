"""The page in a browser: Debian's Chromium, without a window, through Playwright.

    apt-get install chromium; pip install playwright==1.65.2; pytest tests/app/test_browser.py

A3T_SCREENSHOTS names a folder for pictures of the page.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.conftest import ARCTIC

pytestmark = pytest.mark.slow
playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: pip install playwright==1.65.2"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("chromium is not installed: apt-get install chromium", allow_module_level=True)

NEVER = ARCTIC.replace("always", "never")
PATIENCE = 180_000  # milliseconds; machines that test are busy


@pytest.fixture(scope="module")
def browser(arctic: Path) -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        flags = [
            "--no-sandbox",
            "--autoplay-policy=no-user-gesture-required",
            "--use-fake-ui-for-media-stream",
            "--use-fake-device-for-media-stream",
            f"--use-file-for-fake-audio-capture={arctic}",
        ]
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


def opened(browser: Any, url: str, **context: Any) -> Any:
    """The page in a browser context of its own; errors of its scripts are kept in page.faults."""
    page = browser.new_context(accept_downloads=True, **context).new_page()
    page.set_default_timeout(PATIENCE)
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("dialog", lambda dialog: page.faults.append(dialog.message))
    page.goto(url)
    page.locator("#make").wait_for()
    return page


@pytest.fixture
def page(browser: Any, url: str) -> Iterator[Any]:
    page = opened(browser, url, viewport={"width": 1280, "height": 1000})
    yield page
    assert page.faults == []
    page.context.close()


def picture(page: Any, name: str) -> None:
    if folder := os.environ.get("A3T_SCREENSHOTS"):
        page.wait_for_timeout(1000)
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def give(page: Any, wav: Path, text: str, new_text: str) -> None:
    page.locator("#recording input[type=file]").set_input_files(wav)
    page.locator("[data-part=before] canvas").wait_for()
    page.locator("#transcript textarea").fill(text)
    page.locator("#new-text textarea").fill(new_text)


def words(page: Any, side: str) -> list[str]:
    found: list[str] = page.locator(f"[data-part={side}] .a3t-word").all_text_contents()
    return found


def test_first_use(page: Any) -> None:
    """One click to an example, one to a result that can be heard."""
    page.locator("#example").click()
    page.locator("[data-part=before] canvas").wait_for()
    page.locator("#make").click()
    page.locator("[data-part=after] canvas").wait_for()
    assert "never" in words(page, "after") and "again" in words(page, "after")
    page.locator("[data-part=hear-after]").click()
    page.wait_for_function(
        "() => parseFloat(document.querySelector('[data-part=after] .a3t-head').style.left) > 1"
    )
    picture(page, "first-use")


def test_upload_edit_preview_make_choose_accept_undo_download(
    page: Any, arctic: Path, tmp_path: Path
) -> None:
    give(page, arctic, ARCTIC, NEVER)
    page.locator("#changes ins", has_text="never").wait_for()
    assert page.locator("#changes del").all_text_contents() == ["always"]
    page.locator("#preview").click()
    page.locator(".a3t-word.edited", has_text="always").wait_for()
    assert words(page, "before") == ARCTIC.lower().strip(".").split()
    assert page.locator("[data-part=after]").is_hidden()
    picture(page, "preview")

    page.get_by_role("button", name="More").first.click()
    page.get_by_label("How many to choose from").first.fill("3")
    page.locator("#make").click()
    page.locator("[data-part=after] canvas").wait_for()
    picture(page, "made")
    lengths = []
    for name in ("slower", "faster"):
        page.locator("#takes").get_by_label(name).check()
        page.wait_for_timeout(3000)
        with page.expect_download() as download:
            page.locator("#files a[download]").first.click()
        download.value.save_as(tmp_path / f"{name}.wav")
        lengths.append(soundfile.info(tmp_path / f"{name}.wav").frames)
    assert lengths[0] > lengths[1]

    with page.expect_download() as download:
        page.locator("#files a[download]").nth(1).click()
    record = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    (edit,) = record["edits"]
    before, after = (
        soundfile.read(path, dtype="int16")[0] for path in (arctic, tmp_path / "faster.wav")
    )
    kept = np.delete(before, np.s_[slice(*edit["source"])])
    assert np.array_equal(kept, np.delete(after, np.s_[slice(*edit["output"])]))

    page.locator("#accept").click()
    page.locator("#history li", has_text="always → never").wait_for()
    assert words(page, "before") == NEVER.lower().strip(".").split()
    page.locator("#undo").click()
    page.locator(".a3t-word", has_text="always").wait_for()
    assert page.locator("#transcript textarea").input_value() == ARCTIC


def test_a_words_boundaries_by_number_and_by_dragging(page: Any, arctic: Path) -> None:
    give(page, arctic, ARCTIC, "")
    page.locator("#find").click()
    word = page.locator("[data-part=before] .a3t-word", has_text="always")
    word.click()
    start = page.locator("[data-part=word-start]")
    was = float(start.input_value())
    start.focus()
    for _ in range(10):
        start.press("ArrowUp")
    assert float(start.input_value()) == pytest.approx(was + 0.05, abs=0.006)
    canvas = page.locator("[data-part=before] canvas")
    box = canvas.bounding_box()
    duration = soundfile.info(arctic).duration
    x = box["x"] + float(start.input_value()) / duration * box["width"]
    page.mouse.move(x, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(x + 0.03 / duration * box["width"], box["y"] + 60, steps=4)
    page.mouse.up()
    dragged = float(start.input_value())
    assert dragged == pytest.approx(was + 0.08, abs=0.012)
    picture(page, "boundaries")
    page.locator("[data-part=word-use]").click()
    page.wait_for_function(
        "(start) => [...document.querySelectorAll('[data-part=before] .a3t-word')]"
        ".some((word) => word.title.startsWith('always, ' + start))",
        arg=f"{dragged:.2f}",
    )


def test_cancel(page: Any, arctic: Path) -> None:
    give(page, arctic, ARCTIC, NEVER)
    page.locator("#make").click()
    page.locator("#cancel").click()
    page.locator("#status", has_text="Cancelled").wait_for()
    assert page.locator("[data-part=after]").is_hidden()
    page.locator("#make").click()  # and it still works
    page.locator("[data-part=after] canvas").wait_for()


def test_bad_files_and_texts(page: Any, arctic: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.wav"
    notes.write_text("no sound at all")
    page.locator("#recording input[type=file]").set_input_files(notes)
    page.get_by_text("not a sound file").first.wait_for()
    page.reload()
    give(page, arctic, ARCTIC, "<img src=x onerror=alert(1)> never")
    page.locator("#changes ins").first.wait_for()
    assert page.locator("#changes img").count() == 0
    page.locator("#transcript textarea").fill("The weather will be sunny on Thursday afternoon.")
    page.locator("#make").click()
    page.get_by_text("doesn't match its text").first.wait_for()


def test_two_visitors(browser: Any, url: str, page: Any, arctic: Path) -> None:
    other = opened(browser, url)
    page.locator("#example").click()
    page.locator("[data-part=before] canvas").wait_for()
    assert other.locator("[data-part=before]").is_hidden()
    assert other.locator("#transcript textarea").input_value() == ""
    other.context.close()


def test_recording_with_a_microphone(browser: Any, url: str) -> None:
    page = opened(browser, url, permissions=["microphone"])
    page.locator("#recording").get_by_label("Record audio").click()
    page.locator("#recording").get_by_text("Record", exact=True).click()
    page.wait_for_timeout(5000)
    page.locator("#recording").get_by_text("Stop", exact=True).first.click()
    page.locator("[data-part=before] canvas").wait_for()
    assert page.faults == []
    page.context.close()


@pytest.mark.parametrize(
    ("name", "context"),
    [
        ("dark", {"color_scheme": "dark", "viewport": {"width": 1280, "height": 1000}}),
        ("phone", {"viewport": {"width": 390, "height": 800}}),
    ],
)
def test_dark_and_on_a_phone(browser: Any, url: str, name: str, context: Any) -> None:
    page = opened(browser, url, **context)
    page.locator("#example").click()
    page.locator("[data-part=before] canvas").wait_for()
    page.locator("#make").click()
    page.locator("[data-part=after] canvas").wait_for()
    wide = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 1  # nothing but the stage's own boxes is scrolled sideways
    picture(page, name)
    page.context.close()
