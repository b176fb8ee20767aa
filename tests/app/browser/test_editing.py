"""Editing in a browser: from an empty page to a downloaded file."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from app.service import Service
from tests.app.browser.pages import download, give, opened, picture, set_number, shown, words
from tests.conftest import ARCTIC

pytestmark = pytest.mark.slow
NEVER = ARCTIC.replace("always", "never")


def test_first_use(page: Any) -> None:
    """One click to an example, one to a result that can be heard."""
    page.locator("#example").click()
    shown(page, "before")
    page.locator("#make").click()
    shown(page, "after")
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

    page.locator("#more button").first.click()
    set_number(page, "number", "2")
    page.locator("#make").click()
    page.locator("#takes").wait_for()
    picture(page, "made")
    takes = page.locator("#takes input")
    assert takes.count() == 2 and takes.first.is_checked()
    first = download(page, "edited.wav", tmp_path / "first")
    takes.nth(1).check()
    page.wait_for_function(
        "(was) => document.querySelector('#files a[download$=\"edited.wav\"]').href !== was",
        arg=page.locator("#files a[download$='edited.wav']").first.get_attribute("href"),
    )
    second = download(page, "edited.wav", tmp_path / "second")
    assert first.read_bytes() != second.read_bytes()

    told = json.loads(download(page, "edit.json", tmp_path).read_text(encoding="utf-8"))
    (edit,) = told["edits"]
    before, after = (soundfile.read(path, dtype="int16")[0] for path in (arctic, second))
    kept = np.delete(before, np.s_[slice(*edit["source"])])
    assert np.array_equal(kept, np.delete(after, np.s_[slice(*edit["output"])]))
    assert len(after) > edit["output"][1] and len(before) > edit["source"][1]

    page.locator("#accept").click()
    page.locator("#history li", has_text="always → never").wait_for()
    assert words(page, "before") == NEVER.lower().strip(".").split()
    page.locator("#undo").click()
    page.locator(".a3t-word", has_text="always").wait_for()
    assert page.locator("#transcript textarea").input_value() == ARCTIC
    page.locator("#redo").click()
    page.locator("[data-part=before] .a3t-word", has_text="never").wait_for()
    assert page.locator("#new-text textarea").input_value() == NEVER


def test_text_typed_meanwhile_wins_over_a_late_answer(
    page: Any, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, typed = threading.Event(), threading.Event()
    find = Service.find_words

    def late(*args: Any) -> str:
        begun.set()
        assert typed.wait(300)
        return find(*args)

    monkeypatch.setattr(Service, "find_words", late)
    give(page, arctic, "", "")
    page.locator("#find").click()
    assert begun.wait(300)
    page.locator("#new-text textarea").fill(NEVER)
    typed.set()
    page.locator("[data-part=before] .a3t-word").first.wait_for()
    page.locator("#changes ins").first.wait_for()
    assert page.locator("#new-text textarea").input_value() == NEVER
    assert "superlative" in page.locator("#transcript textarea").input_value()


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
    shown(page, "after")


def test_two_people_edit_at_once(browser: Any, url: str, page: Any, arctic: Path) -> None:
    other = opened(browser, url)
    give(page, arctic, ARCTIC, NEVER)
    other.locator("#example").click()
    shown(other, "before")
    page.locator("#make").click()
    other.locator("#make").click()
    for one in (page, other):
        shown(one, "after")
    assert words(page, "after") == NEVER.lower().strip(".").split()
    assert "again" in words(other, "after") and "again" not in words(page, "after")
    assert other.faults == []
    other.context.close()
