"""The pitch that models are told: WORLD's, on the mel's grid, and moved with the mel."""

from __future__ import annotations

import numpy as np

from a3t.training.augment import Augment
from a3t.training.features import Features
from a3t.training.pitch import pitch
from tests.training.test_data import make_crops, make_features


def voice(hertz: np.ndarray, rate: int = 24_000) -> np.ndarray:
    """Twenty harmonics of a pitch (n,) that changes, falling by 6 dB an octave."""
    phase = 2 * np.pi * np.cumsum(hertz) / rate
    return sum(0.1 / k * np.sin(k * phase) for k in range(1, 21))  # type: ignore[return-value]


def test_a_voice_that_rises_and_stops() -> None:
    hertz = np.linspace(120.0, 240.0, 24_000)
    wave = np.concatenate([voice(hertz), np.zeros(12_000)])
    wave += np.random.default_rng(0).normal(0, 1e-4, len(wave))
    found = pitch(wave, 121)
    assert found.shape == (121,) and found.dtype == np.float32
    inside = np.arange(6, 74)
    np.testing.assert_allclose(2 ** found[inside], hertz[inside * 300], rtol=0.02)
    assert not found[86:].any()


def test_noise_and_silence_have_none() -> None:
    noise = np.random.default_rng(0).normal(0, 0.1, 24_000)
    assert (pitch(noise, 81) > 0).mean() < 0.2
    assert not pitch(np.zeros(24_000), 81).any()


def test_the_pitch_of_a_crop_lies_beside_its_mel_and_moves_with_it() -> None:
    features = make_features()
    numbered = Features(
        features.items, features.mel, features.phones, features.durations, features.words,
        np.where(features.mel[:, 0] % 3 > 0, 6.0 + features.mel[:, 0] / 1e4, 0.0),
    )  # fmt: skip
    crops = make_crops(pitch=True, jitter=0)
    crops.features = numbered
    batch = crops.batch(0, 0)
    assert batch.pitch is not None
    for b, frames in enumerate(batch.frames.tolist()):
        number = batch.mel[b, :frames, 0]
        expected = np.where(number % 3 > 0, 6.0 + number / 1e4, 0.0)
        np.testing.assert_allclose(batch.pitch[b, :frames], expected, atol=1e-3)
        assert not batch.pitch[b, frames:].any()
    plain = crops.crop(numbered.items[2], 80, np.random.default_rng(1)).pitch
    crops.augment = Augment(warp=0.12, gain=0.0, tilt=0.0, odds=1.0)
    moved = crops.crop(numbered.items[2], 80, np.random.default_rng(1)).pitch
    assert plain is not None and moved is not None
    np.testing.assert_array_equal(moved > 0, plain > 0)
    shifts = (moved - plain)[plain > 0]
    assert 0.01 < np.abs(shifts).max() <= np.log2(1.12) + 1e-5 and np.ptp(shifts) < 1e-4
