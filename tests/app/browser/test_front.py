"""Gradio's pages: the script editor in its frame, a quick edit, speech, alignment; framed, too."""

import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest
import soundfile

from a3t.editor import Editor
from a3t.projects.export.exports import export
from app.processes.request_jobs import CancelledError, Watch
from app.service import Service
from tests.app.browser.pages import PATIENCE, READY, picture, violations, watched
from tests.app.conftest import launched
from tests.conftest import ARCTIC, NEVER

pytestmark = pytest.mark.slow

# What Gradio's own components are faulted for, whatever they show: the names of the upload's and
# the speed's button, and the one around a picture.
GRADIO_S = ("label-content-name-mismatch", "button-name")
FIELD = (
    "(label) => [...document.querySelectorAll('label')].find((each) => "
    "each.innerText.startsWith(label)).querySelector('textarea, input').value"
)
WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def page(browser: Any, url: str) -> Iterator[Any]:
    page = watched(browser.new_page(viewport={"width": 1280, "height": 900}), url)
    yield page
    # Gradio ends its stream of events when its page is left, and asks for a sound's pieces before
    # there are any, again and again, and says so.
    known = ("AbortError", "HLS error", "hlsError", "Fatal network error encountered, trying to")
    assert [each for each in page.faults if not any(word in each for word in known)] == []
    page.context.close()


def shown(page: Any, address: str) -> None:
    page.goto(address)
    page.locator("input[type=file]").first.wait_for(state="attached")


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def taken_home(page: Any, name: str) -> bytes:
    with page.expect_download() as waiting:
        press(page, name)
    return Path(waiting.value.path()).read_bytes()


def clean(page: Any, name: str) -> None:
    """The page as it is: axe finds nothing, in light and dark, and on a phone."""
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(f"() => ({WIDE})() <= 1")
        assert violations(page, *GRADIO_S) == []
        picture(page, f"{name}-{scheme}-{width}")
    page.set_viewport_size({"width": 1280, "height": 900})


def test_the_first_page_frames_the_script_editor_and_has_its_address(page: Any, url: str) -> None:
    page.goto(url)
    editor = page.frame_locator("#script-editor")
    editor.locator(READY).wait_for()
    editor.locator("#studio-example").click()
    editor.locator(".script .w").first.wait_for()
    page.wait_for_function("() => location.hash.startsWith('#project=')")
    page.reload()
    editor.locator(".script .w").first.wait_for()  # the same project
    clean(page, "front")


def test_a_quick_edit_from_the_upload_to_the_script_editor(
    page: Any, url: str, arctic: Path, editor: Editor, tmp_path: Path
) -> None:
    shown(page, f"{url}/edit")
    clean(page, "edit")
    press(page, "Edit")  # without anything
    page.get_by_text("There is no new text yet: type what the recording should").wait_for()
    page.locator("input[type=file]").first.set_input_files(arctic)
    page.get_by_label("New text").fill(NEVER.replace("superlative", "lowest"))
    press(page, "Preview")
    page.get_by_label("2. “superlative” → “lowest”").uncheck()
    press(page, "Edit")
    page.locator("img[src*='file=']").wait_for()  # the picture comes with the files
    assert page.get_by_label("Not made").input_value().startswith("Left as recorded: 2.")
    assert page.get_by_label("Transcript that was used").input_value() == ARCTIC
    page.get_by_label("Transcript").first.fill(ARCTIC)
    page.get_by_label("New text").fill(NEVER)
    press(page, "Edit")
    page.wait_for_function(f"() => ({FIELD})('Not made') === ''")
    result = editor.edit(arctic, text=ARCTIC, new_text=NEVER)
    out = result.save(tmp_path / f"{arctic.stem}.edited.wav")
    (grid,) = export(result, out, ["textgrid"])
    assert taken_home(page, "Recording") == out.read_bytes()
    assert taken_home(page, "TextGrid") == grid.read_bytes()
    told = json.loads(taken_home(page, "edit.json"))
    own = json.loads(out.with_suffix(".edit.json").read_text(encoding="utf-8"))
    assert told.keys() == own.keys()
    assert all(told[name] == own[name] for name in own if name not in ("source", "seconds"))
    for number in range(3):  # the recording, before and after
        page.get_by_label("Play", exact=True).nth(number).click()
        page.get_by_label("Pause", exact=True).first.wait_for()
        page.get_by_label("Pause", exact=True).first.click()
    clean(page, "edited")
    press(page, "Open in the script editor")
    page.wait_for_url("**/#project=*")
    frame = page.frame_locator("#script-editor")
    frame.locator(".change.made ins").filter(has_text="never").wait_for()


def test_what_was_recognised_is_changed(
    page: Any, url: str, arctic: Path, editor: Editor, tmp_path: Path
) -> None:
    shown(page, f"{url}/edit")
    page.locator("input[type=file]").first.set_input_files(arctic)
    press(page, "Recognise")
    page.wait_for_function(f"() => ({FIELD})('Transcript') !== ''")
    heard = page.get_by_label("Transcript").first.input_value()
    new_text = heard.replace(heard.split()[2], "never")
    page.get_by_label("New text").fill(new_text)
    press(page, "Edit")
    page.locator("img[src*='file=']").wait_for()
    out = editor.edit(arctic, text=heard, new_text=new_text).save(tmp_path / "edited.wav")
    assert taken_home(page, "Recording") == out.read_bytes()
    told = json.loads(taken_home(page, "edit.json"))
    assert (told["text"], told["new_text"]) == (heard, new_text)
    for number in (1, 2):  # before and after
        page.get_by_label("Play", exact=True).nth(number).click()
        page.get_by_label("Pause", exact=True).first.wait_for()
        page.get_by_label("Pause", exact=True).first.click()


