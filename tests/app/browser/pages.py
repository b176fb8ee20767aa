"""The page as the tests in a browser see it."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

READY = ".studio[data-ready]"
PATIENCE = float(os.environ.get("A3T_PATIENCE", 300_000))  # milliseconds; test machines are busy


def opened(browser: Any, url: str, **context: Any) -> Any:
    """The page in a browser context of its own, at its start; `watched`."""
    page = watched(browser.new_context(accept_downloads=True, **context).new_page(), url)
    page.goto(f"{url}/editor")
    ready(page)
    return page


def watched(page: Any, url: str) -> Any:
    """The page, with what goes wrong in it in page.faults: errors, and requests to other hosts."""
    page.set_default_timeout(PATIENCE)
    page.faults = []

    def complain(message: Any) -> None:
        if message.type == "error" and not message.location["url"].endswith("/favicon.ico"):
            page.faults.append(f"console: {message.text}")

    def look(request: Any) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https", "ws") and address.netloc != urlsplit(url).netloc:
            page.faults.append(f"another host: {request.url}")

    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("console", complain)
    page.on("request", look)
    return page


def ready(page: Any) -> None:
    page.locator(READY).wait_for()


def picture(page: Any, name: str) -> None:
    """A screenshot, where A3T_SCREENSHOTS names a folder for them."""
    if folder := os.environ.get("A3T_SCREENSHOTS"):
        page.wait_for_timeout(1000)
        page.screenshot(path=f"{folder}/{name}.png")


def upload(page: Any, wav: Path, text: str | None = None) -> None:
    """A recording, with its transcript if there is one."""
    if text is not None:
        page.locator(".hero summary").click()
        page.locator(".hero textarea").fill(text)
    page.locator("#studio-upload").set_input_files(wav)
    page.locator(".script .w:not(.waits)").first.wait_for()  # those of a given text wait


def listened(page: Any) -> None:
    """Waits until every word is known."""
    page.locator(".header progress").wait_for(state="hidden")


def word(page: Any, text: str | None = None) -> Any:
    """Words of the transcript."""
    words = page.locator(".script .w")
    return words if text is None else words.filter(has_text=text)


def said(page: Any) -> str:
    """The visible transcript, changes included."""
    return " ".join(" ".join(page.locator(".script p").all_inner_texts()).split())


def change(page: Any, old: str, new: str) -> None:
    """Types over a word and waits until it is made."""
    word(page, old).first.click()
    page.keyboard.type(new)
    page.keyboard.press("Enter")
    made(page, new)


def made(page: Any, new: str) -> None:
    page.locator(".change.made ins, .change.accepted ins").filter(has_text=new).wait_for()


def changes(page: Any) -> list[str]:
    """The cards' texts, from top to bottom."""
    found: list[str] = page.locator(".card .words").all_inner_texts()
    return [" ".join(text.split()) for text in found]


def export(page: Any, what: str = "Audio") -> None:
    """Ask for a part of what can be taken home."""
    page.get_by_role("button", name="Export").click()
    page.locator(".export").get_by_role("radio", name=what).check()
    page.get_by_role("button", name="Download").click()


def download(page: Any, folder: Path) -> Path:
    """The zip of everything."""
    with page.expect_download() as waiting:
        export(page, "All files")
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


# Colours that fade into others are judged when they have.
STILL = """() => new Promise(requestAnimationFrame).then(() => Promise.all(document.getAnimations()
    .filter((each) => each.effect.getComputedTiming().endTime < 1e4)
    .map((each) => each.finished.catch(() => null)))).then(() => true)"""


def violations(page: Any, *without: str) -> list[str]:
    """The faults that axe finds on the page, one line per rule, `without` these rules."""
    page.evaluate(STILL)
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    more = ("label-content-name-mismatch", "page-has-heading-one")
    rules = {name: {"enabled": name not in without} for name in (*more, *without)}
    found = axe.Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"], "rules": rules})
    return [
        f"{rule['id']}: {rule['help']}: {[node['html'][:150] for node in rule['nodes'][:3]]}"
        for rule in found.response["violations"]
    ]
