"""The edges of sound beside a pause, for a tone between two silences."""

from __future__ import annotations

import numpy as np
import pytest

from alignment import Alignment, Phone, Word
from alignment.result import pause
from evaluation.hearing.sound_edges import sound_edges

RATE = 16_000


@pytest.mark.parametrize("late", [-0.05, 0.0, 0.04])
def test_the_edges_are_the_sounds_wherever_the_aligner_puts_them(late: float) -> None:
    time = np.arange(2 * RATE) / RATE
    tone = np.sin(2000 * time) * ((time >= 0.6) & (time < 1.2))
    samples = tone + 0.001 * np.random.default_rng(0).standard_normal(len(time))
    word = Word("a", 0.6 + late, 1.2 + late, 1.0, (Phone("AE1", 0.6 + late, 1.2 + late),))
    aligned = Alignment((pause(0.0, word.start, 1.0), word, pause(word.end, 2.0, 1.0)), 2.0)
    edges = {edge.is_start: edge.time for edge in sound_edges(samples, RATE, aligned)}
    assert edges[True] == pytest.approx(0.6, abs=0.008)
    assert edges[False] == pytest.approx(1.2, abs=0.008)
    loud = samples + 0.3 * np.random.default_rng(1).standard_normal(len(time))
    assert not list(sound_edges(loud, RATE, aligned))
