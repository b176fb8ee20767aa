"""Evaluation of copy-synthesis: a perfect copy, a worse one, missing packages, tables."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from a3t.audio.analysis.mel import log_mel
from a3t.errors import InputError
from a3t.grid import HOP
from a3t.vocoder.stft import GriffinLim
from evaluation import metrics, vocoders
from training.corpora import UNSEEN_SPEAKERS, Clip

pytest.importorskip("pyworld", reason="the extra `eval` is not installed")


@pytest.fixture(scope="module")
def original(sentence: np.ndarray) -> vocoders.Original:
    samples = metrics.resampled(sentence[20000:32000], 16000, 24000).astype(np.float32)
    frames = len(samples) // HOP
    mel = log_mel(samples[: frames * HOP])[:frames].numpy()
    return vocoders.Original("arctic", "arctic", 16000, samples[: frames * HOP], mel)


def test_a_worse_copy_has_worse_figures(original: vocoders.Original) -> None:
    judge = vocoders.judge_of(original)
    same = vocoders.copy_figures(original, judge, original.samples)
    assert same["mcd"] == same["f0"] == same["voicing"] == same["mel_l1"] == 0
    made = GriffinLim(iterations=2)(torch.from_numpy(original.mel)).numpy()
    rough = vocoders.copy_figures(original, judge, made)
    assert rough["mcd"] > 2
    assert rough["mel_l1"] > 0.05 and rough["voicing"] > 0


def test_unmeasurable_figures_are_reported(
    original: vocoders.Original, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(*_: object) -> float:
        raise InputError("This metric needs the package pystoi.")

    for name in ("pesq_wideband", "stoi", "speaker_embedding"):
        monkeypatch.setattr(metrics, name, absent)
    judge = vocoders.judge_of(original)
    row = vocoders.copy_figures(original, judge, original.samples)
    assert np.isnan([row["pesq"], row["stoi"], row["similarity"]]).all() and row["mcd"] == 0
    (table,) = vocoders.MEASUREMENT.tables
    assert "| – |" in table.markdown([{"vocoder": "same", "part": "", "processor": 0.1, **row}])


def test_every_vocoder_copies_every_clip(
    original: vocoders.Original, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocoders, "draw_parts", lambda clips, count: [original])
    setting = vocoders.MEASUREMENT.setting(tmp_path)
    setting.__dict__["clips"] = []
    rows = vocoders.MEASUREMENT.rows(setting)
    assert [row["vocoder"] for row in rows] == ["griffin-lim", "builtin"] and not setting.left_out
    assert all(row["mel_l1"] < 0.1 and row["processor"] > 0 for row in rows)


def test_the_parts_are_corpora_and_voices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocoders, "decode_floats", lambda _: (np.ones(2500, np.float32), 16000))
    stranger = sorted(UNSEEN_SPEAKERS)[0].removeprefix("librispeech-")
    clips = [
        Clip(corpus, speaker, tmp_path / f"{speaker}{n}", f"prompt {n}", 3.0)
        for corpus, speaker in (("librispeech", "19"), ("vctk", "p239"), ("librispeech", stranger))
        for n in range(300)
    ]
    drawn = vocoders.draw_parts(clips, 2)
    parts = [item.part for item in drawn]
    assert {part: parts.count(part) for part in parts} == {
        "librispeech": 2,
        "vctk": 2,
        "librispeech, unseen voices": 2,
    }
    assert all(item.mel.shape == (8, 80) and item.samples.shape == (2400,) for item in drawn)
    assert {item.name for item in drawn} <= {item.name for item in vocoders.draw_parts(clips, 3)}
    with pytest.raises(InputError, match="no held-out clip"):
        vocoders.draw_parts([replace(clip, seconds=1.0) for clip in clips], 2)
