"""What a loader's worker does to a clip: it needs no ESPnet."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from a3t.model.a3t import A3T, reconstruction_loss
from a3t.model.embeddings import Batch
from a3t.model.masking import MaskingConfig
from a3t.text.phones import PHONES
from a3t.training.espnet.preprocess import DataConfig, Preprocess, collate

THESIS = MaskingConfig("thesis", {"ratio": 0.8, "mean_span": 4.0})


def clip(phones: int = 30, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    durations = rng.integers(1, 9, phones)
    return {
        "mel": rng.normal(size=(durations.sum(), 80)).astype(np.float32),
        "phones": rng.integers(3, len(PHONES) - 1, phones),
        "durations": durations,
        "words": np.arange(phones) // 3,
    }


def test_a_mask_covers_whole_phones_and_the_share_of_them_that_was_asked_for() -> None:
    stored = clip()
    made = Preprocess(True, THESIS)("a", stored)
    by_phone = [made["masked"][made["frame_phone"] == k] for k in range(30)]
    assert all(len(set(frames)) == 1 for frames in by_phone)
    assert sum(frames[0] for frames in by_phone) == 24


def test_masks_differ_between_epochs_and_clips_but_not_between_runs() -> None:
    one, other = Preprocess(True, THESIS), Preprocess(True, THESIS)
    first = one("a", clip())["masked"]
    assert (first == other("a", clip())["masked"]).all()
    assert (first != one("b", clip())["masked"]).any()
    one.epoch = 1
    assert (first != one("a", clip())["masked"]).any()


def test_validation_masks_are_the_same_in_every_epoch_and_for_every_seed() -> None:
    one, other = Preprocess(False, THESIS, seed=1), Preprocess(False, THESIS, seed=2)
    other.epoch = 5
    assert (one("a", clip())["masked"] == other("a", clip())["masked"]).all()


def test_a_crop_holds_whole_phones_with_their_own_frames() -> None:
    stored = clip(phones=80)
    edges = np.concatenate([[0], np.cumsum(stored["durations"])])
    work = Preprocess(True, THESIS, DataConfig(crop=(60, 90)))
    starts = set()
    for epoch in range(20):
        work.epoch = epoch
        made = work("a", stored)
        frames = np.bincount(made["frame_phone"])
        place = next(k for k in range(80) if (stored["mel"][edges[k]][:80] == made["mel"][0]).all())
        starts.add(place)
        count = len(made["phones"])
        assert (made["phones"] == stored["phones"][place : place + count]).all()
        assert (frames == stored["durations"][place : place + count]).all()
        assert len(made["mel"]) <= 90
    assert len(starts) > 8


def test_speech_only_masks_its_share_of_frames_and_shows_no_text() -> None:
    made = Preprocess(True, THESIS, DataConfig(speech_only=0.15))("a", clip(phones=60))
    assert made["masked"].sum() == round(0.15 * len(made["mel"]))
    assert len(made["phones"]) == 0 and (made["frame_phone"] == -1).all()


@pytest.mark.parametrize("told", [False, True])
def test_speech_only_trains_the_network(told: bool) -> None:
    work = Preprocess(True, THESIS, DataConfig(speech_only=0.15))
    _, batch = collate([(name, work(name, clip(seed=k))) for k, name in enumerate("ab")])
    size = {"width": 16, "heads": 2, "hidden": 16, "encoder_blocks": 1, "decoder_blocks": 1}
    network = A3T(**size, frame_phones=told, frame_progress=told)  # type: ignore[arg-type]
    inside = Batch(
        batch["mel"],
        batch["masked"],
        batch["phones"],
        batch["frame_phone"],
        batch["mel_lengths"],
        batch["phones_lengths"],
    )
    filled = network(inside)
    reconstruction_loss(filled.before, filled.after, inside).backward()
    assert network.acoustic.mask.grad is not None and network.acoustic.mask.grad.abs().sum() > 0


def test_padding_is_marked() -> None:
    work = Preprocess(True, THESIS)
    clips = [(name, work(name, clip(n, n))) for name, n in (("a", 10), ("b", 20))]
    names, batch = collate(clips)
    assert names == ["a", "b"]
    time = torch.arange(batch["mel"].shape[1])
    padding = time >= batch["mel_lengths"][:, None]
    assert padding[0].any() and not padding[1].any()
    assert not batch["masked"][padding].any()
    assert (batch["frame_phone"][padding] == -1).all()
    assert batch["phones"].shape == (2, 20) and batch["phones_lengths"].tolist() == [10, 20]


def test_a_pitch_is_cut_and_raised_with_its_mel() -> None:
    stored = clip(phones=80)
    stored["pitch"] = np.where(np.arange(len(stored["mel"])) % 2, 7.5, 0.0)
    augment = {"warp": 0.12, "gain": 0.0, "tilt": 0.0, "odds": 1.0}
    made = Preprocess(True, THESIS, DataConfig(crop=(60, 90), augment=augment))("a", stored)
    assert len(made["pitch"]) == len(made["mel"])
    voiced = made["pitch"][made["pitch"] > 0]
    assert np.ptp(voiced) < 1e-5 and 0 < abs(voiced[0] - 7.5) <= np.log2(1.12) + 1e-6


def test_phones_that_do_not_fit_the_frames_are_refused_by_name() -> None:
    stored = clip()
    stored["mel"] = stored["mel"][:-1]
    with pytest.raises(ValueError, match=r"^p225_001: "):
        Preprocess(True, THESIS)("p225_001", stored)
