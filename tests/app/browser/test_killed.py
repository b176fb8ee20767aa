"""Server and browser are killed at one moment: nothing typed a second before it is lost."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.app.browser.conftest import CHROMIUM
from tests.app.browser.pages import listened, ready, said, upload, watched, word
from tests.conftest import ARCTIC

pytestmark = pytest.mark.slow

# What is done, key by key: three words are clicked and typed over.
KEYS: list[tuple[str, str]] = [
    *[("word", "always"), *(("type", c) for c in "hardly ever"), ("press", "Enter")],
    *[("word", "see"), *(("type", c) for c in "hear"), ("press", "Enter")],
    *[("word", "superlative"), *(("type", c) for c in "highest of all of them")],
]
MOMENTS = 10
LAST_SECOND = 10  # keys, a tenth of a second apart by the page's own clock

SHOWN = """() => {
    const { script, view } = window.a3tApp;
    return [...script.edits.map((edit) => edit.text), view.field ? view.field.input.value : ""];
}"""
WAIT = "() => new Promise((done) => setTimeout(done, 100))"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def until(reached: Any) -> Any:
    """What `reached` returns once that is true; however long a busy machine takes."""
    for _ in range(6000):
        if found := reached():
            return found
        time.sleep(0.05)
    raise AssertionError("never")


class Machine:
    """A server with its projects and a browser with its profile, which outlive being killed."""

    def __init__(self, folder: Path, playwright: Any) -> None:
        self.folder, self.playwright = folder, playwright
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.address = self.url
        self.running: list[subprocess.Popen[str]] = []

    @contextmanager
    def page(self) -> Iterator[Any]:
        """The page at its last address, in a browser with the profile."""
        server = [sys.executable, "-m", "app", "--port", str(self.port)]
        server += ["--projects", str(self.folder / "projects")]
        self._start(server)
        until(self._answers)
        debugging = free_port()
        assert CHROMIUM is not None
        self._start(
            [
                CHROMIUM,
                "--headless=new",
                "--no-sandbox",
                "--no-first-run",
                f"--remote-debugging-port={debugging}",
                f"--user-data-dir={self.folder / 'profile'}",
                "about:blank",
            ]
        )
        browser = until(lambda: self._connected(debugging))
        page = watched(browser.contexts[0].pages[0], self.url)
        page.goto(self.address)
        ready(page)
        try:
            yield page
        finally:
            self.kill()

    def _start(self, command: list[str]) -> None:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.running.append(subprocess.Popen(command, start_new_session=True, text=True, **quiet))

    def _answers(self) -> bool:
        try:
            return httpx.get(self.url, timeout=30).status_code == 200
        except httpx.TransportError:
            return False

    def _connected(self, port: int) -> Any:
        assert self.running[-1].poll() is None, "Chromium has ended"
        try:
            return self.playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
        except Exception as error:
            if "ECONNREFUSED" not in str(error):
                raise
            return None

    def kill(self) -> None:
        """kill -9 of both, with all of their processes."""
        for process in self.running:
            os.killpg(process.pid, signal.SIGKILL)
        for process in self.running:
            process.wait()
        self.running.clear()


@pytest.fixture
def machine(driver: Any, tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path, driver)
    yield machine
    machine.kill()


def do(page: Any, what: str, key: str) -> None:
    if what == "word":
        word(page, key).first.click()
    elif what == "type":
        page.keyboard.type(key)
    else:
        page.keyboard.press(key)
    page.evaluate(WAIT)


def shown(page: Any) -> list[str]:
    """The texts of all changes, and what stands in the field."""
    found: list[str] = page.evaluate(SHOWN)
    return [text for text in found if text]


def test_nothing_typed_before_the_last_second_is_lost(machine: Machine, arctic: Path) -> None:
    """At the last two moments the server has been gone for a while, and one typed on."""
    with machine.page() as page:
        upload(page, arctic, ARCTIC)
        listened(page)
        machine.address = page.url
        # So that the cookie reaches the disk: Chromium keeps new ones in memory for half a minute.
        page.context.browser.new_browser_cdp_session().send("Browser.close")
        machine.running[1].wait()
    expected: list[str] = []
    for moment in range(MOMENTS):
        with machine.page() as page:
            word(page).first.wait_for()
            found = shown(page)
            lost = [text for text in expected if not any(text in each for each in found)]
            assert not lost, (moment, expected, found)
            page.keyboard.press("Escape")
            page.evaluate("() => window.a3tApp.change([], 'all', null)")
            page.locator(".status", has_text="Saved").wait_for()
            assert ARCTIC in said(page) and shown(page) == []
            last = (moment + 1) * (len(KEYS) - LAST_SECOND) // MOMENTS
            for k, (what, key) in enumerate(KEYS[: last + LAST_SECOND]):
                do(page, what, key)
                if k == last - 1:
                    expected = shown(page)
                if k == last // 2 and moment >= MOMENTS - 2:
                    os.killpg(machine.running[0].pid, signal.SIGKILL)
            page.faults.clear()  # with the server gone there are some
            machine.kill()
    with machine.page() as page:
        word(page).first.wait_for()
        found = shown(page)
        assert all(any(text in each for each in found) for text in expected), (expected, found)
