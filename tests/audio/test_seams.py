"""Joints lie where they are heard least, in an overlap and between two recorded stretches."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.seams import Overlap, Surroundings, best_places, best_seam, quietest_point

RATE = 24_000
RADIUS = round(0.03 * RATE)


@pytest.mark.parametrize("entering", [True, False])
def test_a_joint_makes_no_turn_of_its_own(tmp_path: Path, entering: bool) -> None:
    """Old and new are dull, then bright, a little out of phase; the one that is left turns bright
    40 ms sooner. Between the two turns they fit no worse, but the sound would turn thrice."""
    first, second = round(0.45 * 24_000), round(0.49 * 24_000)
    time = np.arange(24_000) / 24_000

    def sound(turn: int, phase: float) -> np.ndarray:
        dull, bright = (
            sum(0.1 * np.sin(2 * np.pi * hertz * time + phase) for hertz in tones)
            for tones in ((200, 400, 600), (2500, 4000, 6300))
        )
        return np.concatenate([dull[:turn], bright[turn:]])

    turns = (first, second) if entering else (second, first)
    old, new = sound(turns[0], 0.0), sound(turns[1], np.arccos(-0.2))
    soundfile.write(tmp_path / "old.wav", old, 24_000, subtype="FLOAT")
    around = Surroundings.read(Recording.open(tmp_path / "old.wav"), 0, 24_000)
    overlap = Overlap(round(0.42 * 24_000), round(0.52 * 24_000), 0)
    width = round(0.015 * 24_000)
    seam = best_seam(overlap, around, new, width, 0, (first + second) // 2, entering)
    assert not first < (seam.first + seam.last) // 2 < second


@pytest.mark.parametrize("entering", [True, False])
def test_a_joint_is_no_dip(tmp_path: Path, entering: bool) -> None:
    """Both sounds are 20 dB quieter for 20 ms at one place, and fit there a little better than
    elsewhere; but so short a dip within a word would be heard."""
    time = np.arange(24_000) / 24_000
    hole = round(0.45 * 24_000)
    old = 0.1 * np.sin(2 * np.pi * 3000 * time)
    new = 0.1 * np.sin(2 * np.pi * 3000 * time + 1.15)
    near = slice(hole - 240, hole + 240)
    new[near] = 0.1 * np.sin(2 * np.pi * 3000 * time[near] + 1.0)
    for wave in (old, new):
        wave[near] *= 0.1
    soundfile.write(tmp_path / "old.wav", old, 24_000, subtype="FLOAT")
    around = Surroundings.read(Recording.open(tmp_path / "old.wav"), 0, 24_000)
    overlap = Overlap(round(0.42 * 24_000), round(0.52 * 24_000), 0)
    seam = best_seam(overlap, around, new, round(0.015 * 24_000), 0, hole, entering)
    assert abs((seam.first + seam.last) // 2 - hole) > 200


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
