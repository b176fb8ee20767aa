"""Gradio's pages: the script editor in its frame, and a quick edit."""

from pathlib import Path
from typing import Any

import pytest

from tests.app.browser.pages import READY, watched
from tests.conftest import ARCTIC, NEVER

pytestmark = pytest.mark.slow


def test_the_first_page_frames_the_script_editor_and_has_its_address(
    browser: Any, url: str
) -> None:
    page = watched(browser.new_page(), url)
    page.goto(url)
    editor = page.frame_locator("#script-editor")
    editor.locator(READY).wait_for()
    editor.locator("#studio-example").click()
    editor.locator(".script .w").first.wait_for()
    page.wait_for_function("() => location.hash.startsWith('#project=')")
    page.reload()
    editor.locator(".script .w").first.wait_for()  # the same project
    assert page.faults == []
    page.context.close()


def test_a_quick_edit_gives_the_sound_its_picture_and_files(
    browser: Any, url: str, arctic: Path
) -> None:
    page = watched(browser.new_page(), url)
    page.goto(f"{url}/edit")
    page.locator("input[type=file]").first.set_input_files(arctic)
    page.get_by_label("Transcript").fill(ARCTIC)
    page.get_by_label("New text").fill(NEVER)
    page.get_by_role("button", name="Preview").click()
    page.get_by_text("never").last.wait_for()
    page.get_by_role("button", name="Edit", exact=True).click()
    page.locator("img[src*='file=']").wait_for()  # the picture comes with the files
    with page.expect_download() as waiting:
        page.get_by_role("button", name="edit.json").click()
    assert '"never"' in Path(waiting.value.path()).read_text(encoding="utf-8")
    page.get_by_role("button", name="Open in the script editor").click()
    page.wait_for_url("**/#project=*")
    page.frame_locator("#script-editor").locator(".script .w").first.wait_for()
    # Gradio ends its stream of events when its page is left, and says so.
    assert [each for each in page.faults if "AbortError" not in each] == []
    page.context.close()
