"""The page of a listening test, as a listener meets it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from evaluation.listening.kit import make_test
from evaluation.listening.ratings import read_ratings
from tests.app.browser.pages import PATIENCE

pytestmark = pytest.mark.slow


def test_a_listener_hears_rates_and_saves(browser: Any, tmp_path: Path) -> None:
    """Nothing can be rated unheard, a reload goes on, and the file is read back."""
    systems = ("A3T", "Baseline 1")
    for place, name in enumerate(("a3t", "baseline-1", "recording")):
        folder = tmp_path / "sounds" / name
        folder.mkdir(parents=True)
        for task in range(2):
            noise = np.random.default_rng(2 * place + task).normal(0, 0.05, 2400)
            soundfile.write(folder / f"clip{task}.flac", noise, 24_000)
    url = make_test(tmp_path / "sounds", systems, tmp_path, tasks=2).as_uri()
    page = browser.new_context(accept_downloads=True).new_page()
    page.set_default_timeout(PATIENCE)
    for visit in range(2):
        page.goto(url)
        page.fill("#listener", "ann, b")
        page.click("#begin")
        for _ in range(2):
            page.wait_for_selector("#choices input")
            assert page.is_disabled("#next")
            page.check("#choices input >> nth=1")
            assert page.is_disabled("#next")  # not heard yet
            page.eval_on_selector("audio", "sound => sound.play()")
            page.wait_for_selector("#next:not([disabled])")
            page.click("#next")
        if visit == 0:
            assert page.inner_text("#count") == "3 of 4"
    with page.expect_download() as download:
        page.click("#save")
    download.value.save_as(tmp_path / "ratings.csv")
    page.context.close()
    found = read_ratings(tmp_path / "key.json", [tmp_path / "ratings.csv"])
    assert [rating.value for rating in found.ratings] == [4.0] * 4 and not found.left_out
