"""Crops, masks and augmentation: what a training step is given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from a3t.model.masking import MaskingConfig
from a3t.training.augment import Augment, warp_frequency
from a3t.training.data import Crops, shift_edges
from a3t.training.features import Features, Item

PHONES_OF_A_CLIP = 40


def make_features(clips: int = 6, seed: int = 0) -> Features:
    """Clips whose mel says, in bin 0, which frame of all frames it is."""
    rng = np.random.default_rng(seed)
    items, durations = [], []
    frame = 0
    for k in range(clips):
        lengths = rng.integers(1, 20, PHONES_OF_A_CLIP)
        place = (frame, int(lengths.sum()), k * PHONES_OF_A_CLIP, PHONES_OF_A_CLIP)
        split = "dev" if k == 0 else "train"
        items.append(Item(f"clip{k}", f"voice{k % 2}", "corpus", split, 0.9, *place))
        durations.append(lengths)
        frame += int(lengths.sum())
    mel = rng.normal(-2, 1, (frame, 80)).astype(np.float32)
    mel[:, 0] = np.arange(frame)
    phones = rng.integers(3, 70, clips * PHONES_OF_A_CLIP).astype(np.int16)
    words = np.tile(np.arange(PHONES_OF_A_CLIP) // 4, clips).astype(np.int16)
    return Features(tuple(items), mel, phones, np.concatenate(durations).astype(np.int16), words)


def make_crops(split: str = "train", **arguments: object) -> Crops:
    masking = MaskingConfig("use").build()
    settings = {"frames": (60, 120), "batch_frames": 600, **arguments}
    return Crops(make_features(), split, masking, **settings)  # type: ignore[arg-type]


def test_a_batch_depends_on_seed_and_step_only() -> None:
    one, other = make_crops().batch(3, 17), make_crops().batch(3, 17)
    for name in ("mel", "masked", "phones", "frame_phone", "frames", "phone_count", "row_offset"):
        assert torch.equal(getattr(one, name), getattr(other, name)), name
    assert not torch.equal(one.mel[0, :40], make_crops().batch(3, 18).mel[0, :40])


def test_frames_phones_and_masks_fit_together() -> None:
    crops = make_crops(augment=Augment())
    for step in range(30):
        batch = crops.batch(0, step)
        assert batch.mel.shape[0] * batch.mel.shape[1] <= 600 + 120
        for b, (frames, phones) in enumerate(
            zip(batch.frames.tolist(), batch.phone_count.tolist(), strict=True)
        ):
            own = batch.frame_phone[b, :frames]
            assert own[0] == 0 and own[-1] == phones - 1 and (own.diff() >= 0).all()
            assert (own.diff() <= 1).all()  # no phone without a frame
            assert (batch.frame_phone[b, frames:] == -1).all()
            assert not batch.masked[b, frames:].any() and batch.masked[b, :frames].any()
            assert batch.mel[b].isfinite().all()


def test_every_frame_of_every_clip_is_seen_and_masked_somewhere() -> None:
    """Beginnings and endings too: people edit them."""
    crops = make_crops(jitter=0)
    seen, masked = set(), set()
    for step in range(400):
        batch = crops.batch(0, step)
        for b, frames in enumerate(batch.frames.tolist()):
            numbers = batch.mel[b, :frames, 0]
            seen |= set(numbers.int().tolist())
            masked |= set(numbers[batch.masked[b, :frames]].int().tolist())
    train = [item for item in make_features().items if item.split == "train"]
    wanted = {n for item in train for n in range(item.first_frame, item.first_frame + item.frames)}
    assert seen == masked == wanted


def test_voices_are_drawn_as_evenly_as_is_asked() -> None:
    """Of two voices one has three times as much; even odds bring both to a half."""
    features = make_features(9)
    items = tuple(
        replace(item, voice="rare" if k < 3 else "common") for k, item in enumerate(features.items)
    )
    features = replace(features, items=items)
    rare = [item for item in items if item.voice == "rare" and item.split == "train"]
    rare_frames = {
        frame for item in rare for frame in range(item.first_frame, item.first_frame + item.frames)
    }
    by_length = sum(item.frames for item in rare) / sum(
        item.frames for item in items if item.split == "train"
    )
    for evenness, expected in ((0.0, by_length), (1.0, 0.5)):
        crops = Crops(
            features, "train", MaskingConfig("use").build(), (60, 60), 600, evenness=evenness
        )
        firsts = [int(clip[0, 0]) for step in range(150) for clip in crops.batch(0, step).mel]
        share = np.mean([frame in rare_frames for frame in firsts])
        assert share == pytest.approx(expected, abs=0.05)


def test_degraded_copies_are_drawn_as_often_as_is_asked() -> None:
    features = make_features()
    masking = MaskingConfig("use").build()
    with pytest.raises(ValueError, match="no degraded copies"):
        Crops(features, "train", masking, degraded=0.5)
    marked = replace(features, degraded=[features.mel + 1e6])
    crops = Crops(marked, "train", masking, (60, 60), 600, degraded=0.25)
    clips = [clip[0, 0] >= 1e6 for step in range(150) for clip in crops.batch(0, step).mel]
    assert np.mean(clips) == pytest.approx(0.25, abs=0.04)


def test_splits_are_kept_apart() -> None:
    first = make_features().items[0]
    for step in range(50):
        numbers = make_crops().batch(0, step).mel[..., 0]
        assert not ((numbers > 0) & (numbers < first.frames)).any()
    with pytest.raises(ValueError, match="no clips"):
        make_crops(split="test")


def test_shifted_edges_stay_near_and_something_stays_masked() -> None:
    rng = np.random.default_rng(0)
    masked = np.zeros(50, bool)
    masked[20:30] = True
    moved = np.stack([shift_edges(masked, 2, rng) for _ in range(300)])
    assert moved[:, 22:28].all() and not moved[:, :18].any() and not moved[:, 32:].any()
    assert {int(row.argmax()) for row in moved} == {18, 19, 20, 21, 22}
    one = np.zeros(9, bool)
    one[4] = True
    assert all(shift_edges(one, 2, rng).any() for _ in range(50))


def test_warping_moves_a_harmonic_by_the_factor() -> None:
    from a3t.audio.mel import FMAX, FMIN, MELS, hz_to_mel, mel_to_hz

    limits = hz_to_mel(np.array([FMIN, FMAX]))
    centres = mel_to_hz(np.linspace(limits[0], limits[1], MELS + 2)[1:-1])
    mel = np.full((3, MELS), -5.0, np.float32)
    mel[:, 30] = 0.0
    up = centres[warp_frequency(mel, 1.1).argmax(1)]
    np.testing.assert_allclose(up, 1.1 * centres[30], rtol=0.04)
    np.testing.assert_array_equal(warp_frequency(mel, 1.0), mel)


def test_augmentation_changes_a_crop_as_a_whole() -> None:
    """Context and target alike, or the model would learn that voices change."""
    mel = np.random.default_rng(1).normal(-2, 1, (30, 80)).astype(np.float32)
    changed, _ = Augment(odds=0.0)(mel, np.random.default_rng(2))
    assert np.ptp(changed - mel) < 1e-5 and abs((changed - mel).mean()) > 1e-3


def test_features_are_loaded_as_they_were_packed(tmp_path: Path) -> None:
    import json
    from dataclasses import asdict

    features = make_features()
    for name in ("mel", "phones", "durations", "words"):
        np.save(tmp_path / f"{name}.npy", getattr(features, name))
    rows = [json.dumps(asdict(item)) for item in features.items]
    (tmp_path / "index.jsonl").write_text("\n".join(rows) + "\n")
    loaded = Features.load(tmp_path)
    assert loaded.items == features.items
    for mine, theirs in zip(
        loaded.of(loaded.items[3]), features.of(features.items[3]), strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)
