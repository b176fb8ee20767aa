"""Patches are as loud as what they are joined to, and their ends stay as they were."""

from pathlib import Path

import numpy as np
import pytest

from a3t.audio.output.patches import Patch
from a3t.audio.reading.recording import opened
from a3t.grid import SAMPLE_RATE
from a3t.plan.edit_plan import Window
from a3t.plan.edit_windows import WindowFrames
from a3t.plan.word_grid import GridPhone
from a3t.rendering.patch_level import FADE_S, MOST, SHARE, relevelled

SOURCE, SPAN = (20, 220), (100, 140)


@pytest.mark.parametrize("change", [-0.15, 0.1])
def test_a_patch_gets_its_neighbours_level(arctic: Path, change: float) -> None:
    """The recording itself, its patch made louder or softer, is brought most of the way back."""
    recording = opened(arctic)
    place = np.arange(*SOURCE)
    masked = (place >= SPAN[0]) & (place < SPAN[1])
    phones = [GridPhone("AA1", k, k + 20, k) for k in range(*SOURCE, 20)]
    frames = WindowFrames(tuple(phones), place, masked, {0: (SPAN[0] - 20, SPAN[1] - 20)})
    window = Window(SOURCE, (0,))
    first, last = recording.samples_in(SPAN)
    own = recording.mono(first, last).astype(np.float64)[:, None]

    def factor(samples: np.ndarray) -> float:
        patch = Patch((first, last), samples)
        made = relevelled(recording, window, frames, {0: patch})[0]
        assert np.array_equal(made.samples[[0, -1]].round(3), samples[[0, -1]].round(3))
        inner = slice(round(2 * FADE_S * SAMPLE_RATE), -round(2 * FADE_S * SAMPLE_RATE))
        return float(np.log10(np.linalg.norm(made.samples[inner]) / np.linalg.norm(samples[inner])))

    moved = factor(own * 10**change) - factor(own)
    assert moved == pytest.approx(-SHARE * change, abs=0.02)
    assert abs(factor(own * 1e-3)) <= MOST + 1e-6
