"""Training batches: crops, masks and augmentation."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import torch

from a3t.audio.analysis.mel import bin_centres
from a3t.errors import InputError
from a3t.learning.batches import ClipBatches, shift_edges
from tests.training.stores import frame_numbers, made_up_clip, write_store
from training.features.augment import Augment, augment_of, smooth_curve, warp_frequency
from training.features.corpus_batches import Batches, DataConfig, MaskingConfig
from training.features.store import COPY, Store, StoreWriter

THESIS = MaskingConfig("thesis", {"ratio": 0.8, "mean_span": 4.0})
USE = MaskingConfig("use")
CROPS = {"crop": (60, 120), "batch_frames": 600}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return write_store(tmp_path_factory.mktemp("store"), {"dev": 1, "train": 5}, pitch=True)


def batches(
    store: Store, masking: MaskingConfig = USE, split: str = "train", **settings: object
) -> Batches:
    options = {k: settings.pop(k) for k in ("train", "pitch", "seed") if k in settings}
    data = DataConfig(**(CROPS | settings))  # type: ignore[arg-type]
    return Batches(store, split, masking, data, augment=augment_of(data), **options)  # type: ignore[arg-type]


def numbers_of(store: Store, split: str = "train") -> set[int]:
    mels = (store.read(clip).mel for clip in store.of_split(split))
    return {int(number) for mel in mels for number in frame_numbers(mel)}


def test_a_batch_depends_on_seed_and_step_only(store: Store) -> None:
    one, other = batches(store, seed=3)(17), batches(store, seed=3)(17)
    for name in ("mel", "masked", "phones", "frame_phone", "frames", "phone_count", "row_offset"):
        assert torch.equal(getattr(one, name), getattr(other, name)), name
    later, elsewhere = batches(store, seed=3)(18), batches(store, seed=4)(17)
    for found in (later, elsewhere):
        assert not torch.equal(one.mel[0, :40], found.mel[0, :40])


@pytest.mark.parametrize("crop", [(60, 120), None], ids=["crops", "whole"])
def test_frames_phones_and_masks_fit_together(store: Store, crop: tuple[int, int] | None) -> None:
    made = batches(store, crop=crop, batch_frames=900, augment={}, jitter=2, shift_rows=True)
    for step in range(30):
        batch = made(step)
        assert batch.mel.shape[0] * batch.mel.shape[1] <= 900 + 120
        for b, (frames, phones) in enumerate(
            zip(batch.frames.tolist(), batch.phone_count.tolist(), strict=True)
        ):
            own = batch.frame_phone[b, :frames]
            assert own[0] == 0 and own[-1] == phones - 1 and (own.diff() >= 0).all()
            assert (own.diff() <= 1).all()  # no phone without a frame
            assert (batch.frame_phone[b, frames:] == -1).all()
            assert not batch.masked[b, frames:].any() and batch.masked[b, :frames].any()
            assert batch.mel[b].isfinite().all()


def test_every_frame_of_every_clip_is_seen_and_masked_somewhere(tmp_path: Path) -> None:
    """Beginnings and endings too: people edit them."""
    store = write_store(tmp_path, {"train": 2}, phones=15)
    made, seen, masked = batches(store), set(), set()
    for step in range(100):
        batch = made(step)
        for b, frames in enumerate(batch.frames.tolist()):
            numbers = frame_numbers(batch.mel[b, :frames].numpy())
            seen |= set(numbers.astype(int).tolist())
            masked |= set(numbers[batch.masked[b, :frames].numpy()].astype(int).tolist())
    assert seen == masked == numbers_of(store)


def test_a_pass_over_whole_utterances_sees_each_once_and_the_next_in_another_order(
    store: Store,
) -> None:
    made = batches(store, THESIS, crop=None, batch_frames=900)
    steps = made.steps_a_pass
    assert steps > 1
    passes = [[d.clip.name for s in range(steps) for d in made.draws(s + p)] for p in (0, steps)]
    assert sorted(passes[0]) == sorted(passes[1]) == sorted(c.name for c in made.clips)
    orders = {tuple(d.clip.name for d in made.draws(k * steps)) for k in range(12)}
    assert len(orders) > 1
    masks = [made(s).masked.sum().item() for s in (0, 7 * steps)]
    assert made(0).mel.shape[1] in {clip.frames for clip in made.clips} and all(masks)


@pytest.mark.parametrize("crop", [(60, 120), None], ids=["crops", "whole"])
def test_processes_share_a_batch_out_among_them(store: Store, crop: tuple[int, int] | None) -> None:
    made = batches(store, crop=crop, batch_frames=2000, jitter=2, shift_rows=True)
    step = next(step for step in range(20) if len(made.draws(step)) > 1)
    whole, shares = made(step), [made(step, part=(k, 2)) for k in range(2)]
    for b in range(len(whole.mel)):
        part, place = shares[b % 2], b // 2
        frames = int(whole.frames[b])
        assert part.frames[place] == frames and part.row_offset[place] == whole.row_offset[b]
        assert torch.equal(part.mel[place, :frames], whole.mel[b, :frames])
        assert torch.equal(part.masked[place, :frames], whole.masked[b, :frames])
    assert sum(len(share.mel) for share in shares) == len(whole.mel)
    idle = made(step, part=(99, 100))
    assert len(idle.mel) == 1 and not idle.masked.any()


def test_validation_is_always_the_same_and_sees_every_clip_once(store: Store) -> None:
    for crop in ((60, 120), None):
        one = batches(store, train=False, crop=crop, seed=1, jitter=2, augment={})
        other = batches(store, train=False, crop=crop, seed=2)
        drawn = [draw.clip.name for step in range(one.steps_a_pass) for draw in one.draws(step)]
        assert sorted(drawn) == sorted(clip.name for clip in one.clips)
        for step in range(one.steps_a_pass):
            assert torch.equal(one(step).mel, other(step).mel)
            assert torch.equal(one(step).masked, other(step).masked)
            assert not one(step).row_offset.any()


@pytest.mark.parametrize("train", [True, False], ids=["training", "validation"])
def test_a_voice_is_learnt_from_such_batches_too(store: Store, train: bool) -> None:
    """`ClipBatches` draws from memory what `Batches` draws from a store."""
    split = "train" if train else "dev"
    settings = {"train": train, "pitch": True, "seed": 3, "jitter": 2, "shift_rows": True}
    ours = batches(store, split=split, least_score=0.0, **settings)
    clips = [(clip.name, store.read(clip)) for clip in ours.clips]
    shape = (CROPS["crop"], CROPS["batch_frames"], 500)
    own = ClipBatches(clips, *shape, seed=3, train=train)  # type: ignore[arg-type]
    assert train or len(own.groups) == ours.steps_a_pass
    for step in range(20 if train else ours.steps_a_pass):
        one, other = ours(step), own(step)
        for field in fields(one):
            values = getattr(one, field.name), getattr(other, field.name)
            assert values == (None, None) or torch.equal(*values), field.name


def test_splits_are_kept_apart(store: Store) -> None:
    held = numbers_of(store, "dev")
    for step in range(50):
        batch = batches(store)(step)
        for b, frames in enumerate(batch.frames.tolist()):
            assert not held & set(frame_numbers(batch.mel[b, :frames].numpy()).astype(int).tolist())
    with pytest.raises(InputError, match='no clips of the split "test"'):
        batches(store, split="test")


@pytest.mark.parametrize("evenness", [0.0, 0.5, 1.0])
def test_voices_are_drawn_as_evenly_as_requested(tmp_path: Path, evenness: float) -> None:
    rng = np.random.default_rng(0)
    with StoreWriter(tmp_path) as writer:
        for k in range(10):
            voice = "rare" if k == 0 else "often"
            writer.add(str(k), made_up_clip(rng, 0, 40, 20), voice, "train")
    made = batches(Store(tmp_path), evenness=evenness)
    rare = sum(clip.frames for clip in made.clips if clip.voice == "rare")
    often = sum(clip.frames for clip in made.clips) - rare
    expected = rare ** (1 - evenness) / (rare ** (1 - evenness) + often ** (1 - evenness))
    voices = [draw.clip.voice for step in range(300) for draw in made.draws(step)]
    assert voices.count("rare") / len(voices) == pytest.approx(expected, abs=0.04)


def test_corpora_are_drawn_in_their_shares(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    with StoreWriter(tmp_path) as writer:
        for k, corpus in enumerate(["home", *["read"] * 6, *["sung"] * 3]):
            writer.add(str(k), made_up_clip(rng, 0, 40, 20), f"{corpus}-{k % 3}", "train")
    made = batches(Store(tmp_path), shares={"home": 0.6, "read": 0.2, "sung": 0, "other": 0.2})
    corpora = [draw.clip.voice[:4] for step in range(300) for draw in made.draws(step)]
    assert corpora.count("home") / len(corpora) == pytest.approx(0.75, abs=0.04)
    assert "sung" not in corpora
    with pytest.raises(InputError, match="read has no share"):
        batches(Store(tmp_path), shares={"home": 1.0, "raed": 1.0, "sung": 0})
    with pytest.raises(InputError, match="share of 0"):
        batches(Store(tmp_path), shares={"home": 0, "read": 0, "sung": 0})


def test_degraded_copies_are_drawn_as_often_as_requested(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no degraded copies"):
        batches(store, degraded=0.5)
    arrays = made_up_clip(np.random.default_rng(0), 0, 40, 20)
    with StoreWriter(tmp_path, [f"{COPY}1"]) as writer:
        writer.add("a", arrays | {f"{COPY}1": arrays["mel"] + 1e4}, "v", "train")
    made = batches(Store(tmp_path), degraded=0.25)
    clips = [mel[0, 2] > 1e3 for step in range(150) for mel in made(step).mel]
    assert np.mean(clips) == pytest.approx(0.25, abs=0.05)


def test_a_mask_covers_whole_phones_and_the_requested_share(store: Store) -> None:
    made = batches(store, THESIS, crop=None)
    clip = made.clip(made.draws(0)[0])
    phones = len(clip.phones)
    by_phone = [clip.masked[clip.frame_phone == k] for k in range(phones)]
    assert all(len(set(frames)) == 1 for frames in by_phone)
    assert sum(frames[0] for frames in by_phone) == round(0.8 * phones)


def test_speech_only_masks_its_share_of_frames_and_shows_no_text(store: Store) -> None:
    batch = batches(store, THESIS, speech_only=0.15)(0)
    assert batch.phones.shape[1] == 0 and (batch.frame_phone == -1).all()
    assert not batch.phone_count.any()
    for masked, frames in zip(batch.masked, batch.frames, strict=True):
        assert masked.sum() == round(0.15 * int(frames))


def test_the_pitch_of_a_crop_lies_beside_its_mel_and_moves_with_it(store: Store) -> None:
    made = batches(store, pitch=True)
    batch = made(0)
    assert batch.pitch is not None
    for mel, pitch, frames in zip(batch.mel, batch.pitch, batch.frames, strict=True):
        number = frame_numbers(mel[:frames].numpy())
        expected = np.where(number % 3 > 0, 6.0 + number % 64 / 64, 0.0)
        np.testing.assert_allclose(pitch[:frames], expected, atol=4e-3)
        assert not pitch[frames:].any()
    moves = {"warp": 0.12, "gain": 0.0, "tilt": 0.0, "odds": 1.0}
    plain, moved = made(3).pitch, batches(store, pitch=True, augment=moves)(3).pitch
    assert plain is not None and moved is not None
    # The same clips, and crops of them: both draw their crop first.
    assert torch.equal(moved > 0, plain > 0)
    for before, after in zip(plain, moved, strict=True):
        shifts = (after - before)[before > 0].numpy()
        assert 0 < np.abs(shifts).max() <= np.log2(1.12) + 1e-5 and np.ptp(shifts) < 1e-4


def test_features_without_pitch_are_refused_where_it_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--pitch"):
        batches(write_store(tmp_path, {"train": 1}), pitch=True)


def test_phones_that_do_not_fit_the_frames_are_refused_by_name(tmp_path: Path) -> None:
    arrays = made_up_clip(np.random.default_rng(0), 0, 40, 20)
    with StoreWriter(tmp_path) as writer:
        writer.add("p225_001", arrays | {"mel": arrays["mel"][:-1]}, "v", "train")
    with pytest.raises(InputError, match=r"^p225_001 has"):
        batches(Store(tmp_path))(0)


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
    from a3t.audio.analysis.mel import FMAX_HZ, FMIN_HZ, MELS, hz_to_mel, mel_to_hz

    limits = hz_to_mel(np.array([FMIN_HZ, FMAX_HZ]))
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


def test_a_bend_moves_upper_formants_alone() -> None:
    low, high = (int(np.abs(bin_centres() - hertz).argmin()) for hertz in (500.0, 3500.0))
    mel = np.zeros((1, 80), np.float32)
    mel[0, [low, high]] = 1.0
    bent = warp_frequency(mel, 1.0, 1.1)[0]
    np.testing.assert_allclose(bent[low - 2 : low + 3], mel[0, low - 2 : low + 3])
    np.testing.assert_allclose(
        bin_centres()[high - 5 :][bent[high - 5 :].argmax()], 3850, rtol=0.03
    )


def test_an_equaliser_is_smooth_and_as_wide_as_it_says() -> None:
    rng = np.random.default_rng(0)
    curves = np.stack([smooth_curve(0.15, rng) for _ in range(2000)])
    assert curves.std(axis=1).mean() == pytest.approx(0.15, rel=0.15)
    assert np.abs(np.diff(curves, axis=1)).max() < 0.1
    even = Augment(gain=0.0, odds=1.0, warp=0.0, tilt=0.0, equaliser=0.15)
    changed, factor = even(np.zeros((7, 80), np.float32), np.random.default_rng(1))
    assert factor == 1.0 and np.ptp(changed, axis=0).max() == 0.0 and np.ptp(changed) > 0.05
