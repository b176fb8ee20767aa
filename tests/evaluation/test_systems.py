"""Networks as fillers and predictors, and the choice of clips; all on tiny random networks."""

from pathlib import Path

import numpy as np
import pytest
import torch
import yaml

from a3t.errors import InputError
from a3t.model.a3t import A3T
from a3t.model.variance.durations import DurationPredictor
from evaluation import clips
from evaluation.clips import HeldOutClip
from evaluation.systems import networks
from evaluation.systems.interface import Gap
from evaluation.systems.simple import Interpolation, MeanSpectrum
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


def test_predicted_durations_follow_the_speakers_rate_and_not_the_region() -> None:
    torch.manual_seed(1)
    predict = networks.duration_predictor(DurationPredictor(width=16, hidden=16, blocks=1).eval())
    short, region = make_item(), (3, 7)
    more = np.where(short.words >= 0, short.words + 4, -1)
    twice = {"phones": np.tile(short.phones, 2), "words": np.concatenate([short.words, more])}
    item = clips.HeldOutClip(**{**vars(make_item(120)), **twice, "durations": np.full(20, 6)})
    expected = predict(item, region)
    assert expected.shape == (4,)
    assert (expected >= 1).all()
    longer = item.durations.copy()
    longer[slice(*region)] *= 5
    hidden = clips.HeldOutClip(**{**vars(item), "durations": longer})
    np.testing.assert_array_equal(predict(hidden, region), expected)
    slower = clips.HeldOutClip(**{**vars(item), "durations": item.durations * 3})
    assert predict(slower, region).sum() > 2 * expected.sum()


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


def test_the_region_is_the_middle_third(item: HeldOutClip) -> None:
    assert item.region == (3, 6)
    length = len(item.mel) // 9
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
