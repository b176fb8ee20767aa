"""The pitch of a voice, as it is shown to networks in training and in learning a voice."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from a3t.audio.world_pitch import log_pitch
from a3t.grid import SAMPLE_RATE
from training.features.fundamental import taught_pitch

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
