"""Debian's Chromium, without a window, through Playwright.

    apt-get install chromium-headless-shell; make test-app

The whole browser does as well; it draws its windows, which needs twice the processor time.

A3T_SCREENSHOTS names a folder for pictures of the page.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.browser.pages import opened

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker("browser")


@pytest.fixture(scope="session")
def driver() -> Iterator[Any]:
    """Playwright."""
    reason = "playwright is not installed: pip install playwright==1.65.2"
    playwright = pytest.importorskip("playwright.sync_api", reason=reason)
    if CHROMIUM is None:
        pytest.skip("chromium is not installed: apt-get install chromium-headless-shell")
    with playwright.sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def browser(driver: Any, arctic: Path) -> Iterator[Any]:
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


@pytest.fixture
def page(browser: Any, url: str) -> Iterator[Any]:
    page = opened(browser, url, viewport={"width": 1280, "height": 900})
    yield page
    assert page.faults == []
    page.context.close()