def test_an_example_and_the_microphone(page: Any, url: str) -> None:
    shown(page, f"{url}/edit")
    page.get_by_text("arctic_a0007.wav").click()
    page.wait_for_function("() => document.querySelector('textarea').value.includes('always')")
    shown(page, f"{url}/align")
    page.get_by_label("Record audio").click()
    press(page, "Record")
    page.wait_for_timeout(4000)  # of the sentence, which the fake device says
    press(page, "Stop")
    page.get_by_label("Transcript or script").fill(ARCTIC)
    press(page, "Align")
    page.locator("img[src*='file=']").wait_for()
    clean(page, "align")


def test_a_job_that_is_cancelled_ends(
    page: Any, url: str, arctic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = SimpleNamespace(watches=[], ended=threading.Event())

    def align(self: Service, watch: Watch, *_: Any) -> None:
        state.watches.append(watch)
        watch("align")
        watch.cancelled.wait()
        state.ended.set()
        raise CancelledError

    monkeypatch.setattr(Service, "align_with_files", align)
    shown(page, f"{url}/align")
    page.locator("input[type=file]").first.set_input_files(arctic)
    press(page, "Align")
    page.get_by_text("Finding the words in the recording").first.wait_for()
    press(page, "Cancel")
    assert state.ended.wait(300)


# What the pieces of a playlist decode to, as 24 kHz samples.
DECODED = """async (playlist) => {
    const names = (await (await fetch(playlist)).text()).match(/^[^#].*aac$/gm)
    const pieces = await Promise.all(names.map(
        async (name) => new Uint8Array(await (await fetch(new URL(name, playlist))).arrayBuffer())))
    const sound = await new Blob(pieces).arrayBuffer()
    const decoded = await new OfflineAudioContext(1, 1, 24000).decodeAudioData(sound)
    return [...decoded.getChannelData(0)]
}"""


def test_a_text_is_spoken_in_a_voice_of_the_server(page: Any, url: str) -> None:
    shown(page, f"{url}/speech")
    clean(page, "speech")
    page.get_by_label("Or a voice of this server").click()
    page.get_by_role("option", name="example").click()
    page.get_by_label("Text to speak").fill("Bring the papers.")
    with page.expect_response("**/playlist.m3u8") as asked:
        press(page, "Speak")
    page.wait_for_function(f"() => ({FIELD})('Its transcript').includes('always')")
    assert json.loads(taken_home(page, "speech.json"))["text"] == "Bring the papers."
    page.wait_for_function("() => document.querySelector('audio').ended")  # played to its end
    heard = np.array(page.evaluate(DECODED, asked.value.url))
    address = page.locator("a[download]").first.get_attribute("href")
    whole, rate = soundfile.read(io.BytesIO(httpx.get(address).content))
    assert rate == 24_000 and 0 <= len(heard) - len(whole) < 4096  # the coder's frames
    from scipy.signal import correlate

    lag = int(np.argmax(correlate(heard, whole, "full"))) - len(whole) + 1
    aligned = heard[max(lag, 0) :][: len(whole)]
    # The stream clips what is too loud, the file is made softer; a piece that is missing or late
    # leaves far less in common.
    assert np.corrcoef(aligned, whole[: len(aligned)])[0, 1] > 0.9


@pytest.fixture
def outside() -> Iterator[Any]:
    """Another site, which frames what `frame` says."""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(f"<iframe src='{site.frame}' width=1200 height=900>".encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = SimpleNamespace(frame="", address=f"http://localhost:{server.server_port}")
    yield site
    server.shutdown()


def test_framed_by_a_named_site_alone(
    browser: Any, url: str, outside: Any, service: Service, arctic: Path
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(PATIENCE)
    outside.frame = f"{url}/edit"
    with page.expect_event("console", lambda each: "frame-ancestors" in each.text):
        page.goto(outside.address)
    assert page.frame_locator("iframe").locator("input").count() == 0
    with launched(service, frame_from=outside.address) as address:
        outside.frame = f"{address}/edit"
        page.goto(outside.address)
        frame = page.frame_locator("iframe")
        frame.locator("input[type=file]").first.wait_for(state="attached")
        frame.locator("input[type=file]").first.set_input_files(arctic)
        frame.get_by_label("Transcript").first.fill(ARCTIC)
        frame.get_by_label("New text").fill(NEVER)
        frame.get_by_role("button", name="Edit", exact=True).click()
        frame.locator("img[src*='file=']").wait_for()
        press(frame, "Open in the script editor")  # its project is the visitor's, by the cookie
        inner = frame.frame_locator("#script-editor")
        inner.locator(".change.made ins").filter(has_text="never").wait_for()
        inner.get_by_role("button", name="Play").first.click()
        inner.get_by_role("button", name="Pause").first.wait_for()
    page.context.close()
