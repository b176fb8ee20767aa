"""The modulation at the pitch: of pulses more than of noise, and of nothing none."""

import numpy as np

from a3t.audio.analysis.pitch_modulation import pitch_modulation
from a3t.grid import SAMPLE_RATE


def voice(spread: float, hertz: float = 120.0) -> np.ndarray:
    """A second of a voice whose harmonics keep together, or drift apart by ``spread`` of a turn."""
    draw = np.random.default_rng(0)
    time = np.arange(SAMPLE_RATE) / SAMPLE_RATE
    harmonics = np.arange(1, int(8000 / hertz))
    turns = spread * draw.uniform(-0.5, 0.5, len(harmonics))
    angles = 2 * np.pi * (np.outer(harmonics * hertz, time) + turns[:, None])
    return np.asarray(np.cos(angles).sum(axis=0) / len(harmonics))


def test_pulses_modulate_more_than_harmonics_that_drift_apart() -> None:
    pulses, apart = pitch_modulation(voice(0.0)), pitch_modulation(voice(1.0))
    assert pulses is not None and apart is not None
    assert (pulses > 0.8).all() and (pulses > apart + 0.1).all()


def test_noise_between_the_pulses_lowers_it_and_loudness_does_not() -> None:
    noise = 0.1 * np.random.default_rng(1).standard_normal(SAMPLE_RATE)
    clean, noisy = pitch_modulation(voice(0.0)), pitch_modulation(voice(0.0) + noise)
    quiet = pitch_modulation(0.01 * voice(0.0))
    assert clean is not None and noisy is not None and quiet is not None
    assert (noisy < clean).all()
    np.testing.assert_allclose(quiet, clean, rtol=1e-3)


def test_without_a_voice_there_is_none() -> None:
    for samples in (np.zeros(SAMPLE_RATE), np.zeros(10), np.zeros(0)):
        assert pitch_modulation(samples) is None
