"""How the tests in a browser find their way around the page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

PATIENCE = 300_000  # milliseconds; machines that test are busy


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


def picture(page: Any, name: str) -> None:
    """A screenshot, where A3T_SCREENSHOTS names a folder for them."""
    if folder := os.environ.get("A3T_SCREENSHOTS"):
        page.wait_for_timeout(1000)
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def upload(page: Any, wav: Path) -> None:
    page.locator("#recording input[type=file]").set_input_files(wav)


def shown(page: Any, side: str) -> None:
    """Waits until the stage shows that side ("before" or "after")."""
    page.locator(f"[data-part={side}] canvas").wait_for()


def give(page: Any, wav: Path, text: str, new_text: str) -> None:
    """A recording and both texts, typed while the upload is on its way."""
    upload(page, wav)
    page.locator("#transcript textarea").fill(text)
    page.locator("#new-text textarea").fill(new_text)
    shown(page, "before")


def set_number(page: Any, name: str, value: str) -> None:
    """Types into the slider's field; again if Gradio, which sets a panel up as it is opened, puts
    the slider's first value back."""
    field = page.locator(f"#{name} input[type=number]")
    for _ in range(20):
        field.fill(value)
        field.press("Tab")
        page.wait_for_timeout(500)
        if field.input_value() == value:
            return
    raise AssertionError(f"{name} does not keep the value {value}")


def words(page: Any, side: str) -> list[str]:
    found: list[str] = page.locator(f"[data-part={side}] .a3t-word").all_text_contents()
    return found


def download(page: Any, ending: str, folder: Path) -> Path:
    """Saves the download whose name ends so."""
    with page.expect_download() as waiting:
        page.locator(f"#files a[download$='{ending}']").first.click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path
