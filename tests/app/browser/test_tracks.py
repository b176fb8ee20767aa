"""A podcast of two tracks in the browser: one script, heard together, a change on each, a mix."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.app.browser.pages import made, picture, word
from tests.app.browser.test_reading import violations

pytestmark = pytest.mark.slow

# What each track sounds like now, behind its mute: its loudest sample of the last moments.
LISTEN = """() => {
    const { transport } = window.a3tApp, { context, gains } = transport.mixer;
    window.ears = gains.map((gain) => {
        const ear = new AnalyserNode(context, { fftSize: 32768 });
        gain.connect(ear);
        return ear;
    });
    window.heard = () => window.ears.map((ear) => {
        const samples = new Float32Array(32768);
        ear.getFloatTimeDomainData(samples);
        return Math.max(...samples) > 0.01;
    }).join();
}"""


def test_two_tracks_are_edited_in_one_script_and_heard_together(
    page: Any, arctic: Path, tmp_path: Path
) -> None:
    """Seven actions from the empty page to the mix with a change on each."""
    samples, rate = soundfile.read(arctic, dtype="int16")
    silence = np.zeros_like(samples)
    host, guest = tmp_path / "host.wav", tmp_path / "guest.wav"
    soundfile.write(host, np.concatenate([samples, silence]), rate)
    soundfile.write(guest, np.concatenate([silence, samples]), rate)
    page.locator("#studio-upload").set_input_files([host, guest])  # 1
    page.locator(".speaker", has_text="GUEST").wait_for()
    voices = page.locator("[data-voice] .speaker")
    assert voices.all_inner_texts() == ["HOST", "GUEST"]
    colours = page.locator(".paragraph").evaluate_all(
        "(rows) => rows.map((row) => getComputedStyle(row.querySelector('.w')).color)"
    )
    assert len(set(colours)) == len(colours) == 2
    for row, new in ((0, "never"), (1, "hardly")):
        page.locator(".paragraph").nth(row).locator(".w", has_text="always").click()  # 2, 4
        page.keyboard.type(new)
        page.keyboard.press("Enter")  # 3, 5
        made(page, new)
    picture(page, "tracks")
    page.evaluate("() => window.a3tApp.transport.play(0)")
    page.evaluate(LISTEN)
    page.wait_for_function("() => window.heard() === 'true,false'")
    page.wait_for_function("() => window.heard() === 'false,true'")
    page.evaluate("() => window.a3tApp.transport.play(0)")
    page.get_by_role("button", name="Only GUEST").click()
    page.wait_for_function("() => window.heard() === 'false,true'")
    page.get_by_role("button", name="Only GUEST").click()
    page.get_by_role("button", name="Mute HOST").click()
    assert page.evaluate("() => window.a3tApp.heard") == [False, True]
    page.get_by_role("button", name="Mute HOST").click()
    page.evaluate("() => window.a3tApp.transport.stop()")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Export").click()  # 6
        page.get_by_role("button", name="Download").click()  # 7
    mix = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(mix)
    assert mix.name == "host-guest.edited.mix.wav"
    sound, _ = soundfile.read(mix, dtype="int16")
    assert np.array_equal(sound[:4000], samples[:4000])  # the host's words before the change
    assert np.array_equal(sound[-8000:], samples[-8000:])  # and the guest's after theirs
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    picture(page, "tracks on a phone")
    assert violations(page) == []


def test_a_track_that_comes_later_joins_the_script(page: Any, arctic: Path, tmp_path: Path) -> None:
    samples, rate = soundfile.read(arctic, dtype="int16")
    host, guest = tmp_path / "host.wav", tmp_path / "guest.wav"
    soundfile.write(host, np.concatenate([samples, 0 * samples]), rate)
    soundfile.write(guest, np.concatenate([0 * samples, samples]), rate)
    page.locator("#studio-upload").set_input_files(host)
    word(page).first.wait_for()
    page.get_by_role("tab", name="Recordings").click()
    page.locator(".recordings").get_by_label("Add a track").last.set_input_files(guest)
    page.locator(".speaker", has_text="GUEST").wait_for()
    assert page.locator(".tracks li").count() == 2
