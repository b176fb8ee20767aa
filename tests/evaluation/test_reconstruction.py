"""Gaps in one real sentence, fillers of known results, and the reconstruction of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from a3t.audio.analysis.mel import log_mel
from a3t.errors import InputError
from evaluation import clips, reconstruction
from evaluation.clips import HeldOutClip
from evaluation.command_line import main
from evaluation.harness.measurement import read_rows
from evaluation.metrics import resampled
from evaluation.systems.interface import Gap
from evaluation.systems.simple import Interpolation, MeanSpectrum

PHONES = 9


@pytest.fixture(scope="module")
def item(sentence: np.ndarray) -> HeldOutClip:
    samples = resampled(sentence[20000:36000], 16000, 24000).astype(np.float32)
    mel = log_mel(samples).numpy()
    durations = np.full(PHONES, len(mel) // PHONES)
    words = np.arange(PHONES) // 2
    return HeldOutClip(
        "arctic", "awb", True, 16000, samples, mel, np.arange(PHONES) + 3, durations, words
    )


def test_the_region_is_the_middle_third(item: HeldOutClip) -> None:
    assert item.region == (3, 6)
    length = len(item.mel) // PHONES
    assert item.frames(item.region) == (3 * length, 6 * length)


def test_a_gap_hides_the_region_and_nothing_else(item: HeldOutClip) -> None:
    durations = np.array([2, 0, 5])
    gap = clips.open_gap(item, item.region, durations)
    first, last = item.frames(item.region)
    assert gap.frame_span == (first, first + 7)
    assert not gap.mel[first : first + 7].any()
    np.testing.assert_array_equal(gap.mel[:first], item.mel[:first])
    np.testing.assert_array_equal(gap.mel[first + 7 :], item.mel[last:])
    assert gap.durations.sum() == item.durations.sum() - (last - first) + 7
    assert len(gap.visible) == len(item.mel) - (last - first)
    for wrong in ([1, 2], [0, 0, 0], [3, -1, 3]):
        with pytest.raises(InputError, match="durations"):
            clips.open_gap(item, item.region, np.array(wrong))


def test_baselines_on_a_ramp() -> None:
    mel = np.repeat(np.arange(10, dtype=np.float32)[:, None], 80, axis=1)
    hidden = mel.copy()
    hidden[4:7] = 0
    gap = Gap(hidden, np.arange(3), np.array([4, 3, 3]), (4, 7), np.arange(3))
    np.testing.assert_allclose(Interpolation().fill(gap), mel[4:7])
    np.testing.assert_allclose(
        MeanSpectrum().fill(gap), np.delete(mel, [4, 5, 6], 0).mean(0)[None] + 0 * mel[:3]
    )


@pytest.mark.slow
def test_the_true_mel_is_nearer_than_the_mean_spectrum(
    item: HeldOutClip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole command, with a network that knows nothing of the text."""
    pytest.importorskip("pyworld", reason="the extra `eval` is not installed")
    monkeypatch.setattr(reconstruction, "_test_clips", lambda options: iter([item]))
    assert main(["reconstruction", "--vocoder", "griffin-lim", "--out", str(tmp_path)]) == 0
    rows = {(row["kind"], row["system"]): row for row in read_rows(tmp_path)}
    assert {kind for kind, _ in rows} == {"given", "predicted"} and len(rows) == 10
    copy, mean = rows["given", "copy-synthesis"], rows["given", "mean spectrum"]
    assert copy["mcd"] < mean["mcd"] and copy["mel_distance"] < mean["mel_distance"]
    page = (tmp_path / "reconstruction.md").read_text()
    assert "1 held-out clips, 1 by voices in the training data" in page
    assert "Left out" not in page
