"""Cuts are made where the sound changes least."""

from __future__ import annotations

import numpy as np
import pytest

from a3t.audio.splicing.cut_places import best_places
from a3t.audio.splicing.fades import quietest_point

RATE = 24_000
RADIUS = round(0.03 * RATE)


def hole(noise: np.ndarray, leave: int, enter: int) -> float:
    """The dip at a joint: 10 ms around it against 20 ms on either side, dB."""
    joined, ms = np.concatenate([noise[:leave], noise[enter:]]), RATE // 1000
    middle, before, after = (
        10 * np.log10(np.mean(np.square(joined[leave + a * ms : leave + b * ms])))
        for a, b in ((-5, 5), (-25, -5), (5, 25))
    )
    return float((before + after) / 2 - middle)


def test_room_tone_has_no_hole_at_the_joint() -> None:
    """In even noise the quietest places are below its level; those that are taken are not."""
    draw = np.random.default_rng(3)
    a, b = RATE // 4, 3 * RATE // 4
    leave, enter = ((place - RADIUS, place + RADIUS) for place in (a, b))
    taken, quietest = [], []
    for _ in range(40):
        noise = np.convolve(draw.standard_normal(RATE), np.ones(150), "same")  # a rumble
        found = best_places(noise, leave, noise, enter, (a, b), RATE)
        assert found is not None
        taken.append(hole(noise, *found))
        one, other = (quietest_point(noise, place, RADIUS, RATE) for place in (a, b))
        quietest.append(hole(noise, one, other))
    assert np.abs(np.mean(taken)) < 1 < 3 < np.mean(quietest)
    assert np.abs(taken).max() < 5


def test_loud_sounds_and_far_places_are_avoided() -> None:
    noise = np.random.default_rng(0).standard_normal(RATE) * 0.01
    time = np.arange(RATE) / RATE
    loud = noise + np.where(time < 0.255, np.sin(2 * np.pi * 200 * time), 0.0)
    a, b = RATE // 4, 3 * RATE // 4
    found = best_places(
        loud, (a - RADIUS, a + RADIUS), loud, (b - RADIUS, b + RADIUS), (a, b), RATE
    )
    assert found is not None and found[0] > 0.255 * RATE
    assert abs(found[1] - b) <= RADIUS


def test_where_there_is_no_sound_beside_it_there_is_no_place() -> None:
    noise = np.random.default_rng(0).standard_normal(RATE)
    assert best_places(noise[:300], (0, 300), noise, (9000, 9600), (100, 9300), RATE) is None


@pytest.mark.parametrize("rate", [8_000, 44_100, 192_000])
def test_silence_is_as_good_as_any_place(rate: int) -> None:
    silence = np.zeros(rate)
    a, b = rate // 4, rate // 2
    assert best_places(silence, (a - 99, a + 99), silence, (b - 99, b + 99), (a, b), rate) == (a, b)
