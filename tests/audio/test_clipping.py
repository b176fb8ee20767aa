"""Clipped recordings are detected, and a patch in one stops at its ceiling."""

from __future__ import annotations

import numpy as np
import pytest

from a3t.audio.analysis.clipping import clipping_ceiling
from a3t.audio.matching.match_options import MatchedTraits
from a3t.audio.matching.sound_matching import Neighbour, OwnSound


def speech(seed: int = 0) -> np.ndarray:
    """A voice that swells and fades: no two periods have the same peak."""
    rng = np.random.default_rng(seed)
    time = np.arange(48_000) / 16_000
    loudness = np.interp(time, np.linspace(0, 3, 13), rng.uniform(0.02, 1.0, 13))
    buzz = sum(np.sin(2 * np.pi * 120 * k * time + k) / k for k in range(1, 30))
    return np.asarray(0.3 * loudness * buzz)


def test_a_clipped_recording_has_a_ceiling(subtests: pytest.Subtests) -> None:
    for seed in range(8):
        for share in [0.1, 0.3, 0.5]:
            with subtests.test(seed=seed, share=share):
                ceiling = share * np.abs(speech(seed)).max()
                sound = np.clip(speech(seed), -ceiling, ceiling)
                assert clipping_ceiling([sound[:20_000], sound[20_000:]]) == pytest.approx(ceiling)


def test_others_have_none(subtests: pytest.Subtests) -> None:
    for seed in range(8):
        with subtests.test(seed=seed):
            assert clipping_ceiling([speech(seed)]) is None
            noisy = speech(seed) + np.random.default_rng(seed).standard_normal(48_000) * 0.1
            assert clipping_ceiling([noisy]) is None
            assert clipping_ceiling([]) is None and clipping_ceiling([np.zeros(9)]) is None


def test_a_patch_stops_where_its_neighbours_do() -> None:
    sound = np.clip(speech(), -0.1, 0.1)
    own = OwnSound(MatchedTraits(), [Neighbour(sound, sound)], None, 0)
    assert np.abs(own.under_its_ceiling(speech(1))).max() == pytest.approx(0.1)
    free = OwnSound(MatchedTraits(), [Neighbour(speech(), speech())], None, 0)
    np.testing.assert_array_equal(free.under_its_ceiling(speech(1)), speech(1))
