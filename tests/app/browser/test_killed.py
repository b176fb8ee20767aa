"""The browser is killed: nothing typed a second before it is lost."""

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.app.browser.conftest import CHROMIUM
from tests.app.browser.pages import listened, made, ready, upload, watched, word
from tests.conftest import ARCTIC

pytestmark = pytest.mark.slow

SECOND = 1000  # milliseconds, by the page's clock
SHOWN = """(wanted) => {
    const { script, view } = window.a3tApp;
    const field = view.field.open ? [view.field.open.input.value] : [];
    return [...script.edits.map((edit) => edit.text), ...field].join() === wanted.join();
}"""


@contextmanager
def chromium(driver: Any, profile: Path, address: str, killed: bool = True) -> Iterator[Any]:
    """The page in a browser of its own with this profile, which is killed, or closed, in the end.

    Chromium keeps new cookies in memory for half a minute, unless it is closed.
    """
    assert CHROMIUM is not None
    told = profile / "DevToolsActivePort"
    told.unlink(missing_ok=True)
    flags = ["--headless=new", "--no-sandbox", "--no-first-run", "--remote-debugging-port=0"]
    command = [CHROMIUM, *flags, f"--user-data-dir={profile}", "about:blank"]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)
    try:
        never = threading.Event()
        while not told.exists() or len(told.read_text().split()) < 2:
            assert process.poll() is None, "Chromium has ended"
            never.wait(0.05)
        port = told.read_text().split()[0]
        browser = driver.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
        page = watched(browser.contexts[0].pages[0], address)
        page.goto(f"{address}/editor")
        ready(page)
        yield page
        if not killed:
            browser.new_browser_cdp_session().send("Browser.close")
            process.wait()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize("offline", [False, True])
def test_nothing_typed_is_lost_with_the_browser(
    offline: bool, driver: Any, url: str, arctic: Path, tmp_path: Path
) -> None:
    with chromium(driver, tmp_path, url, killed=False) as page:
        upload(page, arctic, ARCTIC)
        listened(page)
        address = page.url
    with chromium(driver, tmp_path, address) as page:
        word(page, "always").wait_for()
        page.context.set_offline(offline)
        word(page, "always").click()
        page.keyboard.type("hardly ever")
        page.keyboard.press("Enter")
        word(page, "superlative").click()
        page.keyboard.type("highest of al")
        page.wait_for_timeout(SECOND)
    with chromium(driver, tmp_path, address) as page:
        page.wait_for_function(SHOWN, arg=["hardly ever", "highest of al"])
        made(page, "hardly ever")  # nothing is at work when the test ends
