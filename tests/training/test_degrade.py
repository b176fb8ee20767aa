"""Degraded speech: as long as before, nothing shifted, as bad as was asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.signal import welch

from a3t.grid import SAMPLE_RATE
from a3t.training import sounds
from a3t.training.degrade import degraded


def make_speech(seconds: float = 2.0) -> np.ndarray:
    """Bursts of a voice-like buzz with silence between them."""
    time = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    buzz = sum(np.sin(2 * np.pi * 140 * k * time) / k for k in range(1, 40))
    return np.asarray(0.1 * buzz * (np.sin(2 * np.pi * 2 * time) > 0))


def power(samples: np.ndarray) -> float:
    return float(np.square(samples).mean())


@pytest.mark.parametrize("seed", range(40))
def test_every_copy_is_finite_as_long_as_the_clip_and_not_overloaded(seed: int) -> None:
    speech = make_speech()
    rng = np.random.default_rng(seed)
    copy = degraded(speech, rng, babble=rng.standard_normal(len(speech)))
    assert copy.shape == speech.shape and copy.dtype == np.float32
    assert np.isfinite(copy).all() and np.abs(copy).max() <= 1.0


def test_a_copy_depends_on_its_seed_alone() -> None:
    speech = make_speech(0.5)
    one, same, other = (degraded(speech, np.random.default_rng(k)) for k in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_silence_stays_finite() -> None:
    for seed in range(20):
        assert np.isfinite(degraded(np.zeros(24_000), np.random.default_rng(seed))).all()


@pytest.mark.parametrize("ratio", [0.0, 10.0, 20.0])
def test_noise_lies_as_far_below_the_speech_as_is_asked(ratio: float) -> None:
    speech = make_speech()
    noise = sounds.coloured_noise(len(speech), np.random.default_rng(0), slope=-3.0)
    added = sounds.with_noise(speech, noise, ratio) - speech
    level = sounds.speech_level(speech)
    assert 20 * np.log10(level / np.sqrt(power(added))) == pytest.approx(ratio, abs=0.01)


@pytest.mark.parametrize("slope", [0.0, -3.0, -6.0, 2.0])
def test_noise_has_its_colour(slope: float) -> None:
    noise = sounds.coloured_noise(10 * SAMPLE_RATE, np.random.default_rng(0), slope)
    hertz, density = welch(noise, SAMPLE_RATE, nperseg=4096)
    octaves = [
        10 * np.log10(density[(hertz >= low) & (hertz < 2 * low)].mean())
        for low in (250, 500, 1000, 2000, 4000)
    ]
    np.testing.assert_allclose(np.diff(octaves), slope, atol=0.5)


def test_a_room_rings_as_long_as_is_asked_and_keeps_the_direct_sound_in_its_place() -> None:
    click = np.zeros(SAMPLE_RATE)
    click[1000] = 1.0
    ring = sounds.reverberant(click, np.random.default_rng(0), seconds=0.4, direct=0.0)
    assert np.abs(ring).argmax() == 1000
    assert not ring[:1000].any() or np.abs(ring[:1000]).max() < 1e-9
    tail = np.square(ring[1001:])
    left = 10 * np.log10(np.cumsum(tail[::-1])[::-1] / tail.sum())  # Schroeder's integral
    early, late = (int(np.argmax(left < level)) for level in (-5.0, -25.0))
    assert 3 * (late - early) / SAMPLE_RATE == pytest.approx(0.4, rel=0.25)


def test_a_band_keeps_what_lies_in_it_and_its_time() -> None:
    noise = np.random.default_rng(0).standard_normal(4 * SAMPLE_RATE)
    line = sounds.band(noise, 300.0, 3400.0)
    hertz, before = welch(noise, SAMPLE_RATE, nperseg=2048)
    _, after = welch(line, SAMPLE_RATE, nperseg=2048)
    gain = 10 * np.log10(after / before)
    assert np.abs(gain[(hertz > 600) & (hertz < 2500)]).max() < 1.0
    assert gain[(hertz > 5500)].max() < -30 and gain[(hertz > 5) & (hertz < 120)].max() < -20
    assert np.correlate(line[100:-100], noise, "valid").argmax() == 100


def test_clipping_has_a_ceiling() -> None:
    wave = sounds.clipped(make_speech(), 0.2)
    assert (np.abs(wave) > 0.999 * np.abs(wave).max()).mean() > 0.05


def test_mu_law_is_heard_as_little_as_it_should_be() -> None:
    speech = make_speech()
    ratio = power(speech) / power(sounds.companded(speech) - speech)
    assert 20 < 10 * np.log10(ratio) < 45  # G.711: some 38 dB over a wide range of levels


def test_music_and_hum_have_unit_power() -> None:
    rng = np.random.default_rng(0)
    for wave in (sounds.music(SAMPLE_RATE, rng), sounds.hum(SAMPLE_RATE, rng)):
        assert power(wave) == pytest.approx(1.0, rel=1e-3)


def test_copies_stand_beside_the_mel_frame_for_frame(tmp_path: Path) -> None:
    import json
    from dataclasses import asdict

    from a3t.audio.mel import log_mel
    from a3t.training.degrade import add_degraded
    from a3t.training.features import INDEX, Features, Item
    from a3t.training.waveforms import INDEX as WAVES_INDEX
    from a3t.training.waveforms import SAMPLES, Entry

    waves, folder = tmp_path / "waves", tmp_path / "features"
    waves.mkdir()
    folder.mkdir()
    speech = (make_speech() * 32767 / 2).astype(np.int16)
    np.save(waves / SAMPLES, np.concatenate([speech, speech]))
    entries = [
        Entry(name, "c", "s", "train", SAMPLE_RATE, k * len(speech), len(speech))
        for k, name in enumerate("ab")
    ]
    (waves / WAVES_INDEX).write_text("".join(json.dumps(asdict(e)) + "\n" for e in entries))
    mel = log_mel(speech / 32768).numpy()
    frames = len(mel)
    np.save(folder / "mel.npy", np.concatenate([mel, mel]).astype(np.float16))
    for name in ("phones", "durations", "words"):
        np.save(folder / f"{name}.npy", np.array([3, 3], np.int16))
    items = [
        Item(name, "v", "c", "train", 0.9, k * frames, frames, k, 1) for k, name in enumerate("ab")
    ]
    (folder / INDEX).write_text("".join(json.dumps(asdict(i)) + "\n" for i in items))
    add_degraded(waves, folder, copies=2, jobs=1)
    features = Features.load(folder)
    assert len(features.degraded) == 2
    plain, one, other = (features.of(features.items[1], copy)[0] for copy in range(3))
    assert plain.shape == one.shape == other.shape == (frames, 80)
    assert not np.array_equal(one, other) and not np.array_equal(one, plain)
