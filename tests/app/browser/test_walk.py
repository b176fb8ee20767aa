"""A podcaster's way through the page, from the upload to the file taken home."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.app.browser.pages import (
    change,
    changes,
    download,
    listened,
    made,
    picture,
    ready,
    said,
    upload,
    word,
)

pytestmark = pytest.mark.slow


def files_of(archive: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def correct(page: Any, misheard: str, text: str) -> None:
    word(page, misheard).first.click()
    page.keyboard.press("F2")
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    word(page, text).first.wait_for()


def test_the_walk(page: Any, arctic: Path, tmp_path: Path) -> None:
    """Ten actions. Two words that the recogniser heard are corrected to others that sound
    alike, as one corrects what was misheard."""
    upload(page, arctic)  # 1
    listened(page)
    heard = [each.strip(".,?") for each in said(page).lower().split()]
    assert {"always", "want", "see", "degree"} <= set(heard)
    correct(page, "see", "sea")  # 2
    correct(page, "degree", "decree")  # 3
    assert page.locator(".change").count() == 0  # nothing is made of a correction
    change(page, "always", "never")  # 4
    change(page, "want", "hope")  # 5
    picture(page, "made")
    page.get_by_role("button", name="Another take").click()  # 6
    take = page.get_by_role("radio", name="Take 2")
    take.wait_for()
    assert take.get_attribute("aria-checked") == "true"
    page.get_by_role("radio", name="Take 1").click()  # 7
    page.locator(".status", has_text="Saved").wait_for()
    page.reload()  # 8
    ready(page)
    made(page, "hope")
    assert "sea" in said(page) and "decree" in said(page)
    change(page, "it", "them")  # 9
    assert len(changes(page)) == 3  # neighbours stay two, and are made as one
    files = files_of(download(page, tmp_path))  # 10
    told = json.loads(next(data for name, data in files.items() if name.endswith("edit.json")))
    assert told["text"].split()[-1].strip(".") == "decree"
    new = told["new_text"].split()
    assert {"never", "hope", "them", "sea"} <= set(new) and "always" not in new
    before, _ = soundfile.read(arctic, dtype="int16")
    after, _ = soundfile.read(
        io.BytesIO(next(data for name, data in files.items() if name.endswith("edited.wav"))),
        dtype="int16",
    )
    for edit in reversed(told["edits"]):
        before = np.delete(before, np.s_[slice(*edit["source"])])
        after = np.delete(after, np.s_[slice(*edit["output"])])
    assert np.array_equal(before, after)


def test_a_second_visitor_sees_nothing_of_the_first(
    page: Any, browser: Any, url: str, arctic: Path
) -> None:
    from tests.app.browser.pages import opened

    upload(page, arctic, "And you always want to see it in the superlative degree.")
    other = opened(browser, url)
    assert other.locator(".project").count() == 0
    other.goto(page.url)
    other.locator(".busy", has_text="no such project").wait_for()
    other.context.close()
    page.get_by_role("button", name="Projects").click()
    page.locator(".project", has_text=arctic.name).wait_for()
