"""Degraded speech keeps its length and timing; the pitch that networks are shown is the voice's."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.audio.analysis.mel import log_mel
from a3t.audio.analysis.world_pitch import log_pitch
from a3t.grid import SAMPLE_RATE
from training.features import sounds
from training.features.clip_features import taught_pitch
from training.features.degrade import babble_of, degraded, degraded_mels


def make_speech(seconds: float = 2.0) -> np.ndarray:
    """Bursts of a voice-like buzz with silence between them."""
    time = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    buzz = sum(np.sin(2 * np.pi * 140 * k * time) / k for k in range(1, 40))
    return np.asarray(0.1 * buzz * (np.sin(2 * np.pi * 2 * time) > 0))


def power(samples: np.ndarray) -> float:
    return float(np.square(samples).mean())


def test_every_copy_is_finite_as_long_as_the_clip_and_not_overloaded(
    subtests: pytest.Subtests,
) -> None:
    for seed in range(12):
        with subtests.test(seed=seed):
            speech = make_speech()
            rng = np.random.default_rng(seed)
            copy = degraded(speech, rng, babble=lambda count, rng: rng.standard_normal(count))
            assert copy.shape == speech.shape and copy.dtype == np.float32
            assert np.isfinite(copy).all() and np.abs(copy).max() <= 1.0


def test_a_copy_depends_on_its_seed_alone() -> None:
    speech = make_speech(0.5)
    one, same, other = (degraded(speech, np.random.default_rng(k)) for k in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_silence_stays_finite() -> None:
    for seed in range(12):
        assert np.isfinite(degraded(np.zeros(24_000), np.random.default_rng(seed))).all()


def test_noise_has_the_requested_level_below_the_speech(subtests: pytest.Subtests) -> None:
    for ratio in [0.0, 10.0, 20.0]:
        with subtests.test(ratio=ratio):
            speech = make_speech()
            noise = sounds.coloured_noise(len(speech), np.random.default_rng(0), slope=-3.0)
            added = sounds.with_noise(speech, noise, ratio) - speech
            level = sounds.speech_level(speech)
            assert 20 * np.log10(level / np.sqrt(power(added))) == pytest.approx(ratio, abs=0.01)


def test_noise_has_its_colour(subtests: pytest.Subtests) -> None:
    from scipy.signal import welch

    for slope in [0.0, -3.0, -6.0, 2.0]:
        with subtests.test(slope=slope):
            noise = sounds.coloured_noise(10 * SAMPLE_RATE, np.random.default_rng(0), slope)
            hertz, density = welch(noise, SAMPLE_RATE, nperseg=4096)
            octaves = [
                10 * np.log10(density[(hertz >= low) & (hertz < 2 * low)].mean())
                for low in (250, 500, 1000, 2000, 4000)
            ]
            np.testing.assert_allclose(np.diff(octaves), slope, atol=0.5)


def test_reverberation_has_the_requested_length_and_does_not_delay_the_direct_sound() -> None:
    click = np.zeros(SAMPLE_RATE)
    click[1000] = 1.0
    ring = sounds.reverberant(click, np.random.default_rng(0), seconds=0.4, direct=0.0)
    assert np.abs(ring).argmax() == 1000
    assert not ring[:1000].any() or np.abs(ring[:1000]).max() < 1e-9
    tail = np.square(ring[1001:])
    left = 10 * np.log10(np.cumsum(tail[::-1])[::-1] / tail.sum())  # Schroeder's integral
    early, late = (int(np.argmax(left < level)) for level in (-5.0, -25.0))
    assert 3 * (late - early) / SAMPLE_RATE == pytest.approx(0.4, rel=0.25)


def test_a_band_pass_keeps_its_band_without_delay() -> None:
    from scipy.signal import welch

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


def test_the_copies_of_a_clip_are_its_own_and_as_long(tmp_path: Path) -> None:
    speech = make_speech(0.6)
    other = tmp_path / "other.wav"
    soundfile.write(other, speech[::-1], SAMPLE_RATE)
    mels = degraded_mels("a", speech, 3, [other])
    again = degraded_mels("a", speech, 2, [other])
    assert {mel.shape for mel in mels} == {log_mel(speech).shape}
    np.testing.assert_array_equal(mels[1], again[1])
    elsewhere = degraded_mels("b", speech, 1, [other])[0]
    assert not np.array_equal(mels[0], mels[1]) and not np.array_equal(mels[0], elsewhere)


def test_babble_has_the_requested_length(tmp_path: Path) -> None:
    voices = [tmp_path / f"{k}.wav" for k in range(2)]
    for k, path in enumerate(voices):
        soundfile.write(path, make_speech(0.3 + k / 10), SAMPLE_RATE)
    babble = babble_of(voices)(30_000, np.random.default_rng(0))
    assert babble.shape == (30_000,) and np.isfinite(babble).all() and babble.std() > 0.5


Tracker = Callable[[np.ndarray, int], np.ndarray]


def voice(hertz: np.ndarray) -> np.ndarray:
    """Twenty harmonics of a pitch (n,) that changes, falling by 6 dB an octave."""
    phase = 2 * np.pi * np.cumsum(hertz) / SAMPLE_RATE
    return np.asarray(sum(0.1 / k * np.sin(k * phase) for k in range(1, 21)))


TRACKERS = pytest.mark.parametrize("track", [log_pitch, taught_pitch])


@TRACKERS
def test_the_pitch_of_a_voice_that_rises_and_stops(track: Tracker) -> None:
    hertz = np.linspace(120.0, 240.0, SAMPLE_RATE)
    wave = np.concatenate([voice(hertz), np.zeros(SAMPLE_RATE // 2)])
    wave += np.random.default_rng(0).normal(0, 1e-4, len(wave))
    found = track(wave, 121)
    assert found.shape == (121,) and found.dtype == np.float32
    inside = np.arange(6, 74)
    np.testing.assert_allclose(2 ** found[inside], hertz[inside * 300], rtol=0.02)
    assert not found[86:].any()


@TRACKERS
def test_noise_and_silence_have_no_pitch(track: Tracker) -> None:
    noise = np.random.default_rng(0).normal(0, 0.1, SAMPLE_RATE)
    assert (track(noise, 81) > 0).mean() < 0.2
    assert not track(np.zeros(SAMPLE_RATE), 81).any()
    assert not track(noise[:100], 1).any()
