"""Networks as fillers and predictors, and the choice of clips; all on tiny random networks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml

from a3t.errors import InputError
from a3t.model.a3t import A3T
from a3t.model.variance.durations import DurationPredictor
from evaluation import clips
from evaluation.systems import networks
from training.corpora import UNSEEN_SPEAKERS, Clip, split_of

TINY = {
    "width": 16,
    "hidden": 32,
    "encoder_blocks": 1,
    "decoder_blocks": 1,
    "postnet_channels": 8,
    "normalise": True,
}


@pytest.fixture(scope="module")
def model() -> A3T:
    torch.manual_seed(0)
    return A3T(**TINY).eval()


def make_item(frames: int = 60) -> clips.HeldOutClip:
    mel = np.random.default_rng(9).normal(size=(frames, 80)).astype(np.float32)
    phones = np.array([2, 30, 31, 32, 2, 33, 34, 35, 36, 2])
    words = np.array([-1, 0, 0, 1, -1, 1, 2, 2, 3, -1])
    durations = np.full(10, frames // 10)
    samples = np.zeros(frames * 300, np.float32)
    return clips.HeldOutClip("clip", "voice", True, 24000, samples, mel, phones, durations, words)


def test_a_filler_sees_everything_but_the_gap(model: A3T) -> None:
    """The gap's old content cannot matter: the network gets zeros there, and masks them."""
    item = make_item()
    fill = networks.A3TSystem(model).fill
    gap = clips.open_gap(item, item.region, np.array([5, 4, 3, 2]))
    filled = fill(gap)
    assert filled.shape == (14, 80)
    first, last = gap.frame_span
    spoilt, seen = gap.mel.copy(), gap.mel.copy()
    spoilt[first:last] = 7.0
    np.testing.assert_array_equal(fill(replace(gap, mel=spoilt)), filled)
    seen[first - 1] += 1.0
    assert not np.allclose(fill(replace(gap, mel=seen)), filled)


def test_predicted_durations_follow_the_speakers_rate_and_not_the_region() -> None:
    torch.manual_seed(1)
    predict = networks.duration_predictor(DurationPredictor(width=16, hidden=16, blocks=1).eval())
    item = make_item()
    expected = predict(item, item.region)
    assert expected.shape == (4,)
    assert (expected >= 1).all()
    longer = item.durations.copy()
    longer[3:7] *= 5
    hidden = clips.HeldOutClip(**{**vars(item), "durations": longer})
    np.testing.assert_array_equal(predict(hidden, item.region), expected)
    slower = clips.HeldOutClip(**{**vars(item), "durations": item.durations * 3})
    assert predict(slower, item.region).sum() > 2 * expected.sum()


def test_a_training_run_is_evaluated_by_its_averaged_weights(model: A3T, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "config.yaml").write_text(yaml.safe_dump({"model": TINY}))
    state = {"step": 7, "average": model.state_dict(), "model": {}}
    torch.save(state, folder / "checkpoint.pt")
    loaded, name = networks.load_a3t(folder)
    assert name == "run, 7 steps"
    assert not loaded.training
    for key, value in model.state_dict().items():
        torch.testing.assert_close(loaded.state_dict()[key], value)
    (folder / "config.yaml").write_text(yaml.safe_dump({"model": {**TINY, "width": 32}}))
    with pytest.raises(InputError, match="not fit"):
        networks.load_a3t(folder)
    with pytest.raises(InputError, match="no model"):
        networks.load_a3t("no-such-model")


def make_clip(corpus: str, speaker: str, number: int, seconds: float = 4.0) -> Clip:
    path = Path(f"{speaker}-{number}.flac")
    return Clip(corpus, speaker, path, f"sentence number {speaker} {number}", seconds)


def test_held_out_clips_are_tests_and_various() -> None:
    unseen = sorted(UNSEEN_SPEAKERS)[0].split("-")[1]
    pool = [
        make_clip(corpus, speaker, number)
        for corpus, speaker in [("librispeech", "1"), ("librispeech", "2"), ("vctk", "p1")]
        for number in range(300)
    ]
    pool += [make_clip("librispeech", unseen, number) for number in range(5)]
    pool += [make_clip("librispeech", unseen, 9, seconds=30.0)]
    known, strange = clips.held_out(pool, seen=True), clips.held_out(pool, seen=False)
    assert len(strange) == 5
    assert all(split_of(clip) == "test" for clip in known + strange)
    assert not {clip.voice for clip in known} & UNSEEN_SPEAKERS
    # Corpora take turns, and within one its voices.
    assert {clip.corpus for clip in known[:2]} == {"librispeech", "vctk"}
    assert len({clip.voice for clip in known[:4]}) == 3
    assert clips.held_out(pool[::-1], seen=True)[:4] == known[:4] or len(known) < 4
