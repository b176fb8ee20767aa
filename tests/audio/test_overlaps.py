"""The place of a joint in an overlap."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.audio.reading.recording import Recording
from a3t.audio.splicing.overlaps import Overlap, Surroundings, best_seam


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
